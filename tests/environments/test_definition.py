from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from conformance.data_folders import adapters_folder
from conformance.environments.definition import (
    Definition,
    DefinitionError,
    InstallOption,
    find_definitions,
    load_definition,
    release_for,
)
from conformance.environments.name_checks import read_outline

GOOD = """
title = "Toy"
package = "toy"
tested = "1.2"
[devices]
cpu = {gpu = false}
cuda = {gpu = true}
[modes]
eager = {}
graph = {}
[variables]
TOY_LOG_LEVEL = "1"
[[releases]]
versions = ">=1"
python = ">=3.9"
install.cpu = [{package = "toy-cpu"}, {package = "toy", torch-backend = "cpu"}]
"""


def load(folder: Path, text: str) -> Definition:
    path = folder / "target.toml"
    path.write_text(text, encoding="utf-8")
    return load_definition(path)


def errors_of(folder: Path, text: str) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        load(folder, text)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(str(folder / "target.toml")) for line in lines)
    return [line.removeprefix(f"{folder / 'target.toml'}: ") for line in lines]


def test_the_first_device_and_the_first_mode_are_the_defaults(tmp_path: Path) -> None:
    toy = load(tmp_path, GOOD)
    assert (toy.default_device, toy.default_mode) == ("cpu", "eager")
    assert {name: device.gpu for name, device in toy.devices.items()} == {"cpu": False, "cuda": True}
    assert toy.variables == {"TOY_LOG_LEVEL": "1"}
    assert (toy.name, toy.adapter) == (tmp_path.name, tmp_path / "adapter.py")


def test_a_mode_says_what_it_costs(tmp_path: Path) -> None:
    text = GOOD.replace("graph = {}", "graph = {compiled = true, first = 2, shape = 0.05, workers = 4, together = 32}")
    eager, graph = load(tmp_path, text).modes.values()
    assert (graph.compiled, graph.first, graph.shape, graph.workers, graph.together) == (True, 2.0, 0.05, 4, 32)
    assert (eager.compiled, eager.first, eager.shape, eager.workers, eager.together) == (False, 0.0, 0.0, 1, 1)


def test_a_mode_has_variables_besides_those_of_all_modes(tmp_path: Path) -> None:
    toy = load(tmp_path, GOOD.replace("graph = {}", 'graph = {variables = {TOY_BACKEND = "graph"}}'))
    assert toy.variables_in("eager") == {"TOY_LOG_LEVEL": "1"}
    assert toy.variables_in("graph") == {"TOY_LOG_LEVEL": "1", "TOY_BACKEND": "graph"}


@pytest.mark.parametrize("wrong", ["shape = -1", "workers = 0", "together = 0", 'compiled = "yes"', "costs = 1"])
def test_a_mode_that_cannot_be_is_an_error_at_its_key(tmp_path: Path, wrong: str) -> None:
    [error] = errors_of(tmp_path, GOOD.replace("graph = {}", f"graph = {{{wrong}}}"))
    assert error.startswith(f"modes.graph.{wrong.partition(' ')[0]}: ")


def test_all_errors_of_a_file_are_told_at_once_with_their_keys(tmp_path: Path) -> None:
    text = GOOD.replace('title = "Toy"', "tittle = 1").replace("gpu = true", 'gpu = "yes"')
    text = text.replace('python = ">=3.9"', 'python = "three"').replace("torch-backend", "torch_back")
    assert errors_of(tmp_path, text) == [
        "title: missing",
        "devices.cuda.gpu: Input should be a valid boolean; found 'yes'",
        "releases[0].python: not a version range such as \">=2.9,<3\"; found 'three'",
        "releases[0].install.cpu[1].torch_back: unknown key; did you mean 'torch-backend'?",
        "tittle: unknown key; did you mean 'title'?",
    ]


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ('tested = "1.2"', 'tested = "new"', "tested: not a version such as \"2.13.0\"; found 'new'"),
        ('tested = "1.2"', 'tested = "0.9"', "tested version 0.9 is not covered by any entry of releases"),
        ('tested = "1.2"', "", "package and tested must be given together"),
        ('"toy-cpu"', '"toy cpu"', "releases[0].install.cpu[0].package: not a requirement such as"),
        ("install.cpu", "install.tpu", "releases[0].install.tpu names a device that is not listed under devices"),
        ("install.cpu = [", "extra = [] #", "releases[0].install has no package to install for toy"),
        ("[[releases]]", "[releases]", "releases: Input should be a valid list"),
        ("eager = {}\ngraph = {}", "", "modes: Dictionary should have at least 1 item"),
        ('TOY_LOG_LEVEL = "1"', "TOY_LOG_LEVEL = 1", "variables.TOY_LOG_LEVEL: Input should be a valid"),
        (
            'TOY_LOG_LEVEL = "1"',
            '"A=B" = "1"',
            "variables.A=B.[key]: not the name of an environment variable; found 'A=B'",
        ),
        ('TOY_LOG_LEVEL = "1"', 'A = "\\u0000"', "variables.A: has a null character"),
        (
            "graph = {}",
            'graph = {variables = {"" = "1"}}',
            "modes.graph.variables..[key]: not the name of an environment",
        ),
        ("graph = {}", 'graph = {caches = ["A B"]}', "modes.graph.caches[0]: not the name of an environment variable"),
        ('title = "Toy"', 'title = "Toy"\nthreads = ["A=B"]', "threads[0]: not the name of an environment variable"),
        ('title = "Toy"', 'title = "Toy"\npreload = "\\u0000"', "preload: has a null character"),
        ('title = "Toy"', 'title = "Toy"\nreplaces = {"a b" = "c"}', "replaces.a b.[key]: not the name of a module"),
        ('title = "Toy"', "title = ", "not TOML: "),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(tmp_path: Path, before: str, after: str, error: str) -> None:
    assert before in GOOD
    (line,) = errors_of(tmp_path, GOOD.replace(before, after))
    assert line.startswith(error)


def test_a_file_that_is_not_text_or_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "target.toml"
    with pytest.raises(DefinitionError, match="cannot be read: No such file"):
        load_definition(path)
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(DefinitionError, match="not UTF-8"):
        load_definition(path)


def test_the_errors_of_all_files_of_a_folder_are_told_at_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "target.toml").write_text("= 1", encoding="utf-8")
    with pytest.raises(DefinitionError) as caught:
        find_definitions(tmp_path)
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == [
        str(tmp_path / name / "target.toml") for name in ("one", "two")
    ]


@pytest.mark.parametrize(
    ("local", "version", "requirement"),
    [
        (None, "2.13.0", "torch==2.13.0"),
        (None, "2.13.0+cpu", "torch==2.13.0+cpu"),
        ("cpu", "2.13.0", "torch==2.13.0+cpu"),
        ("cpu", "2.13.0+cpu", "torch==2.13.0+cpu"),
        ("cpu", "2.13.0+cu130", None),
    ],
)
def test_a_way_asks_for_the_build_with_its_local_version(
    local: str | None, version: str, requirement: str | None
) -> None:
    assert InstallOption(package="torch", local=local).requirement(version) == requirement


def test_the_suites_own_definitions_are_the_tested_defaults() -> None:
    found = find_definitions(adapters_folder())
    tested = {name: found[name].tested for name in ("reference", "torch", "tensorflow", "mindspore")}
    assert tested == {"reference": None, "torch": "2.13.0", "tensorflow": "2.21.0", "mindspore": "2.10.0"}
    assert all(each.adapter.is_file() for each in found.values())


@pytest.mark.parametrize(
    ("framework", "versions"),
    [
        ("torch", ["1.13.1", "2.1.2", "2.13.0", "2.15.0"]),
        ("tensorflow", ["2.12.0", "2.16.2", "2.21.0"]),
        ("mindspore", ["2.7.0", "2.8.0", "2.10.0"]),
    ],
)
def test_the_releases_that_are_known_to_run_on_python_3_11_may_be_installed_on_it(
    framework: str, versions: list[str]
) -> None:
    definition = find_definitions(adapters_folder())[framework]
    for version in versions:
        release = release_for(definition, version)
        assert release is not None
        assert release.python.contains("3.11.9")


def test_every_release_of_mindspore_gets_numpy_1() -> None:
    definition = find_definitions(adapters_folder())["mindspore"]
    assert all(release.extra == ["numpy<2"] for release in definition.releases)


def test_a_file_is_read_once_for_its_names_and_its_definition_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "target.toml"
    file.write_bytes((adapters_folder() / "numpy" / "target.toml").read_bytes())
    read: list[str] = []
    loads = tomllib.loads

    def counted(text: str) -> dict[str, Any]:
        read.append(text)
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", counted)
    before = read_outline(file)
    assert before is not None
    assert load_definition(file).title == before.title
    assert len(read) == 1
    file.write_text(file.read_text().replace(f'title = "{before.title}"', 'title = "Another one"'))
    assert load_definition(file).title == "Another one"

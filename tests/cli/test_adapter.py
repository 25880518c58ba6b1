"""``conformance adapter``, and targets of installed packages."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.environments.definition import definitions
from conformance.environments.packages import outlines, target_folders
from conformance.specification.loader import load_specs
from tests.cli.command import Done, conformance

MINE = """
import numpy as np

from conformance.adapter import Unsupported, api


@api("mine.gather", operation="gather_elements", follows="torch.gather")
def gather(input, dim, index):
    raise Unsupported("nothing yet") if dim == 0 else ValueError(str(input.shape))
"""
RUN_MINE = "run ./mine.py gather_elements.example.along-dim-1/as-printed --here -q --fail-on never"


def forget() -> None:
    for read in (target_folders, outlines, definitions):
        read.cache_clear()


@pytest.fixture(autouse=True)
def _forget_packages() -> Iterator[None]:
    forget()
    yield
    forget()


def install(folder: Path, name: str, distribution: str, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """What an installed package looks like: its metadata, and the package made by ``adapter new``."""
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[conformance.adapters]\n{name} = {module}\n")
    monkeypatch.syspath_prepend(folder)
    forget()


def new(folder: Path, name: str = "myframe") -> Done:
    return conformance("adapter", "new", name, cwd=folder)


def test_a_new_package_offers_a_target_that_checks_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = new(tmp_path)
    assert done.status == 0, done.err
    package = tmp_path / "opconform-myframe"
    assert {path.name for path in package.rglob("*") if path.is_file()} == {
        "pyproject.toml", "README.md", "__init__.py", "adapter.py", "target.toml", "divergences.yaml", "test_myframe.py",
        "conformance.yml",
    }  # fmt: skip
    install(package / "src", "myframe", "opconform-myframe", monkeypatch, "conformance_myframe")
    assert "opconform-myframe 1.0" in conformance("list", "targets", cwd=tmp_path).out
    assert conformance("check", "myframe", cwd=tmp_path).status == 0
    checked = conformance("adapter", "check", "myframe", "--here", cwd=tmp_path)
    assert "gather_elements: myframe.gather_elements" in checked.out
    assert "gather_nd: not mapped" in checked.out
    assert checked.status == 0, checked.out
    run = conformance("run", "myframe", "--here", "-q", "-k", "scatter_nd.example and not printed.", cwd=tmp_path)
    assert run.status == 0, run.out


def test_the_stubs_of_a_new_adapter_are_functions_of_all_other_operations(tmp_path: Path) -> None:
    new(tmp_path)
    [adapter] = tmp_path.rglob("adapter.py")
    text = adapter.read_text()
    assert text.count('operation="') == len(load_specs().operations)
    compile(text.replace("# @api", "@api").replace("# def", "def").replace("#     return", "    return"), "x", "exec")


def test_a_folder_with_files_and_a_name_that_exists_are_refused(tmp_path: Path) -> None:
    (tmp_path / "opconform-myframe").mkdir()
    (tmp_path / "opconform-myframe" / "mine").touch()
    assert "is not empty" in new(tmp_path).err
    assert "there is a target 'torch' already" in new(tmp_path, "torch").err
    assert "is not a name for a target" in new(tmp_path, "My Frame").err


def test_of_two_targets_of_one_name_the_suites_is_used_and_both_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new(tmp_path)
    source = tmp_path / "opconform-myframe" / "src"
    install(source, "torch", "conformance-other", monkeypatch, "conformance_myframe")
    done = conformance("list", "targets", cwd=tmp_path)
    assert done.status == 0
    assert "warning: two targets are named 'torch': one of opconform" in done.err
    assert "and one of conformance-other 1.0" in done.err
    assert "conformance-other" not in done.out


@pytest.mark.parametrize(
    "words",
    [
        "list targets",
        "check reference",
        RUN_MINE,
        "run nothing",
    ],
)
def test_a_package_without_an_adapter_is_named_and_ends_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    install(tmp_path, "nothing", "conformance-nothing", monkeypatch, "a_module_that_nobody_has.adapter")
    done = conformance(*words.split(), cwd=tmp_path)
    assert done.status == (4 if words == "run nothing" else 0), done
    assert done.err.count("of conformance-nothing 1.0 names no package with adapter.py and target.toml") == 1


def test_the_packages_around_an_adapter_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "outer_package" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer_package" / "__init__.py").write_text("raise SystemExit(1)")
    new(tmp_path)
    for file in (tmp_path / "opconform-myframe" / "src" / "conformance_myframe").iterdir():
        (inner / file.name).write_bytes(file.read_bytes())
    install(tmp_path, "myframe", "conformance-outer", monkeypatch, "outer_package.inner")
    done = conformance("list", "targets", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert "conformance-outer 1.0" in done.out


def test_a_package_with_a_broken_definition_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new(tmp_path)
    source = tmp_path / "opconform-myframe" / "src"
    (source / "conformance_myframe" / "target.toml").write_text("x = " + "[" * 5000)
    (tmp_path / "mine.py").write_text(MINE)
    install(source, "myframe", "conformance-other", monkeypatch, "conformance_myframe")
    done = conformance(*RUN_MINE.split(), cwd=tmp_path)
    assert done.status == 0, done.err
    assert "warning: the target myframe of conformance-other 1.0 cannot be used" in done.err
    assert "its values are nested too deeply" in done.err


def test_what_looks_like_a_mistake_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    done = conformance("adapter", "check", "./mine.py", "--here", cwd=tmp_path)
    assert done.status == 1
    assert "suspicious: mine.gather (gather_elements) gives Unsupported for gather_elements.example." in done.out
    assert "conforms to none of" in done.out
    assert sys.executable not in done.out


CHANGES = """
import numpy as np

from conformance.adapter import api


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    result = np.take_along_axis(input, index, dim)
    input[...] = 0
    return result


@api("mine.put", operation="scatter_elements", in_place="input")
def put(input, dim, index, src, reduce=None):
    result = input.copy()
    np.put_along_axis(result, index, src, dim)
    return result
"""


def test_an_argument_that_changes_and_one_that_does_not_are_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CHANGES)
    done = conformance("adapter", "check", "./mine.py", "--here", cwd=tmp_path)
    assert done.status == 1
    said = "in_place of @api says which argument the API changes"
    for text in (
        "gather (gather_elements), in 1 example: the call changed its argument input",
        "put (scatter_elements), in ",
    ):
        [line] = [line for line in done.out.splitlines() if f"suspicious: mine.{text}" in line]
        assert said in line
    assert "the call should change input in place, but did not" in line


LACKS_REDUCTIONS = """
import numpy as np

from conformance.adapter import Unsupported, api


@api("mine.put", operation="scatter_elements", in_place="input", follows="numpy.put_along_axis")
def put(input, dim, index, src, reduce=None):
    if reduce is not None:
        raise Unsupported("no reduction")
    np.put_along_axis(input, index, src, dim)
    return input
"""


def test_a_form_that_an_api_lacks_in_one_of_the_examples_of_a_rule_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LACKS_REDUCTIONS)
    done = conformance("adapter", "check", "./mine.py", "--here", cwd=tmp_path)
    assert (done.status, "ok: every API conforms" in done.out) == (0, True), done.out


FALLS_BACK = """
import numpy as np

from conformance.adapter import FellBack, api


@api("mine.gather", operation="gather_elements", follows="torch.gather")
def gather(input, dim, index):
    if input.dtype == np.int64:
        raise FellBack("gather of int64 ran in NumPy")
    return np.take_along_axis(input, index, dim)
"""


def test_an_adapter_that_tells_that_calls_fell_back_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FALLS_BACK)
    done = conformance("adapter", "check", "./mine.py", "--here", cwd=tmp_path)
    assert done.status != 0
    assert re.search(r"is at fault itself in \d+ examples: gather of int64 ran in NumPy", done.out + done.err), done.out


def test_an_adapter_is_checked_against_the_stored_cases_of_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    entry = "cases: gather_elements.rule.nothing/*, api: mine.gather, kind: died, reason: r, link: unreported"
    (tmp_path / "divergences.yaml").write_text(f"divergences: {{one: {{{entry}}}}}")
    conformance("list", cwd=tmp_path)

    def built(*_: object) -> None:
        raise AssertionError("the suite's cases are built again")

    monkeypatch.setattr("conformance.cli.check.build_sound_cases", built)
    done = conformance("check", "mine.py", cwd=tmp_path)
    assert done.status == 4
    assert "no case matches 'gather_elements.rule.nothing/*'" in done.err

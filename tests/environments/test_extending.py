"""A target.toml that extends another: what it inherits, replaces and withdraws, and a run with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.environments.definition import Definition, DefinitionError, load_definition
from conformance.environments.name_checks import read_outline
from conformance.environments.recipe import recipe_for
from conformance.environments.resolve import resolve
from conformance.execution.plan import Interpreters, jobs
from conformance.results.file import read_results
from tests.cli.command import conformance
from tests.environments.test_definition import GOOD
from tests.execution.harness import TOY_TARGET

ADAPTER = """
import {module} as np

from conformance.adapter import api


def setup(device, mode):
    pass


@api("toy.take", operation="gather_elements")
def take(input, dim, index):
    if index.size and (index.max() >= input.shape[dim] or index.min() < 0):
        raise IndexError("index")
    return np.take_along_axis(input, index, dim)
"""
LEDGER = """
divergences:
  {id}:
    cases: gather_elements.example.*
    api: toy.take
    kind: value
    reason: It is the toy's.
    link: unreported
"""


def write(folder: Path, text: str, base: str = GOOD, adapter: str = "numpy") -> Path:
    """The target.toml of a derived target, beside the folder of the one that it extends."""
    for name, content in (("base", base), ("mine", text)):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "target.toml").write_text(content)
    (folder / "base" / "adapter.py").write_text(ADAPTER.format(module=adapter))
    return folder / "mine" / "target.toml"


def load(folder: Path, text: str) -> Definition:
    return load_definition(write(folder, text))


def test_what_it_does_not_say_is_inherited_with_the_adapter(tmp_path: Path) -> None:
    mine = load(tmp_path, 'extends = "../base"\ntitle = "Mine"\n')
    assert (mine.title, mine.package, mine.tested, mine.name) == ("Mine", "toy", "1.2", "mine")
    assert list(mine.modes) == ["eager", "graph"]
    assert mine.variables == {"TOY_LOG_LEVEL": "1"}
    assert mine.adapter.read_text() == ADAPTER.format(module="numpy")


def test_entries_are_replaced_added_and_withdrawn_and_its_own_device_is_the_default(tmp_path: Path) -> None:
    mine = load(
        tmp_path,
        'extends = "../base"\n[devices]\nfast = {gpu = false, install-as = "cpu"}\ncuda = false\n[modes]\ngraph = false\n'
        '[variables]\nTOY_LOG_LEVEL = "2"\n',
    )
    assert list(mine.devices) == ["fast", "cpu"]
    assert (list(mine.modes), mine.variables) == (["eager"], {"TOY_LOG_LEVEL": "2"})
    outline = read_outline(tmp_path / "mine" / "target.toml")
    assert outline is not None
    assert (outline.title, outline.devices, outline.modes) == ("Toy", ["fast", "cpu"], ["eager"])


def test_what_a_file_withdraws_stays_withdrawn_if_what_it_extends_extends_another(tmp_path: Path) -> None:
    write(tmp_path, 'extends = "../base"\ntitle = "Between"\n')
    last = tmp_path / "last" / "target.toml"
    last.parent.mkdir()
    last.write_text('extends = "../mine"\n[devices]\ncuda = false\n[modes]\ngraph = false\n')
    definition = load_definition(last)
    assert (list(definition.devices), list(definition.modes), definition.title) == (["cpu"], ["eager"], "Between")
    assert definition.adapter.parent.name == "base"


def test_its_requirements_are_installed_too_and_its_device_as_the_one_that_it_names(tmp_path: Path) -> None:
    mine = load(
        tmp_path, 'extends = "../base"\nextra = ["mine==3"]\n[devices]\nfast = {gpu = false, install-as = "cpu"}\n'
    )
    recipe = recipe_for(mine, "1.2", "fast", "eager", own=True)
    assert [attempt.requirements for attempt in recipe.attempts] == [
        ("toy-cpu==1.2", "mine==3"),
        ("toy==1.2", "mine==3"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('extends = "troch"\n', "there is no"),
        ('extends = "../mine"\n', "extends this file"),
        ('extends = "../base"\npreloads = "x"\n', "unknown key; did you mean 'preload'?"),
        ('extends = "../base"\n[modes]\neager = false\ngraph = false\n', "modes"),
    ],
)
def test_a_mistake_is_told_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DefinitionError) as told:
        load(tmp_path, text)
    assert str(tmp_path / "mine" / "target.toml") in str(told.value)
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("devices = 5", "devices in {path} is 5; expected a table"),
        ("modes = [1]", "modes in {path} is [1]; expected a table"),
        ('variables = "x"', "variables in {path} is 'x'; expected a table"),
        ("extra = 5", "extra in {path} is 5; expected a list"),
        ("releases = [5]", "releases[0] in {path} is 5; expected a table, with a table install"),
        ("releases = [{install = 5}]", "expected a table, with a table install"),
    ],
)
def test_tables_and_lists_of_each_file_are_checked_before_they_are_merged(tmp_path: Path, text: str, said: str) -> None:
    mine = write(tmp_path, f'extends = "../base"\n{text}\n')
    with pytest.raises(DefinitionError) as told:
        load_definition(mine)
    assert said.format(path=mine) in str(told.value)
    write(tmp_path, 'extends = "../base"\n', base=f'title = "Toy"\n{text}\n')
    with pytest.raises(DefinitionError) as told:
        load_definition(mine)
    assert said.format(path=mine.parent / "../base/target.toml") in str(told.value)


def test_a_target_of_the_suite_is_extended_by_its_name(tmp_path: Path) -> None:
    mine = load(tmp_path, 'extends = "numpy"\ntitle = "Mine"\n')
    assert mine.adapter.parent.name == "numpy"


def test_entries_of_the_other_ledger_record_but_need_not_happen_and_its_own_come_first(tmp_path: Path) -> None:
    path = write(tmp_path, 'extends = "../base"\n', TOY_TARGET)
    for name in ("base", "mine"):
        (tmp_path / name / "divergences.yaml").write_text(LEDGER.format(id=f"of-{name}"))
    [job] = jobs([str(path)], Interpreters(here=True))
    assert [(entry.id, entry.sometimes) for entry in job.known.entries] == [("of-mine", False), ("of-base", True)]


def test_two_derived_targets_of_one_adapter_are_two_targets(tmp_path: Path) -> None:
    path = write(tmp_path, 'extends = "../base"\n', TOY_TARGET)
    other = tmp_path / "other" / "target.toml"
    other.parent.mkdir()
    other.write_text(path.read_text())
    assert len(resolve([str(path), str(other), str(path)], {}, here=True)) == 2


CASE = "gather_elements.example.along-dim-0/as-printed"


def verdict(folder: Path, target: str) -> str:
    """What a run says of a case."""
    options = ("--here", "-q", "--output", "out", "--fail-on", "never")
    done = conformance("run", target, CASE, *options, cwd=folder)
    assert done.status == 0, done.err
    [result] = [result for result in read_results(folder / "out").results if result.case == CASE]
    return result.verdict


def test_preload_changes_the_framework_before_the_first_call(tmp_path: Path) -> None:
    write(tmp_path, 'extends = "../base"\n', TOY_TARGET)
    assert verdict(tmp_path, "./mine/target.toml") == "conforms"
    (tmp_path / "changed").mkdir()
    preload = (
        "import numpy; numpy.take_along_axis = lambda array, indices, axis: numpy.ones(indices.shape, array.dtype)"
    )
    write(tmp_path / "changed", f'extends = "../base"\npreload = "{preload}"\n', TOY_TARGET)
    assert verdict(tmp_path / "changed", "./mine/target.toml@cpu") == "diverges"


def test_another_module_takes_the_place_of_the_framework(tmp_path: Path) -> None:
    write(
        tmp_path,
        'extends = "../base"\nreplaces = {absent_framework = "numpy"}\n',
        TOY_TARGET,
        adapter="absent_framework",
    )
    assert verdict(tmp_path, "./mine/target.toml") == "conforms"


CHOOSING = (
    ADAPTER.replace(
        "def setup(device, mode):\n    pass", "def setup(device, mode, backend='right'):\n    CHOSEN[:] = [backend]"
    )
    .replace("from conformance", "CHOSEN = []\n\nfrom conformance")
    .replace(
        "    return np.",
        "    if CHOSEN == ['wrong']:\n        return np.zeros(index.shape, input.dtype)\n    return np.",
    )
)


def test_the_adapter_gets_the_name_of_the_backend(tmp_path: Path) -> None:
    verdicts = []
    for backend in ("", 'backend = "wrong"\n'):
        write(tmp_path, f'extends = "../base"\n{backend}', TOY_TARGET)
        (tmp_path / "base" / "adapter.py").write_text(CHOOSING.format(module="numpy"))
        verdicts.append(verdict(tmp_path, "./mine/target.toml"))
    assert verdicts == ["conforms", "diverges"]


def test_an_adapter_that_chooses_no_backend_refuses_one(tmp_path: Path) -> None:
    write(tmp_path, 'extends = "../base"\nbackend = "mine"\n', TOY_TARGET)
    done = conformance("run", "./mine/target.toml", "--python", sys.executable, CASE, cwd=tmp_path)
    assert done.status == 6
    assert (
        "backend = 'mine' in target.toml, but the adapter chooses none; expected setup(device, mode, backend)"
        in done.err
    )

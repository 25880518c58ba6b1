"""``known update`` after a new version of an adapter's framework: entries that still happen have a wider range."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.known.widening import _with
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES

ADAPTER = """\
import numpy as np

from conformance.adapter import api


def describe():
    return {{"framework": "mine", "version": "{version}"}}


@api("mine.Array.__getitem__", operation="gather_elements", follows="fake.steady")
def getitem(input, dim, index):
    return np.take_along_axis(input, index, dim){wrong}
"""
WRONG = " + input.dtype.type(1)"
REASON = ("--reason", "One is added.", "--link", "unreported")


def run(folder: Path, version: str, wrong: str = WRONG) -> Done:
    (folder / "mine.py").write_text(ADAPTER.format(version=version, wrong=wrong))
    where = ("--here", "--specs", FAKES / "specs", "-k", "lucky and not unlucky")
    return conformance("run", "./mine.py", *where, "-q", "--output", version, cwd=folder)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of four versions, in the third of which nothing is wrong."""
    folder = tmp_path_factory.mktemp("runs")
    assert [run(folder, version, wrong).status for version, wrong in
            [("0.1", WRONG), ("0.2", WRONG), ("0.3", ""), ("0.4", WRONG)]] == [1, 1, 0, 1]  # fmt: skip
    return folder


@pytest.fixture(autouse=True)
def _without_ledger(runs: Path) -> None:
    (runs / "divergences.yaml").unlink(missing_ok=True)


def update(folder: Path, *words: str) -> str:
    """The ledger after an update."""
    done = conformance("known", "update", *words, cwd=folder)
    assert done.status == 0, done.err
    return (folder / "divergences.yaml").read_text()


def test_an_api_whose_name_begins_with_a_line_has_an_entry_and_runs_pass_with_it(runs: Path) -> None:
    assert "\n  getitem__-lucky:\n" in update(runs, "0.1", *REASON)
    assert run(runs, "0.1").status == 0
    assert run(runs, "0.1", wrong="").status == 1
    run(runs, "0.1")


def test_what_still_happens_widens_the_range_and_needs_no_reason_again(runs: Path) -> None:
    before = update(runs, "0.1", *REASON)
    assert "version: ==0.1" in before
    after = update(runs, "0.2")
    assert after.count("getitem__-lucky") == before.count("getitem__-lucky")
    assert "version: '>=0.1,<=0.2'" in after
    assert after.replace("'>=0.1,<=0.2'", "==0.1") == before
    assert conformance("known", "update", "0.1", "0.2", cwd=runs).out == ""


def test_a_range_never_has_a_version_that_is_right(runs: Path) -> None:
    before = update(runs, "0.1", *REASON)
    after = update(runs, "0.3", "0.4", *REASON)
    assert "version: ==0.1" in after
    assert "version: ==0.4" in after
    assert before.splitlines()[0] in after


def test_an_entry_that_is_removed_is_not_widened_by_the_same_command(runs: Path) -> None:
    update(runs, "0.1", *REASON)
    assert run(runs, "0.1", wrong="").status == 1
    after = update(runs, "0.1", "0.2", "--prune", *REASON)
    run(runs, "0.1")
    assert "version: ==0.2" in after
    assert "0.1" not in after


def test_an_earlier_version_widens_the_range_downwards(runs: Path) -> None:
    update(runs, "0.2", *REASON)
    assert "version: '>=0.1,<=0.2'" in update(runs, "0.1")


@pytest.mark.parametrize(
    ("range_", "version", "wider"),
    [
        ("==0.1", "0.2", ">=0.1,<=0.2"),
        (">=0.1,<=0.2", "0.4", ">=0.1,<=0.4"),
        (">=0.3,<0.4", "0.4", ">=0.3,<=0.4"),
        (">=0.3,!=0.5,<0.6", "0.2", ">=0.2,!=0.5,<0.6"),
        ("<=0.2", "0.4", "<=0.4"),
        (">=0.1,!=0.2", "0.2", None),
        ("==0.1.*", "0.2", None),
    ],
)
def test_a_range_is_widened_to_one_that_is_written_alike(range_: str, version: str, wider: str | None) -> None:
    assert _with(SpecifierSet(range_), Version(version)) == (None if wider is None else SpecifierSet(wider))

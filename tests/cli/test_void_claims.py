"""A claim that only releases make which no environment can install is an error, or history."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from conformance.cli.check import _void_claims
from conformance.environments.definition import definitions, installs
from conformance.specification.loader import load_specs
from tests.specification.small import DOCUMENTS, SPEC, changed, write_specs


def _found(folder: Path, claim: str) -> list[str]:
    documents = changed(DOCUMENTS, "framework: json", "framework: mindspore")
    documents = changed(documents, "rank: Index has as many axes as input.", f"rank: {claim}")
    return [str(problem) for problem in _void_claims(load_specs(write_specs(folder, documents=documents, spec=SPEC)))]


def test_a_claim_of_releases_that_cannot_be_installed_is_refused(tmp_path: Path) -> None:
    [problem] = _found(tmp_path, '{says: A rank., versions: "<2.5"}')
    assert "json.page#rank: binds no release, as none of <2.5 can be installed" in problem


def test_it_may_be_marked_as_history_but_a_claim_that_binds_may_not(tmp_path: Path) -> None:
    assert _found(tmp_path / "void", '{says: A rank., versions: "<2.5", history: true}') == []
    [problem] = _found(tmp_path / "binds", '{says: A rank., versions: ">=2.9", history: true}')
    assert "is history, but >=2.9 can be installed; remove history" in problem


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ("<2.5", False),
        ("<=2.6.9", False),
        (">=2.0", True),
        ("<2.8", True),
        ("==2.9.*", True),
        ("", True),
        (">2.7,<2.7.1", True),
    ],
)
def test_a_range_can_be_installed_if_it_meets_that_of_a_release(versions: str, expected: bool) -> None:
    assert installs(definitions()["mindspore"], SpecifierSet(versions)) is expected

"""``conformance check`` looks at what has changed since it passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.app.listings import listing
from conformance.cases.draws.check import check_draws
from conformance.cases.store.listing import FILE_NAME
from conformance.specification.model import Catalogue
from tests.cli.command import Done, conformance
from tests.specification.small import SPEC, changed, write_specs

PASSED_BEFORE = "passed before and have not changed (--all repeats them)"


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    return write_specs(tmp_path / "own")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operations of which calls are drawn, as of all whose calls are checked."""
    names: list[str] = []

    def watched(catalogue: Catalogue) -> object:
        names.extend(catalogue.operations)
        return check_draws(catalogue)

    monkeypatch.setattr("conformance.cli.check.check_draws", watched)
    return names


def check(specs: Path, *options: str) -> Done:
    return conformance("check", specs, *options, cwd=specs.parent)


def test_what_has_passed_is_not_checked_again_and_the_output_says_so(specs: Path, drawn: list[str]) -> None:
    first, second = check(specs), check(specs)
    assert (first.status, second.status) == (0, 0)
    assert PASSED_BEFORE not in first.out
    assert f"the calls of 1 operation {PASSED_BEFORE}" in second.out
    assert drawn == ["gather_elements"]


def test_all_checks_what_has_passed_too(specs: Path, drawn: list[str]) -> None:
    check(specs)
    again = check(specs, "--all")
    assert PASSED_BEFORE not in again.out
    assert drawn == ["gather_elements", "gather_elements"]


@pytest.mark.parametrize("file", ["gather_elements.yaml", "documents.yaml", "reference.py"])
def test_what_has_changed_is_checked_again(specs: Path, drawn: list[str], file: str) -> None:
    check(specs)
    with (specs / file).open("a") as stream:
        stream.write("# changed\n")
    check(specs)
    assert drawn == ["gather_elements", "gather_elements"]


def test_a_problem_is_found_again_until_it_is_mended(specs: Path) -> None:
    write_specs(specs, spec=changed(SPEC, "[30, 20, 10, 10]", "[30, 20, 10, 11]"))
    first, second = check(specs), check(specs)
    assert first.status == second.status == 4
    assert first.err == second.err
    assert "example.backwards" in second.err
    write_specs(specs)
    assert check(specs).status == 0


def test_a_claim_is_checked_of_operations_that_have_passed(specs: Path, drawn: list[str]) -> None:
    check(specs)
    assert check(specs).status == 0
    (specs / "other.yaml").write_text("operation: [")
    found = check(specs)
    assert found.status == 4
    assert "own/other.yaml" in found.err
    assert drawn == ["gather_elements", "gather_elements"]


def test_the_listing_of_a_users_specs_is_kept_without_being_asked_for(specs: Path) -> None:
    refused = check(specs, "--update-listing")
    assert refused.status == 4
    assert "--update-listing is about the suite's own specs: conformance check --update-listing" in refused.err
    assert listing(specs).keys() == {"gather_elements"}
    assert not (specs / FILE_NAME).exists()

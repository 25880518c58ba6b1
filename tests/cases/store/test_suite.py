"""The suite's cases are listed beside its specs, built for the operations that are asked for, and stored."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pytest

from conformance.cases.build import SOURCES, Source, build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.store.building import help_building
from conformance.cases.store.digests import Digests
from conformance.cases.store.folder import cases_folder
from conformance.cases.store.listing import (
    FILE_NAME,
    STORED,
    listing_of,
    read_listing,
    read_stored,
    write_listing,
    write_stored,
)
from conformance.cases.store.operations import cases_file
from conformance.cases.store.suite import Building, SuiteCases
from conformance.data_folders import VARIABLE, data_folder, reference_adapter, specs_folder, suite_operations
from conformance.results.describe import case_record
from conformance.specification.loader import load_specs
from conformance.specification.model import Catalogue

_RELATIONS = re.compile(r"^relations:\n(?:[ #].*\n|\n)*", re.MULTILINE)
"""They call other operations."""
FEW = ("masked_fill", "take_into")
MANY = ("masked_fill", "masked_scatter", "masked_select", "take", "take_into")


@pytest.fixture(scope="module")
def few_operations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a suite of a few operations, with no listing."""
    folder = tmp_path_factory.mktemp("suite")
    suite = data_folder()
    (folder / "specs").mkdir(parents=True)
    (folder / "adapters").symlink_to(suite / "adapters")
    for name in ("documents.yaml", "programs.yaml"):
        shutil.copy(suite / "specs" / name, folder / "specs" / name)
    shutil.copytree(suite / "specs" / "documents", folder / "specs" / "documents")
    for name in MANY:
        text = (suite / "specs" / f"{name}.yaml").read_text()
        (folder / "specs" / f"{name}.yaml").write_text(_RELATIONS.sub("", text))
    return folder


@pytest.fixture
def specs(few_operations: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of its specs, as those of the suite."""
    shutil.copytree(few_operations, tmp_path / "data", symlinks=True)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    return specs_folder()


@cache
def _catalogue() -> Catalogue:
    """The specs of these operations, which no test changes but for a comment."""
    return load_specs()


def _read(only: Collection[str] | None) -> Catalogue:
    return _catalogue() if only is None else _catalogue().only(only)


@cache
def _cases(name: str, *sources: Source) -> Sequence[Case]:
    return build_cases(_catalogue().only([name]), load_reference(reference_adapter()), sources=sources)


@dataclass
class Watched:
    """Builds cases, and remembers of which operations."""

    home: Path
    built: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    helpers: int = 0

    def suite(self) -> SuiteCases:
        return SuiteCases(self.home, Building(_read, self._build, self._waiting, self.warnings.append, self.helpers))

    def _build(self, catalogue: Catalogue, sources: Sequence[Source]) -> Sequence[Case]:
        self.built += catalogue.operations
        return [case for name in catalogue.operations for case in _cases(name, *sources)]

    def _waiting(self, number: int) -> AbstractContextManager[Callable[[str], None]]:
        del number
        return nullcontext(self.done.append)


@pytest.fixture
def watched(specs: Path, tmp_path: Path) -> Watched:
    del specs
    return Watched(tmp_path / "home")


def _ids(cases: Sequence[Case]) -> list[str]:
    return [case.id for case in cases]


def test_only_the_operations_that_are_asked_for_are_built(watched: Watched) -> None:
    cases = watched.suite().of_operations(["take_into", "unknown"])
    assert {case.operation_name for case in cases} == {"take_into"}
    assert watched.built == watched.done == ["take_into"]


def test_what_is_stored_is_not_built_again(watched: Watched) -> None:
    first = watched.suite().of_operations(FEW)
    watched.built.clear()
    second = watched.suite().of_operations(FEW)
    assert watched.built == []
    assert [case_record(case) for case in second] == [case_record(case) for case in first]


def test_an_operation_is_built_again_if_its_specs_change_and_the_others_are_not(watched: Watched, specs: Path) -> None:
    watched.suite().of_operations(FEW)
    watched.built.clear()
    (specs / "masked_fill.yaml").write_text((specs / "masked_fill.yaml").read_text() + "# changed\n")
    watched.suite().of_operations(FEW)
    assert watched.built == ["masked_fill"]


@pytest.mark.parametrize("name", ["programs.yaml", "regressions/masked_fill.yaml", "reference.py"])
def test_every_operation_depends_on_what_all_share(specs: Path, name: str) -> None:
    before = Digests(specs, reference_adapter())
    (specs / name).parent.mkdir(exist_ok=True)
    with (specs / name).open("a") as file:
        file.write("# changed\n")
    after = Digests(specs, reference_adapter())
    assert all(before.of_listing(one) != after.of_listing(one) for one in FEW)
    assert all(before.of_cases(one) != after.of_cases(one) for one in FEW)


def test_another_reference_changes_the_digest(specs: Path, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(reference_adapter().read_text() + "# changed\n")
    before, after = Digests(specs, reference_adapter()), Digests(specs, tmp_path / "other.py")
    assert before.of_listing("masked_fill") != after.of_listing("masked_fill")


def test_a_damaged_file_is_built_again_and_replaced(watched: Watched, specs: Path) -> None:
    first = watched.suite().of_operations(FEW)
    file = cases_file(cases_folder(watched.home, specs), "masked_fill")
    file.write_bytes(file.read_bytes()[:-50])
    watched.built.clear()
    assert _ids(watched.suite().of_operations(FEW)) == _ids(first)
    assert watched.built == ["masked_fill"]
    watched.suite().of_operations(FEW)
    assert watched.built == ["masked_fill"]


def test_what_is_built_of_specs_that_change_meanwhile_is_not_stored_as_that_of_the_changed_ones(
    watched: Watched, specs: Path
) -> None:
    suite = watched.suite()
    (specs / "masked_fill.yaml").write_text((specs / "masked_fill.yaml").read_text() + "# changed\n")
    suite.of_operations(["masked_fill"])
    watched.built.clear()
    watched.suite().of_operations(["masked_fill"])
    assert watched.built == ["masked_fill"]


def test_the_written_calls_are_built_alone_and_are_those_of_all_cases(watched: Watched) -> None:
    suite = watched.suite()
    written = suite.written(FEW)
    assert watched.done == []
    assert 0 < len(written) < len(suite.of_operations(FEW))
    of_all = [case for case in suite.of_operations(FEW) if case.variation.kind in ("written", "found")]
    assert [case_record(case) for case in written] == [case_record(case) for case in of_all]


def test_a_folder_that_cannot_be_written_is_named_and_the_cases_are_there(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    assert watched.suite().of_operations(FEW)
    [warning] = watched.warnings
    assert "each command builds them again" in warning
    assert str(tmp_path / "home") in warning


def test_many_operations_are_built_by_several_processes_and_in_their_order(watched: Watched) -> None:
    """It takes as long as another process takes to start, import what it needs, and read the specs."""
    helped = replace(watched, helpers=1)
    cases = helped.suite().of_operations(MANY)
    assert sorted(helped.done) == [*MANY]
    assert {*helped.built} < {*MANY}, "none was left to the other process"
    alone = replace(watched, home=watched.home / "alone", built=[], done=[])
    assert [case_record(case) for case in cases] == [case_record(case) for case in alone.suite().of_operations(MANY)]
    assert alone.built == sorted(MANY, key=alone.built.index)


def test_what_another_process_cannot_build_is_built_here(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.cases.store.building._PROGRAM", "raise SystemExit")
    helped = replace(watched, helpers=1)
    assert {case.operation_name for case in helped.suite().of_operations(MANY)} == {*MANY}
    assert sorted(helped.built) == [*MANY]


def test_a_helping_process_stores_nothing_of_files_that_have_changed_since(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("conformance.cases.store.building.signal.signal", lambda *_: None)
    monkeypatch.setattr("conformance.cases.store.building.load_specs", _catalogue)
    right = Digests(specs, reference_adapter()).of_cases("take_into").hex()
    for digest, stored in (("00", ""), (right, "take_into\n")):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"take_into {digest}\n"))
        help_building(str(tmp_path / "stored"))
        assert capsys.readouterr().out == stored
        assert cases_file(tmp_path / "stored", "take_into").exists() == bool(stored)


def test_what_earlier_versions_stored_goes(watched: Watched) -> None:
    watched.home.joinpath("cases").mkdir(parents=True)
    earlier = watched.home / "cases" / "0123.pickle"
    earlier.write_bytes(b"of another version")
    watched.suite().of_operations(["take_into"])
    assert not earlier.exists()


def _listed(specs: Path, names: Collection[str]) -> None:
    """A listing of these operations beside the specs."""
    catalogue = _catalogue()
    cases = [case for name in names for case in _cases(name, *SOURCES)]
    digests = Digests(specs, reference_adapter())
    write_listing(specs / FILE_NAME, listing_of(catalogue.only(names), cases), digests.of_listing)


def test_what_is_asked_of_all_cases_is_known_without_building_them(watched: Watched, specs: Path) -> None:
    _listed(specs, MANY)
    suite = watched.suite()
    assert [*suite.listing] == [*MANY]
    facts = suite.facts
    assert watched.built == []
    assert facts == [case.facts for case in suite.cases]


def test_operations_that_have_changed_since_they_were_listed_are_built_once(watched: Watched, specs: Path) -> None:
    _listed(specs, MANY)
    (specs / "masked_fill.yaml").write_text((specs / "masked_fill.yaml").read_text() + "# changed\n")
    assert [*watched.suite().listing] == [*MANY]
    assert watched.built == ["masked_fill"]
    watched.suite().listing  # noqa: B018 - it is read, and not built
    assert watched.built == ["masked_fill"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"facts": []}', '{"facts": [], "operations": {"take": {}}}'])
def test_a_damaged_listing_is_as_if_it_were_not_there(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    assert read_listing(tmp_path / FILE_NAME, lambda _: "") == {}
    assert read_listing(tmp_path / "missing", lambda _: "") == {}


def test_of_a_stored_listing_that_is_damaged_anywhere_nothing_is_used(tmp_path: Path) -> None:
    listing = listing_of(_catalogue().only(["masked_fill"]), _cases("masked_fill", *SOURCES))
    write_stored(tmp_path, listing, lambda _: "")
    assert read_stored(tmp_path, lambda _: "") == listing
    assert read_stored(tmp_path, lambda _: "another") == {}
    file = tmp_path / STORED
    whole = file.read_bytes()
    for place in range(0, len(whole), len(whole) // 50):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_stored(tmp_path, lambda _: "") == {}
        file.write_bytes(whole[:place])
        assert read_stored(tmp_path, lambda _: "") == {}


@pytest.mark.parametrize("name", suite_operations())
def test_the_listing_of_the_suite_is_that_of_its_cases(name: str) -> None:
    """It takes as long as the cases of an operation take to build, if no other test has built them."""
    listed = read_listing(specs_folder() / FILE_NAME, Digests(specs_folder(), reference_adapter()).of_listing)
    assert name in listed, "the specs or the code have changed since it was made: conformance check --update-listing"
    catalogue = load_specs()
    cases = build_cases(catalogue.only([name]), load_reference(reference_adapter()))
    assert listed[name].cases == [case.facts for case in cases]
    assert [one.id for one in listed[name].clauses] == [one.id for one in catalogue.operations[name].clauses]

"""Specs and cases are stored and read again as they were, unless anything that they depend on has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.app import loading
from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.stored import StoredCases, digest_of, read_cases, stored_file, write_cases
from conformance.data_folders import adapters_folder
from conformance.results.describe import case_record, clause_record
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Catalogue, Transform
from tests.cli.command import conformance
from tests.execution.harness import FAKES

REFERENCE = adapters_folder() / "reference" / "adapter.py"


@pytest.fixture(scope="module")
def original() -> StoredCases:
    catalogue = load_specs(FAKES / "specs")
    return StoredCases.of_built(catalogue, build_cases(catalogue, load_reference(REFERENCE)))


@pytest.fixture
def file(tmp_path: Path, original: StoredCases) -> Path:
    path = stored_file(tmp_path, FAKES / "specs")
    write_cases(path, b"digest", original)
    return path


@pytest.fixture
def stored(file: Path) -> StoredCases:
    read = read_cases(file, b"digest")
    assert read is not None
    return read


def test_the_cases_and_their_clauses_are_the_same(original: StoredCases, stored: StoredCases) -> None:
    assert [case_record(case) for case in stored.cases] == [case_record(case) for case in original.cases]
    assert [clause_record(case.clause) for case in stored.cases] == [
        clause_record(case.clause) for case in original.cases
    ]
    assert stored.catalogue.digest == original.catalogue.digest


def test_the_expressions_of_a_stored_spec_are_evaluated(stored: StoredCases) -> None:
    shapes = [
        (case.call.result_shape, case.expectation.value.shape)
        for case in stored.cases
        if isinstance(case.expectation, Returning) and not isinstance(case.call.manner, Transform)
    ]
    assert shapes
    assert all(computed == expected for computed, expected in shapes)


def test_the_cases_refer_to_the_operations_of_their_specs(stored: StoredCases) -> None:
    operations = stored.catalogue.operations
    assert all(case.operation is operations[case.operation.name] for case in stored.cases)
    [*found] = stored.source()(operations["gather_elements"], load_reference(REFERENCE))
    assert found == [case for case in stored.cases if case.operation.name == "gather_elements"] != []


def test_the_elements_of_a_stored_case_cannot_be_changed(stored: StoredCases) -> None:
    tensors = [value for case in stored.cases for value in case.call.arguments.values() if isinstance(value, Tensor)]
    tensors += [case.expectation.value for case in stored.cases if isinstance(case.expectation, Returning)]
    assert tensors
    assert not any(tensor.array.flags.writeable for tensor in tensors)


def test_what_was_stored_with_another_digest_or_is_damaged_is_not_used(file: Path, tmp_path: Path) -> None:
    assert read_cases(file, b"other.") is None
    file.write_bytes(file.read_bytes()[:-100])
    assert read_cases(file, b"digest") is None
    assert read_cases(tmp_path / "none.pickle", b"digest") is None


def test_damaged_cases_of_an_operation_are_an_error_that_names_the_file(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    read = read_cases(file, b"digest")
    assert read is not None
    with pytest.raises(OSError, match="delete the file") as error:
        read.of_operation([*read.catalogue.operations][-1])
    assert error.value.filename == str(file)


def test_the_cases_of_one_operation_are_read_without_the_others(stored: StoredCases) -> None:
    names = [*stored.catalogue.operations]
    assert {case.operation.name for case in stored.of_operations([names[-1], "unknown"])} == {names[-1]}
    assert [*stored._built] == [names[-1]]
    assert [fact.id for fact in stored.facts] == [case.id for case in stored.cases]


@pytest.mark.parametrize("name", ["documents.yaml", "scatter_nd.yaml", "regressions/scatter_nd.yaml", "reference.py"])
def test_any_change_of_the_specs_changes_the_digest(tmp_path: Path, name: str) -> None:
    before = digest_of(tmp_path, REFERENCE)
    assert digest_of(tmp_path, REFERENCE) == before
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("a: 1\n", encoding="utf-8")
    assert digest_of(tmp_path, REFERENCE) != before


def test_another_reference_changes_the_digest(tmp_path: Path) -> None:
    other = tmp_path / "adapter.py"
    shutil.copy(REFERENCE, other)
    before = digest_of(FAKES / "specs", other)
    other.write_text(other.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert digest_of(FAKES / "specs", other) != before


def test_the_cases_of_the_suite_are_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))
    first = loading.stored_cases()
    monkeypatch.setattr(loading, "build_cases", None)
    monkeypatch.setattr(loading, "load_specs", None)
    second = loading.stored_cases()
    assert [case.id for case in second.cases] == [case.id for case in first.cases]
    assert len(second.cases) > 1000


@pytest.mark.parametrize("command", [("show", "gather_elements.example"), ("trace", "torch.gather")])
def test_commands_that_look_at_specs_use_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    shown = conformance(*command, cwd=tmp_path)
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))
    loading.stored_cases()
    monkeypatch.setattr(loading, "build_cases", None)
    monkeypatch.setattr(loading, "load_specs", None)
    assert conformance(*command, cwd=tmp_path) == shown
    assert shown.status == 0


def test_what_is_built_of_specs_that_change_meanwhile_is_not_stored_as_that_of_the_changed_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = tmp_path / "specs"
    shutil.copytree(FAKES / "specs", specs)
    monkeypatch.setattr(loading, "specs_folder", lambda: specs)
    monkeypatch.setattr(loading, "home_folder", lambda: tmp_path)
    monkeypatch.setattr(loading, "catalogue", lambda _: load_specs(specs))
    document = specs / "documents.yaml"

    def changing(catalogue: Catalogue) -> list[Case]:
        document.write_text(document.read_text().replace("An index outside is an error.", "It raises.", 1))
        return build_cases(catalogue, load_reference(REFERENCE))

    monkeypatch.setattr(loading, "all_cases", changing)
    before = loading.stored_cases()
    monkeypatch.setattr(loading, "all_cases", lambda catalogue: build_cases(catalogue, load_reference(REFERENCE)))
    after = loading.stored_cases()
    said = [stored.catalogue.documents["fake.gather"].claims["example.3"].says for stored in (before, after)]
    assert said == ["An index outside is an error.", "It raises."]

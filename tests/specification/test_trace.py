"""From claims to cases: every claim has a case or a reason, every clause a claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.specification.loader import load_specs
from conformance.specification.problems import SpecError
from conformance.specification.trace import trace, trace_problems
from tests.specification.small import DOCUMENTS, SPEC, changed, write_specs

RANK = "      rank: Index has as many axes as input.\n"
NEW = "      shape: The result has the shape of index.\n"


def _problems(folder: Path) -> list[str]:
    catalogue = load_specs(folder)
    return [str(problem) for problem in trace_problems(catalogue, trace(catalogue))]


def test_every_claim_of_the_suites_documents_has_a_case_or_a_reason() -> None:
    catalogue = load_specs()
    assert trace_problems(catalogue, trace(catalogue)) == []


def test_a_claim_is_traced_to_each_clause_that_cites_it_and_to_the_number_of_their_cases(tmp_path: Path) -> None:
    [traced] = trace(load_specs(write_specs(tmp_path)))
    found = {one.claim.locator: ([clause.id for clause in one.clauses], one.cases) for one in traced.claims}
    assert found == {
        "example.1": (["gather_elements.example.backwards", "gather_elements.rule.rank"], 3),
        "example.2": (["gather_elements.example.outside"], 1),
        "rank": (["gather_elements.rule.rank"], 2),
        "figure": ([], 0),
    }


def test_a_clause_that_cites_two_claims_of_a_document_is_counted_once_for_it(tmp_path: Path) -> None:
    [traced] = trace(load_specs(write_specs(tmp_path)))
    assert [clause.id.partition(".")[2] for clause in traced.clauses] == [
        "example.backwards",
        "rule.rank",
        "example.outside",
    ]


def test_a_claim_that_no_clause_cites_is_told_with_its_line(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, RANK, RANK + NEW)
    [problem] = _problems(write_specs(tmp_path, documents=documents))
    line = documents.splitlines(keepends=True).index(NEW) + 1
    assert f"documents.yaml:{line}: json.page#shape: no case tests it" in problem


def test_a_reason_excuses_a_claim_from_having_a_case(tmp_path: Path) -> None:
    assert "untestable" in DOCUMENTS
    assert _problems(write_specs(tmp_path)) == []


def test_without_its_reason_a_claim_needs_a_case(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, ", untestable: It was lost.", "")
    [problem] = _problems(write_specs(tmp_path, documents=documents))
    assert "json.page#figure: no case tests it; cite it in a clause, test it by a program, or explain" in problem


def test_a_claim_with_a_program_needs_no_case(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, "untestable: It was lost.", "program: assert json")
    assert _problems(write_specs(tmp_path, documents=documents)) == []


def test_a_claim_that_is_called_untestable_has_no_program(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, "It was lost.", "It was lost., program: assert json")
    [problem] = _problems(write_specs(tmp_path, documents=documents))
    assert "json.page#figure: is untestable but has a program; remove one of the two" in problem


def test_a_claim_that_is_called_untestable_and_is_tested_all_the_same_is_told_with_the_clause(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, RANK, "      rank: {says: Ranks agree., untestable: I am told.}\n")
    [problem] = _problems(write_specs(tmp_path, documents=documents))
    assert "json.page#rank: is untestable but cited by gather_elements.rule.rank" in problem


def test_a_clause_that_cites_nothing_is_told(tmp_path: Path) -> None:
    catalogue = load_specs(write_specs(tmp_path))
    [operation] = catalogue.operations.values()
    silent = replace(operation.clauses[0], citations=())
    with_silent = replace(operation, clauses=(silent, *operation.clauses[1:]))
    catalogue = replace(catalogue, operations={operation.name: with_silent})
    [problem] = trace_problems(catalogue, trace(catalogue))
    assert "gather_elements.example.backwards: cites no claim" in str(problem)


def test_a_list_of_citations_cannot_be_empty(tmp_path: Path) -> None:
    for nothing in ("cite: {}", "cite: []", "cite: {json.page: []}"):
        spec = changed(SPEC, "cite: {json.page: [example.2]}", nothing)
        with pytest.raises(SpecError, match=r"examples\.outside\.cite"):
            load_specs(write_specs(tmp_path, spec=spec))


def test_a_citation_that_leads_nowhere_is_told_with_the_nearest_claim(tmp_path: Path) -> None:
    spec = changed(SPEC, "[rank, example.1]", "[rnak, example.1]")
    with pytest.raises(SpecError, match="no claim 'rnak'; did you mean 'rank'"):
        load_specs(write_specs(tmp_path, spec=spec))


def test_of_one_spec_file_only_the_claims_that_it_cites_are_asked_for(tmp_path: Path) -> None:
    write_specs(tmp_path, documents=changed(DOCUMENTS, RANK, RANK + NEW))
    catalogue = load_specs(tmp_path / "gather_elements.yaml")
    [traced] = trace(catalogue)
    assert [one.claim.locator for one in traced.claims] == ["example.1", "example.2", "rank"]
    assert trace_problems(catalogue, [traced]) == []


def test_a_version_of_a_claim_that_is_none_is_told(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, "untestable: It was lost.", "versions: old")
    with pytest.raises(SpecError, match="not a version range: 'old'"):
        load_specs(write_specs(tmp_path, documents=documents))

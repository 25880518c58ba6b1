"""trace: which cases test the claims of the documents, and the documents' errata."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import conformance
from tests.specification.small import DOCUMENTS, SPEC, changed, write_specs

ERRATA = """\
    errata:
      odd-shape:
        place: the formula
        printed: The result has the shape of input.
        adopted: The result has the shape of index.
        proof:
          false-on-example:
            example: gather_elements.example.backwards
            printed: "result.shape == input.shape"
            adopted: "result.shape == index.shape"
"""
BY_DEVICE = """
behaviours:
  outside:
    states: An index outside is an error on a CPU; on a GPU it gives a zero.
    cite: {json.page: [example.2]}
    cases:
      at-the-size:
        call: {input: {int32: [1, 2, 3]}, dim: 0, index: {int64: [3, 0]}}
        on: {cpu: {raises: true}, gpu: {returns: [0, 1]}}
        fix: {index: {int64: [2, 0]}}
"""


def test_every_claim_of_the_suites_documents_is_traced(tmp_path: Path) -> None:
    done = conformance("trace", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert "NO CASE" not in done.out
    for document in (
        "tf.tensor_scatter_nd_update",
        "torch.gather",
        "torch.Tensor.scatter_",
        "mindspore.ops.scatter_nd",
    ):
        assert f"\n{document}\n" in f"\n{done.out}"


def test_the_suites_documents_read_well_at_100_columns(tmp_path: Path) -> None:
    lines = conformance("trace", cwd=tmp_path).out.splitlines()
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)


def test_a_document_is_shown_with_claims_clauses_cases_reasons_and_errata(tmp_path: Path) -> None:
    write_specs(tmp_path, documents=DOCUMENTS + ERRATA, spec=SPEC + BY_DEVICE)
    done = conformance("trace", "--specs", tmp_path, cwd=tmp_path)
    assert done.status == 0
    assert done.out.splitlines() == [
        "json.page",
        "  A page about a gather that does not exist; official",
        "  4 claims: 3 tested by 4 clauses with 6 cases, 1 not testable",
        "",
        "  example.1  A row is read backwards.",
        "             gather_elements.example.backwards: 1 case",
        "             gather_elements.rule.rank: 2 cases",
        "",
        "  example.2  An index outside is an error.",
        "             gather_elements.example.outside: 1 case",
        "             gather_elements.behaviour.outside: 2 cases (1 on cpu only, 1 on gpu only)",
        "",
        "  rank       Index has as many axes as input.",
        "             gather_elements.rule.rank: 2 cases",
        "",
        "  figure     A picture shows it.",
        "             not testable: It was lost.",
        "",
        "  errata of json.page",
        "",
        "  odd-shape (the formula)",
        "    printed  The result has the shape of input.",
        "    adopted  The result has the shape of index.",
        '    proof    on gather_elements.example.backwards, "result.shape == input.shape" is false and',
        '             "result.shape == index.shape" is true',
    ]


def test_long_claims_are_folded_under_themselves(tmp_path: Path) -> None:
    write_specs(tmp_path, documents=changed(DOCUMENTS, "A picture shows it.", " ".join(["word"] * 20)))
    out = conformance("trace", "--specs", tmp_path, cwd=tmp_path, COLUMNS="60").out
    assert "  figure     " + " ".join(["word"] * 9) + "\n             word word" in out


def test_only_the_documents_that_are_named_are_shown(tmp_path: Path) -> None:
    done = conformance("trace", "torch.gather", cwd=tmp_path)
    assert done.status == 0
    assert done.out.startswith("torch.gather\n")
    assert "tf.raw_ops.ScatterNd" not in done.out


def test_an_undefined_document_is_an_error_with_the_nearest_name(tmp_path: Path) -> None:
    done = conformance("trace", "torch.gahter", cwd=tmp_path)
    assert done.status == 4
    assert "undefined document 'torch.gahter'; did you mean 'torch.gather'?" in done.err


def test_every_claim_without_a_case_is_named_and_the_status_is_4(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, "      rank:", "      shape: A shape.\n      dtype: A dtype.\n      rank:")
    write_specs(tmp_path, documents=documents)
    done = conformance("trace", "--specs", tmp_path, cwd=tmp_path)
    assert done.status == 4
    assert done.out.count("NO CASE tests it") == 2
    assert done.err.startswith("conformance: 2 problems found\ndocuments.yaml:10: json.page#shape: no case tests it")
    assert "documents.yaml:11: json.page#dtype: no case tests it" in done.err


def test_an_undefined_citation_is_reported_with_its_location(tmp_path: Path) -> None:
    write_specs(tmp_path, spec=changed(SPEC, "[rank, example.1]", "[rnak, example.1]"))
    done = conformance("trace", "--specs", tmp_path, cwd=tmp_path)
    assert done.status == 4
    assert (
        "gather_elements.yaml:20: rules.rank.cite.json.page.0: json.page has no claim 'rnak'; did you mean 'rank'?"
        in done.err
    )


def test_programs_read_documents_claims_clauses_cases_and_errata(tmp_path: Path) -> None:
    write_specs(tmp_path, documents=DOCUMENTS + ERRATA, spec=SPEC + BY_DEVICE)
    [document] = json.loads(conformance("trace", "--json", "--specs", tmp_path, cwd=tmp_path).out)["documents"]
    assert (document["id"], document["official"]) == ("json.page", True)
    claims = {claim["locator"]: claim for claim in document["claims"]}
    assert claims["figure"] == {
        "locator": "figure",
        "says": "A picture shows it.",
        "versions": None,
        "untestable": "It was lost.",
        "broken": None,
        "transform": None,
        "program": None,
        "clauses": [],
        "cases": 0,
    }
    assert claims["example.2"]["cases"] == 3
    assert claims["example.2"]["clauses"] == [
        {"id": "gather_elements.example.outside", "cases": 1, "on": {}},
        {"id": "gather_elements.behaviour.outside", "cases": 2, "on": {"cpu": 1, "gpu": 1}},
    ]
    [erratum] = document["errata"]
    assert erratum["proof"] == {
        "kind": "false-on-example",
        "example": "gather_elements.example.backwards",
        "printed": "result.shape == input.shape",
        "adopted": "result.shape == index.shape",
    }


@pytest.mark.parametrize("command", ["check", "trace"])
def test_an_unproven_erratum_is_reported_by_check_only(tmp_path: Path, command: str) -> None:
    write_specs(tmp_path, documents=DOCUMENTS + changed(ERRATA, "result.shape == input.shape", "result.rank == 1"))
    done = (
        conformance("check", tmp_path, cwd=tmp_path)
        if command == "check"
        else conformance("trace", "--specs", tmp_path, cwd=tmp_path)
    )
    assert done.status == (4 if command == "check" else 0)
    assert ("json.page, erratum odd-shape: proves nothing" in done.err) == (command == "check")

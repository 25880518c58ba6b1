"""Errata are proven by execution, and a wrong one is found out, whatever its kind of proof."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from conformance.cli.check_frameworks import check_in_frameworks, run_checks
from conformance.specification.check import check
from conformance.specification.errata import Erratum, Proof
from conformance.specification.file_format import (
    ClaimPart,
    FalseOnExamplePart,
    ImpossibleTypePart,
)
from conformance.specification.in_framework import framework_checks
from conformance.specification.loader import load_specs
from conformance.specification.model import Document
from conformance.specification.problems import SpecError
from conformance.specification.proofs import check_errata
from tests.specification.small import DOCUMENTS, changed, write_specs

EXAMPLE = "example: gather_elements.example.backwards"
PROOFS = {
    "false-on-example": (
        f'{{{EXAMPLE}, printed: "result.shape == input.shape", adopted: "result[0] == input[index[0]]"}}'
    ),
    "impossible-type": f"{{{EXAMPLE}, value: input.shape, printed: number, adopted: shape}}",
    "call-refused": "{call: json.loads(5), error: TypeError, instead: \"json.loads('5')\"}",
    "false-when-run": "{printed: \"json.loads('5') == 6\", adopted: \"json.loads('5') == 5\"}",
    "observation": "{reason: A word is missing.}",
}


def _documents(kind: str, proof: str | None = None, *, printed: str = "One thing.") -> str:
    erratum = f"      odd: {{place: below, printed: {printed}, adopted: Another., proof: {{{kind}: {proof or PROOFS[kind]}}}}}\n"
    return f"{DOCUMENTS}    errata:\n{erratum}"


def _found(folder: Path, documents: str, *rests: str) -> list[str]:
    """What loading and checking tell of the errata."""
    try:
        return [str(problem) for problem in check(load_specs(write_specs(folder, documents=documents, rests=rests)))]
    except SpecError as error:
        return [str(problem) for problem in error.problems]


def _shipped() -> Iterator[tuple[Document, Erratum]]:
    for document in load_specs().documents.values():
        for erratum in document.errata.values():
            yield document, erratum


def test_the_suites_errata_are_proven_as_far_as_that_needs_no_framework() -> None:
    assert check_errata(load_specs()) == []


def test_captured_pages_have_errata_and_each_kind_of_proof_is_used() -> None:
    errata = list(_shipped())
    captured = {"tf.tensor_scatter_nd_update", "torch.gather", "torch.Tensor.scatter_", "tf.raw_ops.ScatterNd"}
    assert {*captured, "mindspore.ops.scatter_nd"} <= {document.id for document, _ in errata}
    assert {erratum.kind for _, erratum in errata} == set(PROOFS)
    assert len(errata) > 12


def _other_way_round(proof: Proof) -> Proof | None:
    """The proof that the printed reading is right and the one adopted is wrong."""
    if isinstance(proof, FalseOnExamplePart | ImpossibleTypePart):
        return proof.model_copy(update={"printed": proof.adopted, "adopted": proof.printed})
    return None


@pytest.mark.parametrize(
    ("name", "slug"),
    [(document.id, erratum.slug) for document, erratum in _shipped() if _other_way_round(erratum.proof) is not None],
)
def test_no_erratum_of_the_suite_holds_the_other_way_round(name: str, slug: str) -> None:
    catalogue = load_specs()
    document = catalogue.documents[name]
    swapped = _other_way_round(document.errata[slug].proof)
    assert swapped is not None
    wrong = replace(document.errata[slug], proof=swapped)
    documents: Mapping[str, Document] = {
        **catalogue.documents,
        name: replace(document, errata={**document.errata, slug: wrong}),
    }
    problems = check_errata(replace(catalogue, documents=documents))
    assert problems
    assert all(f"{name}, erratum {slug}: " in problem.message for problem in problems)


@pytest.mark.parametrize("kind", PROOFS)
def test_an_erratum_that_is_proven_has_no_problem(tmp_path: Path, kind: str) -> None:
    assert _found(tmp_path, _documents(kind)) == []


@pytest.mark.parametrize(
    ("kind", "found", "replacement", "said"),
    [
        ("false-on-example", "result.shape == input.shape", "result.rank == 1", "proves nothing: the printed rule"),
        ("false-on-example", "input[index[0]]", "input[index[1]]", "the adopted rule"),
        ("false-on-example", "input.shape", "inptu.shape", "undefined name 'inptu'; did you mean 'input'?"),
        ("false-on-example", "result.shape ==", "result.shape[7] ==", "cannot be evaluated on the example: IndexError"),
        ("false-on-example", ".backwards", ".backward", "is not an example of this document; did you mean"),
        ("false-on-example", "example.backwards", "rule.rank", "is not an example of this document"),
        ("false-on-example", "example.backwards", "example.outside", "undefined name 'result'"),
        ("impossible-type", "value: input.shape", "value: dim", "proves nothing: 'dim' is a number"),
        ("impossible-type", "adopted: shape", "adopted: tensor", "the adopted type of 'input.shape' is tensor"),
        ("impossible-type", "printed: number", "printed: matrix", "expected 'number', 'shape', 'tensor' or 'word'; found 'matrix'"),
        ("call-refused", "json.loads(5)", '"json.loads(5"', "the printed call, 'json.loads(5', is not a Python expression"),
        ("call-refused", "TypeError", "SyntaxError", "the printed call, 'json.loads(5)', is a Python expression"),
        ("call-refused", "json.loads('5')", "json.loads('5'", "the adopted call, \"json.loads('5'\", is not a Python"),
        ("false-when-run", "== 6", "== ", "\"json.loads('5') == \" is not a Python expression"),
    ],
)  # fmt: skip
def test_an_erratum_that_is_wrong_is_told_with_its_place(
    tmp_path: Path, kind: str, found: str, replacement: str, said: str
) -> None:
    documents = _documents(kind, changed(PROOFS[kind], found, replacement))
    problems = _found(tmp_path, documents)
    line = len(documents.splitlines())
    assert any(said in problem and f"documents.yaml:{line}: " in problem for problem in problems), problems


def test_a_syntax_error_is_proven_without_a_framework(tmp_path: Path) -> None:
    proof = changed(changed(PROOFS["call-refused"], "json.loads(5)", '"json.loads(5"'), "TypeError", "SyntaxError")
    assert _found(tmp_path, _documents("call-refused", proof)) == []


def test_an_erratum_that_adopts_what_is_printed_is_none(tmp_path: Path) -> None:
    [problem] = _found(tmp_path, _documents("observation", printed="Another."))
    assert "json.page, erratum odd: printed and adopted reading are the same" in problem


def _naming_functions(error: str) -> str:
    documents = _documents("call-refused", changed(PROOFS["call-refused"], "TypeError", error))
    documents = changed(documents, "One thing.", "It does what json.load does.")
    return changed(documents, "adopted: Another.", "adopted: It does what json.loads does.")


def test_a_refused_call_makes_no_erratum_of_the_function_that_a_sentence_names(tmp_path: Path) -> None:
    [problem] = _found(tmp_path, _naming_functions("TypeError"))
    assert "json.page, erratum odd: it reads json.loads in place of json.load; that an API refuses" in problem
    assert _found(tmp_path, _naming_functions("AttributeError")) == []  # there is no such function


def test_a_refused_call_makes_no_erratum_of_a_sentence_by_which_a_claim_refers_on(tmp_path: Path) -> None:
    rank = "rank: {says: Index has as many axes as input., refers: json.take}"
    documents = changed(_documents("call-refused"), "rank: Index has as many axes as input.", rank)
    erratum = "json.page errata odd json.gather qrwuwxov"
    other = _found(tmp_path, documents, erratum, "json.page claims rank json.gather ukllrwuz")
    same = _found(tmp_path, documents, erratum, "json.page claims rank json.gather qrwuwxov")
    assert not any("refers on" in problem for problem in other)
    assert any("the claim rank refers on by the same sentence" in problem for problem in same)


@pytest.mark.parametrize(
    ("proofs", "said"),
    [
        ("", "found none"),
        ("observation: {reason: A word.}, impossible-type: {value: dim, printed: word, adopted: number, " + EXAMPLE + "}",
         "found impossible-type and observation"),
    ],
)  # fmt: skip
def test_an_erratum_has_exactly_one_proof(tmp_path: Path, proofs: str, said: str) -> None:
    documents = changed(_documents("observation"), f"observation: {PROOFS['observation']}", proofs)
    [problem] = _found(tmp_path, documents)
    assert f"expected exactly one of the proofs {', '.join(PROOFS)}; {said}" in problem


def test_an_unknown_kind_of_proof_is_told_with_the_nearest(tmp_path: Path) -> None:
    documents = changed(_documents("observation"), "observation:", "observatoin:")
    [problem] = _found(tmp_path, documents)
    assert "unknown key 'observatoin'" in problem
    assert "did you mean 'observation'?" in problem


def test_what_is_said_of_one_document_proves_nothing_of_another(tmp_path: Path) -> None:
    other = changed(_documents("false-on-example"), "documents:\n  json.page:", "  other.page:")
    [problem] = _found(tmp_path, DOCUMENTS + other)
    assert "other.page, erratum odd: 'gather_elements.example.backwards' is not an example of this document" in problem


def test_of_one_spec_file_no_erratum_is_asked_for(tmp_path: Path) -> None:
    proof = changed(PROOFS["false-on-example"], "example.backwards", "example.elsewhere")
    write_specs(tmp_path, documents=_documents("false-on-example", proof))
    assert check(load_specs(tmp_path / "gather_elements.yaml")) == []
    assert len(check(load_specs(tmp_path))) == 1


@pytest.mark.parametrize(
    ("kind", "found", "replacement", "failings"),
    [
        ("call-refused", "json", "json", []),
        ("call-refused", "json.loads(5)", "json.loads('7')",
         ["proves nothing: the printed call, \"json.loads('7')\", is accepted"]),
        ("call-refused", "TypeError", "ValueError",
         ["the printed call, 'json.loads(5)', is rejected with TypeError, not ValueError"]),
        ("call-refused", "json.loads('5')", "json.loads('no')",
         ["the adopted call, \"json.loads('no')\", is rejected too, with JSONDecodeError"]),
        # Of a derived type is of the type.
        ("call-refused", "json.loads(5), error: TypeError", "json.loads('no'), error: ValueError", []),
        ("false-when-run", "json", "json", []),
        ("false-when-run", "== 6", "== 5", ["the printed reading, \"json.loads('5') == 5\", is True when run"]),
        ("false-when-run", "== 5", "== 7", ["the adopted reading, \"json.loads('5') == 7\", is False when run"]),
        ("false-when-run", "json.loads('5') == 6", "json.loads(5)",
         ["the printed reading, 'json.loads(5)', raises TypeError: "]),
    ],
)  # fmt: skip
def test_a_proof_is_executed_where_the_framework_is(
    tmp_path: Path, kind: str, found: str, replacement: str, failings: list[str]
) -> None:
    documents = _documents(kind, changed(PROOFS[kind], found, replacement))
    problems = _executed(write_specs(tmp_path, documents=documents))
    assert len(problems) == len(failings)
    for problem, failing in zip(problems, failings, strict=True):
        assert f"documents.yaml:{len(documents.splitlines())}: json.page, erratum odd: {failing}" in problem


def test_a_program_of_a_claim_that_holds_has_no_problem(tmp_path: Path) -> None:
    assert _executed(_with_program(tmp_path, "assert json.loads('5') == 5")) == []


def test_the_line_of_a_program_that_fails_is_reported(tmp_path: Path) -> None:
    program = "def loaded():\n    assert json.loads('5') == 6\nloaded()"
    [problem] = _executed(_with_program(tmp_path, program))
    assert "json.page#figure: \"assert json.loads('5') == 6\" raises AssertionError" in problem


@pytest.mark.parametrize(
    ("program", "failing"),
    [
        ("assert json.loads('five') == 5", None),
        ("assert json.loads('5') == 5", "the program holds: the framework does not break the claim any more"),
        ("assert json.loads('5') == 6", "raises AssertionError"),
    ],
)
def test_a_claim_that_the_framework_breaks_has_a_program_that_raises_the_named_error(
    tmp_path: Path, program: str, failing: str | None
) -> None:
    problems = _executed(_with_program(tmp_path, program, broken="ValueError"))
    assert len(problems) == (failing is not None)
    assert failing is None or failing in problems[0]


def test_a_broken_claim_without_a_program_is_an_error() -> None:
    with pytest.raises(ValidationError, match="broken needs program"):
        ClaimPart(says="It is taken.", broken="ValueError")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("json.loads('5')", "program asserts nothing, so it cannot fail"),
        ("assert (", "program is not Python"),
        ("def same(text):\n    return text\nassert same(json)", "program gives same another meaning"),
        ("refuses = []\nassert json", "program gives refuses another meaning"),
        ("def f(same):\n    assert same", "program gives same another meaning"),
    ],
)
def test_a_program_that_cannot_fail_is_an_error(tmp_path: Path, program: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        load_specs(_with_program(tmp_path, program))


def test_a_process_that_ends_early_proves_nothing(tmp_path: Path) -> None:
    [problem] = _executed(_with_program(tmp_path, "import os\nos._exit(0)\nassert json"))
    assert "json.page#figure: cannot be executed: incomplete output" in problem


def _with_program(folder: Path, program: str, broken: str | None = None) -> Path:
    claim = f"{{says: A picture shows it., program: {json.dumps(program)}, broken: {json.dumps(broken)}}}"
    documents = changed(DOCUMENTS, "{says: A picture shows it., untestable: It was lost.}", claim)
    return write_specs(folder, documents=documents)


def _executed(folder: Path) -> list[str]:
    return [str(problem) for problem in run_checks(sys.executable, framework_checks(load_specs(folder)), {})]


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", sorted({check.document.framework for check in framework_checks(load_specs())}))
def test_what_documents_get_wrong_and_claim_is_so_in_the_framework(framework: str) -> None:
    executed = {part.framework: part for part in check_in_frameworks(load_specs(), print, [framework])}
    assert executed[framework].count > 0
    assert executed[framework].problems == []

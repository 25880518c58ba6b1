"""Errata are proven by execution, and a wrong one is found out, whatever its kind of proof."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.data_folders import adapters_folder
from conformance.specification.check import check
from conformance.specification.errata import Erratum, Proof
from conformance.specification.file_format import (
    CallRefusedPart,
    EditionsDifferPart,
    FalseOnExamplePart,
    ImpossibleTypePart,
)
from conformance.specification.loader import load_specs
from conformance.specification.model import Document
from conformance.specification.problems import SpecError
from conformance.specification.proofs import check_errata
from conformance.specification.refusals import refusal_failings, refusal_program
from conformance.targets.definition import find_definitions
from conformance.targets.environment import ensure
from conformance.targets.resolve import resolve
from tests.specification.small import DOCUMENTS, changed, write_specs

EXAMPLE = "example: gather_elements.example.backwards"
PROOFS = {
    "false-on-example": (
        f'{{{EXAMPLE}, printed: "result.shape == input.shape", adopted: "result[0] == input[index[0]]"}}'
    ),
    "editions-differ": (
        f'{{{EXAMPLE}, adopted: new, readings: {{old: "index.rank == 2", new: "index.rank == input.rank"}}}}'
    ),
    "sentences-conflict": "{with: rank}",
    "impossible-type": f"{{{EXAMPLE}, value: input.shape, printed: number, adopted: shape}}",
    "call-refused": "{call: json.loads(5), error: TypeError, instead: \"json.loads('5')\"}",
}


def _documents(kind: str, proof: str | None = None, *, printed: str = "One thing.") -> str:
    erratum = f"      odd: {{place: below, printed: {printed}, adopted: Another., proof: {{{kind}: {proof or PROOFS[kind]}}}}}\n"
    return f"{DOCUMENTS}    errata:\n{erratum}"


def _found(folder: Path, documents: str) -> list[str]:
    """What loading and checking tell of the errata."""
    try:
        return [str(problem) for problem in check(load_specs(write_specs(folder, documents=documents)))]
    except SpecError as error:
        return [str(problem) for problem in error.problems]


def _shipped() -> Iterator[tuple[Document, Erratum]]:
    for document in load_specs().documents.values():
        for erratum in document.errata.values():
            yield document, erratum


def test_the_suites_errata_are_proven_as_far_as_that_needs_no_framework() -> None:
    assert check_errata(load_specs()) == []


def test_five_documents_have_errata_and_each_kind_of_proof_is_used() -> None:
    errata = list(_shipped())
    assert len({document.id for document, _ in errata}) == 5
    assert {erratum.kind for _, erratum in errata} == set(PROOFS)
    assert len(errata) > 12


def _other_way_round(proof: Proof) -> Proof | None:
    """The proof that the printed reading is right and the one adopted is wrong."""
    if isinstance(proof, EditionsDifferPart):
        [other] = proof.readings.keys() - {proof.adopted}
        return proof.model_copy(update={"adopted": other})
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
        ("editions-differ", "index.rank == 2", "index.rank == 1", "the reading of edition old, 'index.rank == 1', is true"),
        ("editions-differ", "index.rank == input.rank", "index.rank == 3", "the reading of edition new, 'index.rank == 3', is false"),
        ("editions-differ", "adopted: new", "adopted: nwe", "the adopted reading 'nwe' is not among readings; did you mean 'new'?"),
        ("editions-differ", "old: ", "odl: ", "the document has no edition 'odl'; did you mean 'old'?"),
        ("editions-differ", 'old: "index.rank == 2", ', "", "readings: dictionary should have at least 2 items"),
        ("sentences-conflict", "rank", "rnak", "the document has no claim 'rnak'; did you mean 'rank'?"),
        ("sentences-conflict", "rank", "figure", "conflicts with the claim figure, which no case tests"),
        ("impossible-type", "value: input.shape", "value: dim", "proves nothing: 'dim' is a number"),
        ("impossible-type", "adopted: shape", "adopted: tensor", "the adopted type of 'input.shape' is tensor"),
        ("impossible-type", "printed: number", "printed: matrix", "input should be 'number', 'shape', 'tensor' or 'word'"),
        ("call-refused", "json.loads(5)", '"json.loads(5"', "the printed call, 'json.loads(5', is not a Python expression"),
        ("call-refused", "TypeError", "SyntaxError", "the printed call, 'json.loads(5)', is a Python expression"),
        ("call-refused", "json.loads('5')", "json.loads('5'", "the adopted call, \"json.loads('5'\", is not a Python"),
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
    [problem] = _found(tmp_path, _documents("sentences-conflict", printed="Another."))
    assert "json.page, erratum odd: printed and adopted reading are the same" in problem


@pytest.mark.parametrize(
    ("proofs", "said"),
    [
        ("", "found none"),
        ("sentences-conflict: {with: rank}, impossible-type: {value: dim, printed: word, adopted: number, " + EXAMPLE + "}",
         "found sentences-conflict and impossible-type"),
    ],
)  # fmt: skip
def test_an_erratum_has_exactly_one_proof(tmp_path: Path, proofs: str, said: str) -> None:
    documents = changed(_documents("sentences-conflict"), "sentences-conflict: {with: rank}", proofs)
    [problem] = _found(tmp_path, documents)
    assert f"expected exactly one of the proofs {', '.join(PROOFS)}; {said}" in problem


def test_an_unknown_kind_of_proof_is_told_with_the_nearest(tmp_path: Path) -> None:
    documents = changed(_documents("sentences-conflict"), "sentences-conflict:", "sentence-conflict:")
    [problem] = _found(tmp_path, documents)
    assert "unknown key 'sentence-conflict'" in problem
    assert "did you mean 'sentences-conflict'?" in problem


@pytest.mark.parametrize(
    ("kind", "proof", "said"),
    [
        ("false-on-example", PROOFS["false-on-example"], "is not an example of this document"),
        ("sentences-conflict", "{with: example.1}", "conflicts with the claim example.1, which no case tests"),
    ],
)
def test_what_is_said_of_one_document_proves_nothing_of_another(
    tmp_path: Path, kind: str, proof: str, said: str
) -> None:
    other = changed(_documents(kind, proof), "documents:\n  json.page:", "  other.page:")
    [problem] = _found(tmp_path, DOCUMENTS + other)
    assert f"other.page, erratum odd: {problem.partition('odd: ')[2]}" in problem
    assert said in problem


def test_of_one_spec_file_no_erratum_is_asked_for(tmp_path: Path) -> None:
    proof = changed(PROOFS["false-on-example"], "example.backwards", "example.elsewhere")
    write_specs(tmp_path, documents=_documents("false-on-example", proof))
    assert check(load_specs(tmp_path / "gather_elements.yaml")) == []
    assert len(check(load_specs(tmp_path))) == 1


def _run(python: str, document: Document, proof: CallRefusedPart, variables: Mapping[str, str]) -> str:
    program = refusal_program(document, proof)
    environment = {**os.environ, **variables}
    done = subprocess.run([python, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    ("found", "replacement", "failings"),
    [
        ("json", "json", []),
        ("json.loads(5)", "json.loads('7')", ["proves nothing: the printed call, \"json.loads('7')\", is accepted"]),
        ("TypeError", "ValueError", ["the printed call, 'json.loads(5)', is rejected with TypeError, not ValueError"]),
        ("json.loads('5')", "json.loads('no')",
         ["the adopted call, \"json.loads('no')\", is rejected too, with JSONDecodeError"]),
        # Of a derived type is of the type.
        ("json.loads(5), error: TypeError", "json.loads('no'), error: ValueError", []),
    ],
)  # fmt: skip
def test_a_refusal_is_proven_by_running_both_calls(
    tmp_path: Path, found: str, replacement: str, failings: list[str]
) -> None:
    text = changed(
        _documents("call-refused"), PROOFS["call-refused"], changed(PROOFS["call-refused"], found, replacement)
    )
    document = load_specs(write_specs(tmp_path, documents=text)).documents["json.page"]
    proof = document.errata["odd"].proof
    assert isinstance(proof, CallRefusedPart)
    assert refusal_failings(proof, _run(sys.executable, document, proof, {})) == failings


def test_what_no_proof_printed_is_not_taken_for_one() -> None:
    proof = CallRefusedPart(call="a", error="TypeError", instead="b")
    with pytest.raises(ValueError, match="incomplete proof output"):
        refusal_failings(proof, "Segmentation fault")


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("name", "slug"),
    [(document.id, erratum.slug) for document, erratum in _shipped() if erratum.kind == "call-refused"],
)
def test_a_call_that_a_document_prints_is_refused_by_the_framework(name: str, slug: str) -> None:
    document = load_specs().documents[name]
    proof = document.errata[slug].proof
    assert isinstance(proof, CallRefusedPart)
    [target] = resolve([document.framework], find_definitions(adapters_folder()))
    assert target.definition is not None
    python = ensure(target, report=print).python
    assert refusal_failings(proof, _run(str(python), document, proof, target.definition.variables)) == []

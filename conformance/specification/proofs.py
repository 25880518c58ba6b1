"""Executes the proofs of errata and reports those that fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from conformance.specification.applied import Applied
from conformance.specification.errata import Erratum
from conformance.specification.expressions import ExpressionError, compile_expression
from conformance.specification.file_format import (
    CallRefusedPart,
    FalseOnExamplePart,
    FalseWhenRunPart,
    ImpossibleTypePart,
)
from conformance.specification.in_framework import is_expression
from conformance.specification.literals import LiteralError, Tensor
from conformance.specification.model import Catalogue, Clause, Document, Gaps, Operation, Printed
from conformance.specification.problems import Problem, SpecError, listed, nearest

MOST_IN_PROOF = 10_000
"""The maximum number of elements of a tensor on which a proof is executed."""


class _InvalidProof(Exception):
    """The proof cannot be executed; the message gives the reason."""


class _Unreadable(Exception):
    """The proof may depend on a part of the specs that could not be read."""


def check_errata(catalogue: Catalogue) -> list[Problem]:
    """The errata whose proof fails, as far as that can be checked without a framework.

    Nothing is checked if only a part of the specs is loaded.
    """
    if not catalogue.whole:
        return []
    return [
        Problem(erratum.source, f"{document.id}, erratum {erratum.slug}: {message}")
        for document in catalogue.documents.values()
        for erratum in document.errata.values()
        for message in _failings(catalogue, document, erratum)
    ]


def _failings(catalogue: Catalogue, document: Document, erratum: Erratum) -> Iterator[str]:
    proof = erratum.proof
    if erratum.printed == erratum.adopted:
        yield "printed and adopted reading are the same"
    try:
        if isinstance(proof, FalseOnExamplePart):
            yield from _false_on_example(proof, _example(catalogue, document, proof.example))
        elif isinstance(proof, ImpossibleTypePart):
            yield from _impossible_type(proof, _example(catalogue, document, proof.example))
        elif isinstance(proof, CallRefusedPart):
            yield from _call(proof)
            yield from _another_function(proof, document, erratum)
        elif isinstance(proof, FalseWhenRunPart):
            yield from (
                f"{text!r} is not a Python expression"
                for text in (proof.printed, proof.adopted)
                if not is_expression(text)
            )
    except _InvalidProof as error:
        yield str(error)
    except _Unreadable:
        return


def _false_on_example(proof: FalseOnExamplePart, values: Mapping[str, Any]) -> Iterator[str]:
    if _value(proof.printed, values):
        yield f"proves nothing: the printed rule, {proof.printed!r}, is true on {proof.example}"
    if not _value(proof.adopted, values):
        yield f"the adopted rule, {proof.adopted!r}, is false on {proof.example}"


def _impossible_type(proof: ImpossibleTypePart, values: Mapping[str, Any]) -> Iterator[str]:
    actual = _type_name(_value(proof.value, values))
    if actual == proof.printed:
        yield f"proves nothing: {proof.value!r} is a {actual} on {proof.example}, as printed"
    if actual != proof.adopted:
        yield f"the adopted type of {proof.value!r} is {proof.adopted}, but on {proof.example} it is a {actual}"


def _call(proof: CallRefusedPart) -> Iterator[str]:
    """Check the syntax of both calls; only the printed one may be invalid, if the error is a SyntaxError."""
    if is_expression(proof.call) == (proof.error == "SyntaxError"):
        yield f"the printed call, {proof.call!r}, {'is' if proof.error == 'SyntaxError' else 'is not'} a Python expression"
    if not is_expression(proof.instead):
        yield f"the adopted call, {proof.instead!r}, is not a Python expression"


def _another_function(proof: CallRefusedPart, document: Document, erratum: Erratum) -> Iterator[str]:
    """The mistake to read another function into a sentence, because the call that it allows is refused.

    An API that refuses what its documentation allows diverges from it. Only of a function that does not exist can a page not mean the name.
    """
    if proof.error in _NO_SUCH_FUNCTION:
        return
    shared = [
        claim.locator
        for claim in document.claims.values()
        if claim.refers is not None
        and any(set(hashes) & set(claim.rests.get(name, ())) for name, hashes in erratum.rests.items())
    ]
    printed, adopted = (_functions(document, text) for text in (erratum.printed, erratum.adopted))
    if shared:
        yield f"the claim {shared[0]} refers on by the same sentence; {_REFUSED}"
    elif printed and adopted - printed:
        yield f"it reads {listed(sorted(adopted - printed))} in place of {listed(sorted(printed))}; {_REFUSED}"


def _functions(document: Document, text: str) -> set[str]:
    """The functions of the document's framework that a text names, by dotted names."""
    modules = {name.partition(".")[0] for name in document.describes}
    return {name for name in _DOTTED.findall(text) if name.partition(".")[0] in modules}


_NO_SUCH_FUNCTION = ("AttributeError", "SyntaxError")
_DOTTED = re.compile(r"\b[A-Za-z]\w*(?:\.[A-Za-z]\w*)+")
_REFUSED = (
    "that an API refuses what a sentence allows is a divergence: claim it with a program, and the error as `broken`"
)


def _example(catalogue: Catalogue, document: Document, clause_id: str) -> dict[str, Any]:
    """The arguments of an example of the document, and its printed result if it has one."""
    examples = {
        clause.id: (operation, clause)
        for operation in catalogue.operations.values()
        for clause in operation.clauses
        if clause.family == "example" and any(citation.document.id == document.id for citation in clause.citations)
    }
    if clause_id not in examples and catalogue.gaps != Gaps():
        raise _Unreadable
    if clause_id not in examples:
        raise _InvalidProof(f"{clause_id!r} is not an example of this document{nearest(clause_id, examples)}")
    operation, clause = examples[clause_id]
    if operation.name in catalogue.gaps.results:
        raise _Unreadable
    return _values(operation, clause)


def _values(operation: Operation, clause: Clause) -> dict[str, Any]:
    [written_call] = clause.written_calls[:1]
    call = Applied(operation, written_call.call)
    values = dict(call.values)
    if isinstance(written_call.expected, Printed):
        try:
            values["result"] = call.result_written(written_call.expected.written)
        except LiteralError as error:
            raise _InvalidProof(f"the result of {clause.id} is invalid: {error}") from None
    for name, value in values.items():
        if isinstance(value, Tensor) and value.array.size > MOST_IN_PROOF:
            raise _InvalidProof(
                f"{name} of {clause.id} has {value.array.size} elements; a proof takes at most {MOST_IN_PROOF}"
            )
    return {name: _Elements.of(value) if isinstance(value, Tensor) else value for name, value in values.items()}


def _value(text: str, values: Mapping[str, Any]) -> Any:
    """The value of an expression; unlike for rules, an expression that cannot be evaluated is an error."""
    try:
        return compile_expression(text, values).value(values)
    except ExpressionError as error:
        raise _InvalidProof(str(error)) from None
    except SpecError as error:  # it exceeds a limit
        raise _InvalidProof(error.problems[0].message) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _InvalidProof(f"{text!r} cannot be evaluated on the example: {type(error).__name__}: {error}") from None


def _type_name(value: Any) -> str:
    if isinstance(value, Tensor):
        return "tensor"
    if isinstance(value, tuple):
        return "shape"
    return "number" if isinstance(value, int | float) else "word"


class _Elements(Tensor):
    """A tensor whose elements and slices can be compared, as in ``result[1, 0] == updates[0]``."""

    @classmethod
    def of(cls, value: Tensor) -> _Elements:
        return cls(value.dtype, value.array, value.written)

    def __getitem__(self, key: Any) -> Any:
        part = self.array[key]
        return _Elements(self.dtype, part, None) if isinstance(part, np.ndarray) else part.item()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tensor) and np.array_equal(self.array, other.array)

    __hash__ = None  # type: ignore[assignment] # there is no cheap hash consistent with equality by elements

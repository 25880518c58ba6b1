"""Checks that specs are consistent: each call keeps, or breaks, exactly the rules that it declares, and is wrong in no other way.

An implementation may read arguments in more than one way. A boolean index whose shape is not that of a mask is rejected
even by an implementation that takes masks, so its error proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conformance.specification.applied import Applied
from conformance.specification.documents import without_sentences
from conformance.specification.expressions import Expression
from conformance.specification.literals import Tensor, written_form
from conformance.specification.locks import lock_beside
from conformance.specification.model import (
    ACCUMULATES,
    DISTINCT,
    Catalogue,
    Clause,
    Operation,
    Raises,
    Rule,
    WrittenCall,
)
from conformance.specification.problems import Problem, SpecError, listed, nearest
from conformance.specification.proofs import check_errata
from conformance.specification.readings import check_readings

_TOLERANT = re.compile(r"\((bad_indices_policy|mode)='(?!ERROR|raise)")
"""Of the name of an API, the keyword by which it does something else with an index outside than to raise."""


def check(catalogue: Catalogue) -> list[Problem]:
    """All contradictions between the rules of an operation and its calls, and all errata without a valid proof."""
    problems: list[Problem] = []
    for operation in catalogue.operations.values():
        for clause in operation.clauses:
            try:
                problems += _clause(operation, clause, complete=clause.id not in catalogue.gaps.clauses)
            except SpecError as error:  # an expression exceeds a limit, and other clauses evaluate it too
                problems += [problem for problem in error.problems if problem not in problems]
    return [
        *problems,
        *check_errata(catalogue),
        *check_readings(catalogue),
        *_names_of_claims(catalogue),
        *_claims_without_sentences(catalogue),
    ]


def _claims_without_sentences(catalogue: Catalogue) -> Iterator[Problem]:
    """Claims of docstrings, of which others rest on sentences, whose own lines are missing."""
    for document in catalogue.documents.values() if catalogue.whole else ():
        claims = document.claims.values()
        for claim in claims if any(claim.rests for claim in claims) else ():
            if not claim.rests:
                lock = lock_beside(Path(claim.location.file)).as_posix()
                text = without_sentences(
                    document.id, document.framework, claim.locator, lock, f"--locator {claim.locator}"
                )
                yield Problem(claim.location, text)


def _names_of_claims(catalogue: Catalogue) -> Iterator[Problem]:
    """Claims about what is no argument of any operation."""
    names = {name for operation in catalogue.operations.values() for name in operation.arguments}
    for document in catalogue.documents.values() if catalogue.whole and not catalogue.gaps.operations else ():
        for claim in document.claims.values():
            conditions = (
                claim.derivative.names - {DISTINCT, ACCUMULATES} if claim.derivative is not None else frozenset()
            )
            for name in sorted({*claim.keeps, *claim.dtypes, *conditions} - names):
                key = "keeps" if name in claim.keeps else "dtypes:" if name in claim.dtypes else "derivative:"
                text = f"{document.id}#{claim.locator}: {key} {name!r}, which is no argument of an operation"
                yield Problem(claim.location, f"{text}{nearest(name, names)}")


def _clause(operation: Operation, clause: Clause, *, complete: bool) -> Iterator[Problem]:
    # The calls of a relation are only known when the reference evaluates it.
    for written_call in clause.written_calls if clause.relation is None else ():
        yield from _written_call(clause, written_call, Applied(operation, written_call.call))
    if clause.rule is not None and complete:
        yield from _implied(operation, clause, clause.rule)


_PERMITTED = "change the call, or the rule if the document permits the call"


def _written_call(clause: Clause, written_call: WrittenCall, call: Applied) -> Iterator[Problem]:
    control = Applied(call.operation, written_call.fixed) if written_call.fixed is not None else None
    if clause.rule is not None and written_call.breaks:
        yield from _breaks(clause, clause.rule, written_call, call)
    elif call.broken_rules and not isinstance(written_call.expected, Raises) and not clause.only_documented:
        text = f"should keep every rule, but breaks {listed(call.broken_rules)}; {_shapes(call)}; {_PERMITTED}"
        yield _problem(clause, written_call, text)
    if clause.require is not None:
        yield from _requirement(clause, clause.require, written_call, call, control)
    if written_call.breaks or isinstance(written_call.expected, Raises):
        for message in _other_faults(call, control):
            yield _problem(clause, written_call, f"{message}; {_shapes(call)}")
    if isinstance(written_call.expected, Raises):
        yield from _of_a_variant(clause, written_call, call)
    if control is not None:
        yield from _control(clause, written_call, call, control)


def _control(clause: Clause, written_call: WrittenCall, call: Applied, control: Applied) -> Iterator[Problem]:
    """A control that shows nothing about the error of its call."""
    if isinstance(written_call.expected, Raises):
        if not written_call.breaks and _are_same(call, control):
            yield _problem(clause, written_call, "fix changes nothing, so its control is the call that should raise")
        if call.only_lacks_elements_beside(control):
            text = (
                "a tensor of the call has no elements, and none of its control, so that an implementation that refuses "
                "all such tensors conforms; fix the call with a tensor that has none either"
            )
            yield _problem(clause, written_call, text)
    broken = control.broken_rules
    if broken:
        text = f"its control should keep every rule, but breaks {listed(broken)}; {_shapes(control)}"
        yield _problem(clause, written_call, text)


def _are_same(first: Applied, second: Applied) -> bool:
    """Whether two calls are written alike; 8 and 8.0 are not."""
    written = ({name: repr(written_form(value)) for name, value in call.arguments.items()} for call in (first, second))
    return next(written) == next(written)


def _requirement(
    clause: Clause, require: Expression, written_call: WrittenCall, call: Applied, control: Applied | None
) -> Iterator[Problem]:
    """A call that is an error according to a behaviour, but not by its condition, or the other way round."""
    raises = isinstance(written_call.expected, Raises)
    if require.fails(call.values) != raises:
        found = "should raise, but keeps" if raises else "should not raise, but violates"
        yield _problem(clause, written_call, f"{found} require of {clause.name}; {_shapes(call)}")
    if control is not None and require.fails(control.values):
        yield _problem(clause, written_call, f"its control violates require of {clause.name}; {_shapes(control)}")


def _of_a_variant(clause: Clause, written_call: WrittenCall, call: Applied) -> Iterator[Problem]:
    """An index outside that should raise according to a document about an API that is told to do something else with it."""
    if not any(geometry.fits and not geometry.inside.all() for geometry in call.geometries.values()):
        return
    described = [name for citation in clause.citations for name in citation.document.describes]
    for name in sorted(set(filter(_TOLERANT.search, described))):
        text = (
            f"should raise for an index outside, but cites a document about {name}, which is told not to; cite another"
        )
        yield _problem(clause, written_call, text)


def _breaks(clause: Clause, rule: Rule, written_call: WrittenCall, call: Applied) -> Iterator[Problem]:
    if not rule.is_broken(call.values):
        yield _problem(clause, written_call, f"should break {rule.name}, but keeps it; {_shapes(call)}")
    undeclared = [name for name in call.broken_rules if name != rule.name and name not in rule.implies]
    if undeclared:
        names = listed(undeclared)
        text = f"also breaks {names}; change the call, or list {names} under implies if that cannot be avoided"
        yield _problem(clause, written_call, f"{text}; {_shapes(call)}")


def _implied(operation: Operation, clause: Clause, rule: Rule) -> Iterator[Problem]:
    broken = {
        name
        for written_call in clause.written_calls
        if written_call.breaks
        for name in Applied(operation, written_call.call).broken_rules
    }
    known = {rule.name for rule in operation.rules}
    for name in rule.implies:
        if name in known and name not in broken:
            text = f"{clause.id}: lists {name} under implies, but no call breaks both; remove it"
            yield Problem(clause.location, text, clause.id)


def _problem(clause: Clause, written_call: WrittenCall, message: str) -> Problem:
    case = f"{clause.id}/{written_call.name}"
    return Problem(written_call.location, f"{case}: {message}", clause.id, case)


def _shapes(call: Applied) -> str:
    """The shapes and values of a call, for messages."""
    parts = []
    for name, value in call.arguments.items():
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        parts.append(f"{name}: {dtype} {list(shape)}" if shape is not None else f"{name}: {value!r}")
    return "tried " + ", ".join(parts)


def _other_faults(call: Applied, control: Applied | None) -> Iterator[str]:
    """Messages about what else an implementation may reject in a call, under another reading of its arguments."""
    indices = {name: value for name, value in call.tensors.items() if call.operation.arguments[name].index}
    for name, index in indices.items():
        indexing = call.operation.arguments[name].indexing
        is_mask = name in call.masks_in_key or (indexing is not None and indexing.family == "bool")
        if index.kind == "bool" and not is_mask:
            yield from _mask(call, control, name, index)
    for name, value in call.tensors.items():
        if "vector" in call.operation.arguments[name].kinds:
            yield from _dtype_of_vector(name, value, indices)


def _mask(call: Applied, control: Applied | None, name: str, index: Tensor) -> Iterator[str]:
    geometry = call.with_arguments({name: index.cast("int64")}).geometries.get(name)
    if geometry is not None and index.shape != geometry.mask_shape:
        shape = list(geometry.mask_shape)
        yield f"{name} is bool, but an implementation that takes masks needs one of shape {shape}"
    if _reads_data(call, name) and not index.array.all():
        yield f"{name} is bool with false elements, but a mask selects as many positions as there are data if all are true"
    fixed = control.arguments.get(name) if control is not None else None
    if isinstance(fixed, Tensor) and fixed.shape != index.shape:
        yield f"{name} is bool with shape {list(index.shape)}, but fix changes the shape too; change only the dtype"


def _reads_data(call: Applied, index: str) -> bool:
    """Whether a tensor of the call holds data for the selected positions."""
    indexing = call.operation.arguments[index].indexing
    return any(indexing is None or name != indexing.into for name in call.tensors if name != index)


def _dtype_of_vector(name: str, value: Tensor, indices: dict[str, Tensor]) -> Iterator[str]:
    for index_name, index in indices.items():
        if index.kind == value.kind == "integer" and index.dtype != value.dtype:
            yield f"{name} is a tensor of {value.dtype}, but {index_name} has dtype {index.dtype}; some APIs need both in one dtype"

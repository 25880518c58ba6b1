"""Builds the cases of forms: with the reference's result, with the error that a rule requires, or only observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest

from conformance.cases.draws.forms import Key, key_of
from conformance.cases.expectations import Expectation, Returning, Returns
from conformance.cases.forms.calls import FormCall
from conformance.cases.forms.chunks import chunk_calls
from conformance.cases.forms.empty import empty_forms
from conformance.cases.forms.empty_indices import empty_index_forms
from conformance.cases.forms.masks import mask_forms
from conformance.cases.forms.narrow import narrow_forms, overflowing_forms
from conformance.cases.forms.neighbours import neighbour_forms
from conformance.cases.forms.numbers import counted_axes, number_forms
from conformance.cases.forms.outside import outside_calls
from conformance.cases.forms.single import single_forms
from conformance.cases.forms.sums import sum_forms
from conformance.cases.model import Case, Entry, drawn_clause
from conformance.cases.policies import indistinguishable, policy_outcomes
from conformance.cases.reference import NoReference, Reference, ReferenceFailed
from conformance.cases.vacuous import vacuous
from conformance.cases.variation import DtypeTest, RareForm, Turn, Turns, Written
from conformance.cases.written import ORIGINAL, case_of, is_about_dtypes
from conformance.specification.applied import Applied
from conformance.specification.literals import LiteralError, Tensor
from conformance.specification.model import Clause, Observed, Operation, Raises, Rule, WrittenCall
from conformance.specification.problems import Problem

Forms = Callable[[Operation, Reference], Iterator[FormCall]]
EMPTY = "empty"
"""The kind of which an expensive mode makes all: many compilers get them wrong."""
FORMS: Mapping[str, Forms] = {
    EMPTY: empty_forms, "single": single_forms, "numbers": number_forms, "masks": mask_forms
}  # fmt: skip
"""By kind, what makes the forms of an operation."""
LATER: Mapping[str, Forms] = {
    "neighbours": neighbour_forms, "empty-indices": empty_index_forms, "narrow": narrow_forms, "sums": sum_forms
}  # fmt: skip
"""The same, of those that make no call again that one of the others makes, and leave their samples as they are."""
OUTSIDE = "outside"
"""The kind of the forms with an index far out of bounds, which belong to the clauses of their calls."""
CHUNKS = "chunks"
"""The kind of those with an index out of bounds behind many others, which do too."""
UNDECIDED = "no document says what follows"


def form_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """``<clause>/form.<name>``: the forms of an operation that has a layout, each call once.

    They belong to the clause that drawn valid calls belong to, or to the only rule that they break.
    """
    if operation.layout is None:
        return
    made: set[Key] = {key_of(written.call) for clause in operation.clauses for written in clause.written_calls}
    turns = Turns(operation.name)
    yield from _of_kinds(operation, FORMS, reference, turns, made)
    for kind, clause, calls in _in_their_clauses(operation):
        found = _first_that_shows(operation, clause, calls, reference)
        if found is not None:
            written, case = found
            turn = Turn(turns.next(written.name))
            yield replace(case, variation=RareForm(False, turn, case.dtype_test, written.breaks, kind))
    yield from _of_kinds(operation, LATER, reference, turns, made)
    yield from _of_other_clauses(operation, reference, turns)


def _in_their_clauses(operation: Operation) -> Iterator[tuple[str, Clause, Sequence[WrittenCall]]]:
    """The kinds of forms that belong to the clauses of their calls, with what each clause may show."""
    yield from ((OUTSIDE, *each) for each in outside_calls(operation))
    yield from ((CHUNKS, *each) for each in chunk_calls(operation))


def _of_kinds(
    operation: Operation, kinds: Mapping[str, Forms], reference: Reference, turns: Turns, made: set[Key]
) -> Iterator[Case]:
    """The forms of these kinds whose calls are not made yet: of the clause of drawn calls, or of the rule that they break."""
    drawn = drawn_clause(operation)
    # One of each kind at a time, since calls of one kind often end the process, each after the other.
    for forms in zip_longest(*(make(operation, reference) for make in kinds.values())):
        for kind, form in zip(kinds, forms, strict=True):
            if form is None or (key := (*key_of(form.call), *_views(form))) in made:
                continue
            made.add(key)
            try:
                clause, expectation = expected_of(drawn, form, reference)
            except NoReference:
                continue
            if not isinstance(expectation, Returning) or vacuous(form.call, expectation) is None:
                turn = Turn(turns.next(kind), 1 if kind == EMPTY else None)
                yield _case(clause, expectation, form, turn, reference, kind)


def _of_other_clauses(operation: Operation, reference: Reference, turns: Turns) -> Iterator[Case]:
    """The forms of the clauses that speak of them."""
    for kind, forms in (("numbers", counted_axes(operation)), ("narrow", overflowing_forms(operation, reference))):
        for clause, form in forms:
            with suppress(ReferenceFailed):
                expectation = Returns(reference(form.control), form.control.accumulates)
                turn = Turn(turns.next("of-clause", form.name))
                yield _case(clause, expectation, form, turn, reference, kind)


def _first_that_shows(
    operation: Operation, clause: Clause, calls: Sequence[WrittenCall], reference: Reference
) -> tuple[WrittenCall, Case] | None:
    """The first of these calls whose result shows what was done to the index, or just the first; None if none is sound."""
    found: tuple[WrittenCall, Case] | None = None
    for call in calls:
        with suppress(LiteralError, ReferenceFailed):  # the limits do not show the policy that the spec expects
            case = case_of(Applied(operation, call.call), clause, call, reference)
            if indistinguishable(case.policies) is None:
                return call, case
            found = found or (call, case)
    return found


def _views(form: FormCall) -> Iterator[str]:
    return (value.view for value in form.call.arguments.values() if isinstance(value, Tensor) and value.view)


def _case(
    clause: Clause, expectation: Expectation, form: FormCall, turn: Turn, reference: Reference, kind: str
) -> Case:
    name = f"{clause.id}/form.{form.name}"
    entry = Entry(clause.location)
    control = _control_of(form) if isinstance(expectation, Raises) else None
    original = None
    if form.base is not None:
        original = Case(f"{name}.original", form.base, clause, Observed(ORIGINAL), entry, Written(), control)
    return Case(
        id=name,
        call=form.call,
        clause=clause,
        expectation=expectation,
        entry=entry,
        variation=RareForm(
            form.open and isinstance(expectation, Returning),
            turn,
            DtypeTest(form.about_dtype, original) if form.about_dtype else None,
            isinstance(expectation, Raises),
            kind,
        ),
        control=control,
        policies=policy_outcomes(form.call, reference) if isinstance(expectation, Raises) else (),
    )


def expected_of(drawn: Clause, form: FormCall, reference: Reference) -> tuple[Clause, Expectation]:
    """What is expected of a form, and by which clause: the only rule that it breaks, or the one of valid calls."""
    if form.observed is not None:
        return drawn, Observed(form.observed)
    rules = _decided(form.meaning if form.is_python and form.meaning is not None else form.call)
    if rules is None or (form.is_python and rules):
        return drawn, Observed(UNDECIDED)
    required = [clause for clause, rule in rules if isinstance(rule.broken, Raises)]
    for clause, rule in rules:
        if clause in required and {rule.name, *rule.implies}.issuperset(other.name for _, other in rules):
            return clause, rule.broken
    if required and form.is_mistake:
        return _most_telling(required, form), Raises()
    if required:
        return drawn, Observed("it breaks several rules")
    meaning = form.meaning or form.call
    if meaning.broken_rules or _is_outside(meaning):
        return drawn, Observed(UNDECIDED)
    try:
        result = reference(meaning)
    except NoReference:
        raise
    except ReferenceFailed:
        return drawn, Observed(UNDECIDED)
    return drawn, Returns(result, meaning.accumulates)


def _most_telling(required: Sequence[Clause], form: FormCall) -> Clause:
    """Of the clauses of several broken rules, the first about dtypes if one differs from the control's, or else the first."""
    if any(value.dtype != form.control.tensors[name].dtype for name, value in form.call.tensors.items()):
        return next((clause for clause in required if is_about_dtypes(clause)), required[0])
    return required[0]


def _control_of(form: FormCall) -> Applied:
    """The control of a form that breaks a rule: if possible one in the same emptiness, as an error may be about that."""
    meaning = form.meaning
    is_valid = meaning is not None and not meaning.broken_rules and not _is_outside(meaning)
    return meaning if meaning is not None and is_valid else form.control


def _is_outside(call: Applied) -> bool:
    """Whether an index is out of bounds; a label that is may mean that nothing is written."""
    geometries = call.geometries.values()
    return any(not geometry.inside.all() for geometry in geometries if not geometry.indexing.may_be_left_out)


def _decided(call: Applied) -> list[tuple[Clause, Rule]] | None:
    """The rules that a call breaks; None if they decide nothing, since one of another argument cannot be evaluated.

    A rule on an axis that an argument lacks says nothing, unless another rule that is broken implies it.
    """
    broken = call.broken
    rules = [(clause, clause.rule) for clause in broken.clauses if clause.rule is not None]
    implied = {name for _, rule in rules for name in rule.implies}
    return rules if broken.senseless <= implied else None

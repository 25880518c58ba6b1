"""Builds all cases of a catalogue: the written ones and those derived from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from conformance.cases.forms.source import form_cases
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.relations import relation_cases
from conformance.cases.variants.batches import batch_cases
from conformance.cases.variants.contradictions import contradiction_cases
from conformance.cases.variants.derivatives import derivative_cases
from conformance.cases.variants.dtypes import CasesInDtypes, dtype_cases
from conformance.cases.variants.nested import nested_cases, nested_program_cases
from conformance.cases.variants.passing import passed_cases
from conformance.cases.variants.programs import kept_programs, program_cases
from conformance.cases.variants.second_order import second_order_cases
from conformance.cases.variants.shared_memory import shared_memory_cases
from conformance.cases.variants.views import view_cases
from conformance.cases.written import written_cases
from conformance.specification.model import Around, Catalogue, Operation
from conformance.specification.problems import Problem, SpecError

Source = Callable[[Operation, Reference], Iterator[Case | Problem]]
"""Yields the cases of an operation, and a Problem for each case that cannot be built."""

_DIRECT: Sequence[Source] = (written_cases, dtype_cases, view_cases, form_cases, relation_cases)


def every_case(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """The cases of the calls of an operation, then those that vary these calls or the way in which they are made."""
    cases = []
    for source in _DIRECT:
        for item in source(operation, reference):
            cases += [item] if isinstance(item, Case) else []
            yield item
    yield from passed_cases(operation, cases)
    programs = [*program_cases(operation, reference)]
    yield from programs
    yield from kept_programs(operation, reference)
    yield from shared_memory_cases(operation, reference)
    yield from contradiction_cases(operation, reference)
    yield from derivative_cases(operation, cases, reference)
    yield from batch_cases(operation, cases, reference)
    yield from nested_cases(operation, cases, reference)
    yield from nested_program_cases(operation, programs, reference)
    yield from second_order_cases(operation, cases, reference)


SOURCES: Sequence[Source] = (every_case,)
WRITTEN: Sequence[Source] = (written_cases, relation_cases, kept_programs)
"""Those of the calls in specs, without what is derived from them."""


def build_cases(
    catalogue: Catalogue, reference: Reference, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES
) -> list[Case]:
    """All cases in the order of the specs; SpecError if any cannot be built.

    ``more`` are sources in addition to ``sources``, which every run uses.
    """
    cases, problems = build_sound_cases(catalogue, reference, more, sources=sources)
    if problems:
        raise SpecError(problems)
    return cases


def build_sound_cases(
    catalogue: Catalogue, reference: Reference, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES
) -> tuple[list[Case], list[Problem]]:
    """The cases that can be built, and a problem for each that cannot."""
    problems: list[Problem] = []
    cases: list[Case] = []
    for operation in catalogue.operations.values():
        if operation.name in catalogue.gaps.results:
            continue
        in_dtype = CasesInDtypes()
        for source in (*sources, *more):
            for item in source(operation, reference):
                lacking = _lacking(item) if isinstance(item, Case) else None
                if isinstance(item, Problem):
                    problems.append(item)
                elif lacking is not None:
                    message = f"{item.id}: argument {lacking!r} is missing"
                    problems.append(Problem(item.clause.location, message, item.clause.id, item.id))
                else:
                    cases.append(in_dtype.knowing_others(item))
    return cases, problems


def _lacking(case: Case) -> str | None:
    """An argument that the operation needs and that the call of a case does not have; None if it has all.

    A relation has the arguments of several operations, each of which is computed from them, and a program has arguments of its own.
    """
    is_computed = case.clause.relation is not None or isinstance(case.call.manner, Around)
    arguments = () if is_computed else case.operation.arguments.items()
    return next((name for name, spec in arguments if not spec.optional and name not in case.call.arguments), None)

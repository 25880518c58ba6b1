"""From specs to cases: the ones written down, and whatever else is derived from an operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from conformance.cases.dtypes import dtype_cases
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.relations import relation_cases
from conformance.cases.views import view_cases
from conformance.cases.written import written_cases
from conformance.specification.model import Catalogue, Operation
from conformance.specification.problems import Problem, SpecError

Source = Callable[[Operation, Reference], Iterator[Case | Problem]]
"""Derives cases from an operation; a Problem in place of a case that cannot be."""

SOURCES: Sequence[Source] = (written_cases, dtype_cases, view_cases, relation_cases)


def build_cases(
    catalogue: Catalogue, reference: Reference, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES
) -> list[Case]:
    """Every case of every operation, in the order of the specs; SpecError for those that cannot be.

    ``more`` are sources besides those that every run has, which are ``sources``.
    """
    cases, problems = build_sound_cases(catalogue, reference, more, sources=sources)
    if problems:
        raise SpecError(problems)
    return cases


def build_sound_cases(
    catalogue: Catalogue, reference: Reference, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES
) -> tuple[list[Case], list[Problem]]:
    """The cases that can be, and a problem for each that cannot."""
    problems: list[Problem] = []
    cases: list[Case] = []
    operations = [one for one in catalogue.operations.values() if one.name not in catalogue.gaps.results]
    for operation in operations:
        for source in (*sources, *more):
            for found in source(operation, reference):
                (cases if isinstance(found, Case) else problems).append(found)  # type: ignore[arg-type]
    return cases, problems

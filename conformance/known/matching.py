"""The cases that patterns match."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import takewhile

from conformance.cases.facts import CaseFacts
from conformance.cases.model import generated_id
from conformance.known.load import is_under_conditions, names_of
from conformance.known.model import KnownDivergence, KnownDivergences, Pattern
from conformance.specification.problems import Problem, nearest


class NamedCases:
    """Cases in the order of their names, among which those that begin as a pattern does are found without trying the others."""

    def __init__(self, cases: Iterable[CaseFacts]) -> None:
        self._cases = {case.id: case for case in cases}
        self._names = sorted((name, case.id) for case in self._cases.values() for name in names_of(case))

    def concerned(self, entry: KnownDivergence, pattern: Pattern) -> list[CaseFacts]:
        """The cases that a pattern of an entry matches, including the entry's conditions on dtypes and transforms."""
        ids = dict.fromkeys(case for name, case in self._beginning(pattern.beginning) if pattern.matches(name))
        return [case for case in map(self._cases.__getitem__, ids) if is_under_conditions(entry, case)]

    def named(self, pattern: Pattern) -> list[CaseFacts]:
        """The cases whose ids of today a pattern matches."""
        return [
            self._cases[case]
            for name, case in self._beginning(pattern.beginning)
            if name == case and pattern.matches(name)
        ]

    @property
    def ids(self) -> set[str]:
        """Of the cases, and the patterns that match those of a clause."""
        return {name for case in self._cases.values() for name in (case.id, f"{case.clause_id}/*")}

    @property
    def clauses(self) -> set[str]:
        return {case.clause_id for case in self._cases.values()}

    def _beginning(self, text: str) -> Iterator[tuple[str, str]]:
        """The names that begin with a text, each with the id of its case."""
        first = bisect_left(self._names, (text,))
        return takewhile(lambda named: named[0].startswith(text), self._names[first:])


def unmatched(known_divergences: KnownDivergences, cases: NamedCases) -> list[Problem]:
    """A problem for each pattern that matches no case."""
    return [
        Problem(pattern.location, f"{entry.id}: {_mismatch(pattern, entry.conditions.dtype, cases)}")
        for entry in known_divergences.entries
        for pattern in entry.patterns
        if not cases.concerned(entry, pattern) and not _is_about_generated(pattern, cases)
    ]


def _is_about_generated(pattern: Pattern, cases: NamedCases) -> bool:
    """Whether it matches only generated cases, which a run need not have."""
    if any(not case.generated for case in cases.named(pattern)):
        return False
    return any(pattern.matches(generated_id(clause, 1)) for clause in cases.clauses)


def _mismatch(pattern: Pattern, dtype: str | None, cases: NamedCases) -> str:
    matched = cases.named(pattern)
    if matched:
        dtypes = sorted({name for case in matched for name in case.dtypes})
        return f"no case that {pattern.text!r} matches has a tensor of dtype {dtype}; they have {', '.join(dtypes)}"
    text = f"no case matches {pattern.text!r}"
    near = nearest(pattern.text, cases.ids)
    return text + (near if near.startswith("; did") else "; conformance list cases shows their ids")

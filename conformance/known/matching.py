"""The cases that patterns match."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import takewhile

from conformance.cases.facts import CaseFacts
from conformance.known.load import is_under_conditions, names_of
from conformance.known.model import KnownDivergence, Pattern


class NamedCases:
    """Cases in the order of their names, among which those that begin as a pattern does are found without trying the others."""

    def __init__(self, cases: Iterable[CaseFacts]) -> None:
        self._cases = {case.id: case for case in cases}
        self._names = sorted((name, case.id) for case in self._cases.values() for name in names_of(case))

    def concerned(self, entry: KnownDivergence, pattern: Pattern) -> list[CaseFacts]:
        """The cases that a pattern of an entry matches, including the entry's conditions on dtypes and transforms."""
        ids = dict.fromkeys(case for name, case in self._beginning(pattern.beginning) if pattern.matches(name))
        return [case for case in map(self._cases.__getitem__, ids) if is_under_conditions(entry, case)]

    def _beginning(self, text: str) -> Iterator[tuple[str, str]]:
        """The names that begin with a text, each with the id of its case."""
        first = bisect_left(self._names, (text,))
        return takewhile(lambda named: named[0].startswith(text), self._names[first:])

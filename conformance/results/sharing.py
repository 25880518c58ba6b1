"""Equal parts of records as the same objects: a file may hold a hundred thousand results, most of which differ little."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from conformance.outcomes.model import Outcome, Returned
from conformance.results.records import CaseRecord, ResultRecord

T = TypeVar("T")


class Sharing:
    """Replaces parts of records by equal parts of earlier records."""

    def __init__(self) -> None:
        self._parts: dict[Any, Any] = {}

    def case(self, record: CaseRecord) -> CaseRecord:
        """The same case."""
        return replace(
            record, axes=self._part(record.axes), points=self._part(record.points), dtypes=self._part(record.dtypes)
        )

    def result(self, record: ResultRecord, case: CaseRecord) -> ResultRecord:
        """The same result of this case."""
        return replace(
            record,
            case=case.id,
            target=self._part(record.target),
            api=self._part(record.api),
            clause=self._part(record.clause),
            outcome=self._outcome(record.outcome),
            divergence=self._part(record.divergence),
            cast=self._part(record.cast),
        )

    def _outcome(self, outcome: Outcome) -> Outcome:
        return self._shared(_key(outcome) if isinstance(outcome, Returned) else outcome, outcome)

    def _part(self, part: T) -> T:
        return self._shared(repr(part), part)

    def _shared(self, key: object, part: T) -> T:
        shared: T = self._parts.setdefault(key, part)
        return shared


def _key(outcome: Returned) -> object:
    """Everything but the values, which have a digest."""
    effects = outcome.changed, outcome.aliased, outcome.outside, outcome.warnings
    return outcome.digest, outcome.dtype, outcome.shape, outcome.values is None, outcome.parts, *effects

"""Which dtypes an API takes, as its documentation claims and as it was observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.outcomes.model import Abstract, Died, Hung, Raised, Returned
from conformance.results.file import Results
from conformance.results.records import ResultRecord

Seen = Literal["works", "refused", "wrong", "ended", "silent"]
ORDER: tuple[Seen, ...] = ("ended", "wrong", "refused", "works", "silent")
"""The worst first."""

Place = tuple[str, str, str, str, str]
"""Target, API, operation, arguments and dtype."""


@dataclass(frozen=True)
class Support:
    """What one API did with the cases in which some of its arguments have one dtype."""

    target: str
    api: str
    operation: str
    arguments: str
    """Those that have the dtype: ``tensor, updates``."""
    dtype: str
    claimed: str
    """yes, by name; family, as "an integer tensor"; example, where the documents' own calls have it; no."""
    by: str | None
    """The claim's ``document#locator``, or the adapter."""
    counts: Counter[Seen]
    worst: ResultRecord
    """The first result of the worst that was seen."""

    @property
    def word(self) -> str:
        """``works``, ``refused``, or of both ``some``; what is wrong or ended the process comes before them."""
        seen = [name for name in ORDER if self.counts[name] and name != "silent"]
        if not seen:
            return "silent"
        return "some" if seen == ["refused", "works"] else seen[0]


def dtype_support(results: Results) -> list[Support]:
    """Support of each dtype that was tried, in the order of the results.

    A case in another dtype says something of an API that does right in the dtypes of the case that it was derived from,
    elsewhere, and where the API has no form for it, it is silent.
    """
    found: dict[Place, dict[str, tuple[ResultRecord, Seen]]] = {}
    for place, result, seen in _observations(results):
        found.setdefault(place, {}).setdefault(result.case, (result, seen))
    return [_support(place, list(some.values())) for place, some in found.items()]


def _observations(results: Results) -> Iterator[tuple[Place, ResultRecord, Seen]]:
    """Each derived case with what was seen, and the case that it was derived from, which is right, in its own dtype."""
    by_name: dict[tuple[str, str, str | None], ResultRecord] = {
        (result.target, result.api, result.case): result for result in results.results
    }
    for result in results.results:
        dtypes = _dtypes(result)
        if len(set(dtypes.values())) != 1:
            continue
        origin = by_name.get((result.target, result.api, _origin(results, result)))
        sound = origin is not None and _is_right(origin)
        yield _place(results, result, dtypes), result, _seen(result) if sound else "silent"
        case = results.cases.get(origin.case) if origin else None
        own = {name: case.dtypes[name] for name in dtypes if name in case.dtypes} if case else {}
        if origin and sound and len(set(own.values())) == 1:
            yield _place(results, origin, own), origin, "works"


def _place(results: Results, result: ResultRecord, dtypes: Mapping[str, str]) -> Place:
    return (
        result.target,
        result.api,
        results.clauses[result.clause].operation,
        ", ".join(dtypes),
        next(iter(dtypes.values())),
    )


def _origin(results: Results, result: ResultRecord) -> str | None:
    case = results.cases.get(result.case)
    return case.derived_from if case else None


def _dtypes(result: ResultRecord) -> Mapping[str, str]:
    return result.dtype_claim.dtypes if result.dtype_claim else {}


def _is_right(result: ResultRecord) -> bool:
    return isinstance(result.outcome, Returned) and result.verdict == "conforms"


def _support(place: Place, some: list[tuple[ResultRecord, Seen]]) -> Support:
    worst, _ = min(some, key=lambda one: ORDER.index(one[1]))
    claims = [_claim(result) for result, _ in some]
    claim = next((one for one in claims if one[0] == "yes"), claims[0])
    return Support(*place, *claim, Counter(seen for _, seen in some), worst)


def _claim(result: ResultRecord) -> tuple[str, str | None]:
    claim = result.dtype_claim
    return (claim.claimed, claim.by) if claim else ("example", None)


def _seen(result: ResultRecord) -> Seen:
    outcome = result.outcome
    if isinstance(outcome, Died | Hung):
        return "ended"
    if isinstance(outcome, Returned | Abstract):
        return "wrong" if result.dtype_claim and result.dtype_claim.found else "works"
    return "refused" if isinstance(outcome, Raised) else "silent"

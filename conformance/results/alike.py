"""Which failing results are alike: those of one finding, and those whose calls confirm each other."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, NamedTuple, TypeGuard, get_args

from conformance.judging.vocabulary import Divergence, Standing
from conformance.results.exit_status import fails
from conformance.results.records import ResultRecord
from conformance.results.table import Sort, sort_of

FindingSort = Literal[Standing, "died", "hung"]
"""The standing of a divergence, or how the call ended."""


class FindingKey(NamedTuple):
    """What the results of a finding have in common."""

    target: str
    api: str
    clause: str
    sort: FindingSort
    kinds: tuple[Divergence, ...]
    """The kinds of divergence; a death or a hang may have none."""
    known: str | None
    """The id of the entry of the ledger that records it."""
    confirmed: bool
    """Whether its results happened again in fresh processes."""
    smallest: str | None
    """For drawn programs: the case of the smallest one that diverges as they do, if that was found."""


def is_failing(sort: Sort) -> TypeGuard[FindingSort]:
    """Whether a result of this sort is wrong: it diverges, died or hung."""
    return sort in get_args(FindingSort)


def finding_key(result: ResultRecord) -> FindingKey | None:
    """The same for the results of one finding only; None for a result that is not wrong."""
    sort = sort_of(result)
    if not is_failing(sort):
        return None
    return FindingKey(
        result.target,
        result.api,
        result.clause,
        sort,
        tuple(result.divergence),
        result.known,
        not result.unconfirmed,
        result.smallest,
    )


def company_key(result: ResultRecord) -> Hashable:
    """The same for results that are so alike that their calls are repeated in the same processes.

    Those that an entry of a ledger records are, as somebody has said that they have one cause; others are if they are one
    finding and treat an out-of-bounds index in the same way.
    """
    if result.known is not None:
        return result.target, result.api, result.known, sort_of(result)
    return finding_key(result), result.behaviour


def is_grave(result: ResultRecord) -> bool:
    """Whether each result of its finding is to be confirmed by itself: no ledger records it, and it breaks the API's own
    documentation, ended the process, or has a wrong value.
    """  # noqa: D205
    return fails(result, "own") or (result.known is None and bool({"value", "inconsistent"} & {*result.divergence}))

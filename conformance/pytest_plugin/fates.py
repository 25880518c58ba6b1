"""What a result is to pytest: passed, failed, skipped, xfailed, an error, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.judging.vocabulary import BINDING, FailOn
from conformance.outcomes.model import Unsupported, is_adapter_fault
from conformance.reports.details import reason
from conformance.reports.text import one_line
from conformance.reports.wording import word_of
from conformance.results.exit_status import fails
from conformance.results.records import KnownRecord, ResultRecord

Kind = Literal["passed", "failed", "skipped", "xfailed", "blocked", "observed"]


@dataclass(frozen=True)
class Fate:
    """How a result is reported, and why in one line."""

    kind: Kind
    reason: str = ""


def fate_of(result: ResultRecord, known: Mapping[str, KnownRecord], fail_on: FailOn) -> Fate:
    """known: the known divergences of the target by id."""
    text = one_line(f"{word_of(result)}: {reason(result)}", 300)
    if result.known is not None:
        return Fate("xfailed", _known_text(known[result.known]))
    if fails(result, fail_on):
        return Fate("failed", text)
    match result.verdict:
        case "conforms":
            return Fate("passed")
        case "unsupported":
            return Fate("skipped", one_line(f"unsupported: {reason(result)}", 300))
        case "blocked" if _concerns_the_user(result, fail_on):
            return Fate("blocked", text)
        case "blocked":
            return Fate("skipped", f"not judged, and not the API's own documentation: {text}")
        case "observed":
            return Fate("observed", text)
        case _:
            return Fate("xfailed", f"portability, which fails only with --conformance-fail-on=any: {text}")


def _concerns_the_user(result: ResultRecord, fail_on: FailOn) -> bool:
    """Whether a blocked result must not be overlooked: no call was made, the adapter is wrong, or it might have failed."""
    was_not_run = isinstance(result.outcome, Unsupported)
    return was_not_run or is_adapter_fault(result.outcome) or fail_on == "any" or result.standing in BINDING


def _known_text(entry: KnownRecord) -> str:
    return one_line(f"{entry.id}: {' '.join(entry.reason.split())} ({entry.link})", 300)

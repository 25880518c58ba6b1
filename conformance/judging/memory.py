"""What a call did to the memory of its arguments, and whether a document promises that it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.cases.expectations import Compared, Returning
from conformance.cases.model import Case
from conformance.cases.variation import DrawnProgram, InProgram
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import Divergence
from conformance.outcomes.bits import same_bits
from conformance.outcomes.model import Outcome, Raised, Returned
from conformance.specification.literals import Tensor

MOST_NAMED = 3
"""Accesses of one kind that a sentence names."""
_OUTSIDE: Mapping[str, tuple[Divergence, str]] = {
    "wrote": ("wrote-outside", "the call wrote"),
    "freed": ("wrote-outside", "the call freed memory that it must not free:"),
    "read": ("read-outside", "the call read"),
    "overlap": ("read-outside", "the call copied memory onto itself:"),
    "shown": ("read-outside", "the result shows memory"),
    "unwritten": ("read-outside", "the result has memory that nobody wrote,"),
}
"""For each kind of access, its kind of divergence and the beginning of a sentence."""
_EFFECTS: frozenset[Divergence] = frozenset({"input-changed", "aliased"})


def overwritten(subject: Subject, outcome: Outcome) -> str | None:
    """A sentence about the arguments that a call changed but should not have; None if there are none."""
    if not isinstance(outcome, Returned | Raised):
        return None
    changed = [name for name in outcome.changed if name not in subject.written]
    when = " before it failed" if isinstance(outcome, Raised) else ""
    return f"the call changed its argument {', '.join(changed)}{when}" if changed else None


def outside(outcome: Outcome, *, is_as_expected: bool) -> Iterator[tuple[Divergence, str]]:
    """What a call wrote or read in memory that belongs to none of its arguments.

    A result that is as expected shows no such element, whatever its numbers are.
    """
    if not isinstance(outcome, Returned | Raised):
        return
    of_kind: dict[str, list[str]] = {}
    for one in outcome.outside:
        is_shown = one.access == "read" and one.by == "guards"
        if not (is_shown and is_as_expected):
            of_kind.setdefault("shown" if is_shown else one.access, []).append(one.where)
    when = " before it failed" if isinstance(outcome, Raised) else ""
    for access, (kind, text) in _OUTSIDE.items():
        if access in of_kind:
            yield kind, f"{text} {' and '.join(of_kind[access][:MOST_NAMED])}{when}"


def memory_faults(case: Case, expected: Compared, subject: Subject, outcome: Returned) -> list[tuple[Divergence, str]]:
    """What the result shows of memory: an argument that should have changed, and shared memory."""
    faults: list[tuple[Divergence, str]] = []
    if _is_unchanged(case, expected, subject, outcome):
        faults.append(("input-changed", f"the call should change {subject.in_place} in place, but did not"))
    aliased = [name for name in outcome.aliased if name not in subject.written | case.operation.shares]
    # A number in brackets is no index of an array, and what it selects is a view.
    may_return_views = isinstance(case.variation, DrawnProgram) or case.call.has_python_index
    if aliased and not subject.immutable and not may_return_views:
        faults.append(("aliased", f"the result shares memory with the argument {', '.join(aliased)}"))
    return faults


def undeclared(subject: Subject, outcome: Outcome) -> set[str]:
    """The arguments that a call changed or shares memory with although no mapping says so, and no document the contrary."""
    if not isinstance(outcome, Returned | Raised):
        return set()
    aliased = outcome.aliased if isinstance(outcome, Returned) else ()
    if not outcome.changed and not aliased:
        return set()
    return {*outcome.changed, *aliased} - subject.written - subject.keeps


def breaks_no_promise(case: Case, subject: Subject, outcome: Outcome, kinds: Sequence[Divergence]) -> bool:
    """Whether a call diverges only in that it changed arguments, or shares memory with them, of which no document speaks."""
    if not kinds or not _EFFECTS.issuperset(kinds) or not undeclared(subject, outcome):
        return False
    expected = case.expectation
    is_short = isinstance(expected, Returning) and _is_unchanged(case, expected, subject, outcome)
    return not is_short


def shares_elements(case: Case, subject: Subject, outcome: Outcome) -> str | None:
    """The argument that the call changed by design although its elements share memory, so that its result means nothing."""
    changed = outcome.changed if isinstance(outcome, Returned | Raised) else ()
    for name in subject.changes.intersection(changed):
        value = case.call.arguments.get(name)
        if isinstance(value, Tensor) and value.view == "expanded":
            return name
    return None


def _is_unchanged(case: Case, expected: Returning, subject: Subject, outcome: Outcome) -> bool:
    """Whether the argument that the call should change stayed as it was."""
    target = case.call.arguments.get(subject.in_place or "")
    return (
        isinstance(outcome, Returned)
        and not isinstance(case.variation, InProgram | DrawnProgram)  # which may change a copy
        and isinstance(target, Tensor)
        and subject.in_place not in outcome.changed
        and target.shape == expected.value.shape
        and not same_bits(target.array, expected.value.array)
    )

"""Where targets agree, as text: for each operation the API of each target, and the safe and unsafe conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from conformance.findings.agreement import Porting, porting
from conformance.findings.conditions import INDEX_DTYPES
from conformance.findings.evidence import (
    DIED,
    HUNG,
    NOT_EXPORTED,
    NOTHING,
    RAISED,
    UNSUPPORTED,
    VARIES,
    Evidence,
    Implementation,
    evidence,
)
from conformance.findings.sentences import newest
from conformance.reports.text import counted, visible, wrapped
from conformance.results.file import Results

WORDS = {
    NOTHING: "no result",
    UNSUPPORTED: "unsupported",
    NOT_EXPORTED: "cannot be exported",
    DIED: "died",
    HUNG: "hung",
    VARIES: "flaky",
    RAISED: "raises",
}
OutcomeText = Callable[[Implementation, str, Sequence[Implementation]], str]
"""A short text for what an implementation did in a case, beside what these did."""


class PortingError(Exception):
    """Targets that cannot be compared; the message lists those of the results."""


def chosen_targets(results: Results, names: Sequence[str]) -> list[str]:
    """Return the ids of the targets with these names or prefixes. Raises PortingError if they are not two or more.

    The name of a framework means its newest version.
    """
    ids = list(dict.fromkeys(mapping.target for mapping in results.mappings))
    newest_ids = {name: target.id for name, target in newest(results.targets).items() if target.id in ids}
    targets = list(dict.fromkeys(newest_ids.get(name) or _target(ids, name) for name in names))
    if len(targets) < 2:
        raise PortingError(f"--porting needs at least two targets; available: {', '.join(ids) or 'none'}")
    return targets


def _target(ids: Sequence[str], name: str) -> str:
    candidates = [target for target in ids if target == name] or [target for target in ids if target.startswith(name)]
    if len(candidates) != 1:
        problem = "is ambiguous" if candidates else "is not a target in these results"
        raise PortingError(f"--porting {name}: {problem}; available: {', '.join(candidates or ids) or 'none'}")
    return candidates[0]


def porting_lines(results: Results, targets: Sequence[str], width: int) -> Iterator[str]:
    """What the targets have in common, operation by operation, in lines of at most this width."""
    behaviours = {(result.case, result.target, result.api): result.behaviour for result in results.results}
    for number, operation in enumerate(evidence(results)):
        yield from [""] if number else []
        yield visible(operation.operation)
        for line in _operation(operation, targets, _outcome_texts(operation, behaviours)):
            yield from wrapped(line.lstrip(), width, " " * (len(line) - len(line.lstrip())))


def _outcome_texts(operation: Evidence, behaviours: Mapping[tuple[str, str, str], str | None]) -> OutcomeText:
    def text(implementation: Implementation, case: str, compared: Sequence[Implementation]) -> str:
        letter = operation.letter(implementation, case)
        if letter in WORDS:
            return WORDS[letter]
        behaviour = behaviours.get((case, implementation.target, implementation.api))
        if behaviour not in (None, "other"):
            return str(behaviour)
        values = {operation.letter(other, case) for other in compared} - WORDS.keys()
        return f"value {letter}" if len(values) > 1 else "returns"

    return text


def _operation(operation: Evidence, targets: Sequence[str], outcome_text: OutcomeText) -> Iterator[str]:
    preferred = {target: operation.implementations_of(target)[:1] for target in targets}
    lacking = [target for target, implementations in preferred.items() if not implementations]
    if lacking:
        yield f"  Not implemented by any API of {', '.join(lacking)}."
        return
    common = porting(operation, [implementation for first in preferred.values() for implementation in first])
    for implementation in common.implementations:
        yield f"  {implementation.target}  {implementation.api}"
    yield f"  Agree on {len(common.agreeing)} of {len(common.agreeing) + len(common.differing)} calls that they take."
    for implementation, cases in common.lacking.items():
        yield f"  {implementation.api} has no form for {counted(len(cases), 'call')} that another takes."
    yield from _safe(operation, common)
    yield from _unsafe(common, outcome_text)
    if common.unproven:
        yield f"  Not shown: {', '.join(_unproven(operation, common, condition) for condition in common.unproven)}"


def _safe(operation: Evidence, common: Porting) -> Iterator[str]:
    yield from _conditions(operation, "Safe", {name: len(cases) for name, cases in common.safe.items()})
    yield from _conditions(operation, "All raise", {name: len(cases) for name, cases in common.raising.items()})


def _unsafe(common: Porting, outcome_text: OutcomeText) -> Iterator[str]:
    yield from ["  Not safe"] if common.unsafe else []
    for condition, cases in common.unsafe.items():
        yield f"    {condition} ({len(cases)})"
        outcomes = (
            f"{implementation.api} {_counts_text(outcome_text(implementation, case, common.implementations) for case in cases)}"
            for implementation in common.implementations
        )
        yield f"      {'; '.join(outcomes)}"


def _unproven(operation: Evidence, common: Porting, condition: str) -> str:
    """A condition that no case shows, with the APIs whose indices were cast from the dtype that it is about."""
    if operation.questions[condition] != INDEX_DTYPES:
        return condition
    casting = [each.api for each in common.implementations if operation.cast_from(each, condition)]
    return f"{condition} (cast for {', '.join(casting)})" if casting else condition


def _conditions(operation: Evidence, title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """A title, and a line for each question with its conditions."""
    yield from [f"  {title}"] if counts else []
    for question, conditions in groupby(counts, key=lambda condition: operation.questions[condition]):
        yield f"    {question}: {', '.join(f'{condition} ({counts[condition]})' for condition in conditions)}"


def _counts_text(texts: Iterable[str]) -> str:
    counts = Counter(texts)
    return ", ".join(f"{text} {count}" if len(counts) > 1 else text for text, count in counts.items())

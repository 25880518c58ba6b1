"""Where targets agree, as text: for each operation the API of each target, and the safe and unsafe conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import groupby

from conformance.findings.advice import advice
from conformance.findings.agreement import Porting, porting, takes
from conformance.findings.conditions import INDEX_DTYPES
from conformance.findings.evidence import (
    DEPENDS,
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
from conformance.findings.ports import nearest
from conformance.findings.sentences import newest
from conformance.reports.text import counted, visible, wrapped
from conformance.results.file import Results
from conformance.results.table import Table

WORDS = {
    NOTHING: "no result",
    UNSUPPORTED: "unsupported",
    NOT_EXPORTED: "cannot be exported",
    DIED: "died",
    HUNG: "hung",
    VARIES: "flaky",
    RAISED: "raises",
    DEPENDS: "depends on earlier calls",
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


@dataclass(frozen=True)
class Selection:
    """Of which operations and APIs a port is shown; empty ones mean all operations, and the plainest API of the first target."""

    operations: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()
    """Names or patterns such as ``torch.*``."""

    def takes(self, operation: str) -> bool:
        return not self.operations or _matches(operation, self.operations)

    def of(self, implementations: Sequence[Implementation]) -> list[Implementation]:
        return [one for one in implementations if _matches(one.api, self.apis)]


ALL_CALLS = Selection()


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def porting_lines(
    results: Results, targets: Sequence[str], width: int, selection: Selection = ALL_CALLS
) -> Iterator[str]:
    """What the targets have in common, operation by operation, in lines of at most this width. PortingError if nothing is selected."""
    behaviours = {(result.case, result.target, result.api): result.behaviour for result in results.results}
    found = False
    for operation in evidence(Table(results)):
        blocks = list(_blocks(operation, targets, selection)) if selection.takes(operation.operation) else []
        for block in blocks:
            yield from [""] if found else []
            found = True
            yield visible(operation.operation)
            for line in _operation(operation, targets, block, _outcome_texts(operation, behaviours)):
                yield from wrapped(line.lstrip(), width, " " * (len(line) - len(line.lstrip())))
    if not found and selection != ALL_CALLS:
        raise PortingError(_nothing(results, targets, selection))


def _nothing(results: Results, targets: Sequence[str], selection: Selection) -> str:
    """Which name is none of the results, or that the names have nothing in common."""
    of_targets = ", ".join(targets)
    operations = [case.operation for case in results.cases.values()]
    apis = [mapping.api for mapping in results.mappings if mapping.target in targets]
    for names, patterns, what in (
        (operations, selection.operations, "no operation of the results"),
        (apis, selection.apis, f"no API of {of_targets}"),
    ):
        if patterns and not any(_matches(name, patterns) for name in names):
            near = get_close_matches(patterns[0], dict.fromkeys(names), 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            return f"{', '.join(patterns)}: {what} has this name{meant}"
    return f"no API named {', '.join(selection.apis)} of {of_targets} implements {', '.join(selection.operations)}"


@dataclass(frozen=True)
class _Partner:
    """An implementation that is compared with that of another target."""

    implementation: Implementation
    plainest_of: int | None = None
    """Of how many that do nearly the same it is the plainest; 0 if none does the same in any call; None for the one that is asked for."""


_Block = Mapping[str, _Partner | None]
"""By target, what is compared."""


def _blocks(operation: Evidence, targets: Sequence[str], selection: Selection) -> Iterator[_Block]:
    """For each API that is selected, or else for the plainest of the first target, what takes its place on the others."""
    if not selection.apis:
        yield _partners(operation, targets, targets[0], next(iter(operation.implementations_of(targets[0])), None))
        return
    for target in targets:
        chosen = selection.of(operation.implementations_of(target))
        yield from (_partners(operation, targets, target, one) for one in chosen)
        if chosen:
            return


def _partners(operation: Evidence, targets: Sequence[str], of: str, first: Implementation | None) -> _Block:
    """As on the pages about porting; what does not do the same in any call has the place of the API that supports most calls."""
    block: dict[str, _Partner | None] = {of: _Partner(first) if first else None}
    for target in targets:
        if target != of:
            others = operation.implementations_of(target)
            near = nearest(operation, first, others) if first else []
            block[target] = next((_Partner(one, len(near)) for one in (*near, *others)), None)
    return block


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


def _operation(operation: Evidence, targets: Sequence[str], block: _Block, outcome_text: OutcomeText) -> Iterator[str]:
    lacking = [target for target in targets if block[target] is None]
    if lacking:
        yield f"  Not implemented by any API of {', '.join(lacking)}."
        return
    partners = [one for one in block.values() if one is not None]
    common = porting(operation, [one.implementation for one in partners])
    for partner in partners:
        implementation = partner.implementation
        yield f"  {implementation.target}  {implementation.api}"
        others = len(operation.implementations_of(implementation.target))
        if partner.plainest_of == 0 and others > 1:
            yield f"    the one of {others} that has most forms; none does the same in any call"
        elif partner.plainest_of and partner.plainest_of > 1:
            yield f"    the plainest of {partner.plainest_of} that do nearly the same in most calls"
    yield from _taken(operation, common)
    for implementation, cases in common.lacking.items():
        yield f"  {implementation.api} has no form for {counted(len(cases), 'call')} that another has one for."
    yield from _apart(operation, common)
    yield from _safe(operation, common)
    yield from _unsafe(operation, common, outcome_text)
    if common.unproven:
        yield f"  Not shown: {', '.join(_unproven(operation, common, condition) for condition in common.unproven)}"


def _taken(operation: Evidence, common: Porting) -> Iterator[str]:
    if len(common.implementations) > 2:
        known = len(common.agreeing) + len(common.differing)
        yield f"  All do the same in {len(common.agreeing)} of {known} calls that they have a form for."
        return
    first, second = common.implementations
    found = takes(operation, first, second)
    yield f"  The same in {found.same.bit_count()} of {counted(found.both.bit_count(), 'call')} that both take."
    refused, accepted, both = (cases.bit_count() for cases in (found.refused, found.accepted, found.both_refuse))
    parts = [f"{second.api} refuses {counted(refused, 'call')} that {first.api} takes"] if refused else []
    parts += [f"{first.api} refuses {counted(accepted, 'call')} that {second.api} takes"] if accepted else []
    parts += [f"both refuse {counted(both, 'call')}"] if both else []
    yield from [f"  {'; '.join(parts)}."] if parts else []
    if found.ended:
        yield f"  One of them ends the process, or does not return, in {counted(found.ended.bit_count(), 'call')}."


def _apart(operation: Evidence, common: Porting) -> Iterator[str]:
    """What does not do the same each time."""
    for implementation in common.implementations:
        letters = operation.cases_by_letter[implementation]
        varying, depending = (letters.get(letter, 0).bit_count() for letter in (VARIES, DEPENDS))
        if varying:
            yield f"  {implementation.api} does not do the same each time in {counted(varying, 'call')}."
        if depending:
            yield f"  {implementation.api} depends on earlier calls in {counted(depending, 'call')}, which show nothing here."


def _safe(operation: Evidence, common: Porting) -> Iterator[str]:
    yield from _conditions(operation, "Safe", {name: len(cases) for name, cases in common.safe.items()})
    yield from _conditions(operation, "All raise", {name: len(cases) for name, cases in common.raising.items()})


def _unsafe(operation: Evidence, common: Porting, outcome_text: OutcomeText) -> Iterator[str]:
    yield from ["  Not safe"] if common.unsafe else []
    for condition, cases in common.unsafe.items():
        yield f"    {condition} ({len(cases)})"
        outcomes = (
            f"{implementation.api} {_counts_text(outcome_text(implementation, case, common.implementations) for case in cases)}"
            for implementation in common.implementations
        )
        yield f"      {'; '.join(outcomes)}"
        if len(common.implementations) == 2:
            said = advice(operation, condition, operation.case_set(cases), *common.implementations)
            yield from [f"      To do: {said}."] if said else []


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

"""Where targets agree, as text: for each operation the call of each, and the conditions that are safe and that are not."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from conformance.findings.agreement import Porting, porting
from conformance.findings.conditions import INDICES_IN
from conformance.findings.evidence import (
    DIED,
    HUNG,
    NOTHING,
    RAISED,
    UNSUPPORTED,
    VARIES,
    Evidence,
    Implementation,
    evidence,
)
from conformance.reports.text import visible
from conformance.results.file import Results

WORDS = {
    NOTHING: "says nothing",
    UNSUPPORTED: "has no form",
    DIED: "died",
    HUNG: "hung",
    VARIES: "varies from call to call",
    RAISED: "raises",
}


class PortingError(Exception):
    """Targets that cannot be put beside each other; the message says what the results hold."""


def chosen_targets(results: Results, names: Sequence[str]) -> list[str]:
    """The ids of targets that are named by them, or by what they begin with; PortingError where one is not to be had."""
    known = list(dict.fromkeys(one.target for one in results.mappings))
    found = [_target(known, name) for name in names]
    if len(set(found)) < 2:
        raise PortingError(f"--porting takes two or more targets; the results hold {', '.join(known) or 'none'}")
    return list(dict.fromkeys(found))


def _target(known: Sequence[str], name: str) -> str:
    fitting = [one for one in known if one == name] or [one for one in known if one.startswith(name)]
    if len(fitting) != 1:
        what = "names several targets" if fitting else "is no target of the results"
        raise PortingError(f"--porting {name}: {what}; allowed: {', '.join(fitting or known) or 'none'}")
    return fitting[0]


def porting_lines(results: Results, targets: Sequence[str], width: int) -> Iterator[str]:
    """What the targets have in common, an operation after the other."""
    behaviours = {(one.case, one.target, one.api): one.behaviour for one in results.results if one.behaviour}

    def word(found: Evidence, of: Implementation, case: str) -> str:
        letter = found.outcomes[of][found.place(case)].lower()
        behaviour = behaviours.get((case, of.target, of.api))
        known = WORDS.get(letter) or (behaviour if behaviour not in (None, "other") else None)
        return known or f"value {letter}"

    for found in evidence(results):
        chosen = [found.standing_for(target)[:1] for target in targets]
        lacking = [target for target, of in zip(targets, chosen, strict=True) if not of]
        yield ""
        yield visible(found.operation)
        if lacking:
            yield f"  No API of {', '.join(lacking)} stands for it."
            continue
        got = porting(found, [of for some in chosen for of in some])
        for line in _operation(found, got, word):
            yield from textwrap.wrap(visible(line), width, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2))


Word = Callable[[Evidence, Implementation, str], str]


def _operation(found: Evidence, got: Porting, word: Word) -> Iterator[str]:
    for of in got.implementations:
        yield f"  {of.target}  {of.api}"
    yield f"  They agree on {len(got.agreeing)} of {len(got.agreeing) + len(got.differing)} calls."
    raising = {one for one, cases in got.safe.items() if all(_raises(found, got, case) for case in cases)}
    yield from _conditions(found, "Safe", {one: len(some) for one, some in got.safe.items() if one not in raising})
    yield from _conditions(found, "All raise", {one: len(got.safe[one]) for one in got.safe if one in raising})
    yield from ["  Not safe"] if got.unsafe else []
    for condition, cases in got.unsafe.items():
        yield f"    {condition} ({len(cases)})"
        did = (f"{of.api} {_said(word(found, of, case) for case in cases)}" for of in got.implementations)
        yield f"      {'; '.join(did)}"
    if got.unproven:
        yield f"  Not shown: {', '.join(_unproven(found, got, one) for one in got.unproven)}"


def _unproven(found: Evidence, got: Porting, condition: str) -> str:
    """A condition that no call shows, and the APIs that have such indices cast."""
    is_dtype = condition.startswith(INDICES_IN)
    casting = [of.api for of in got.implementations if is_dtype and found.cast[of] & found.having[condition]]
    return f"{condition} (cast for {', '.join(casting)})" if casting else condition


def _raises(found: Evidence, got: Porting, case: str) -> bool:
    return found.outcomes[got.implementations[0]][found.place(case)].lower() == RAISED


def _conditions(found: Evidence, title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """A title, and a line for each question with the conditions that answer it."""
    yield from [f"  {title}"] if counts else []
    for question, some in groupby(counts, key=lambda one: found.questions[one]):
        yield f"    {question}: {', '.join(f'{one} ({counts[one]})' for one in some)}"


def _said(words: Iterable[str]) -> str:
    counts = Counter(words)
    return ", ".join(f"{word} {count}" if len(counts) > 1 else word for word, count in counts.items())

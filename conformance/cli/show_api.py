"""``conformance show API``: what an API does in each situation, from the published run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from conformance.app.published import Published
from conformance.reports.behaviours import WORDS
from conformance.reports.tables import terminal_width
from conformance.reports.text import counted, json_text, wrapped
from conformance.specification.dtypes import NAMES

Behaviour = Mapping[str, Any]
ALONE = ("past-the-end", "below-zero", "far-outside", "usual")
"""Situations that have a line of their own; others in which an API does the same share one."""
ARGUMENTS = "arguments"
"""The situation that is about the arguments after a call."""
INDICES = " indices"
MOST_DIFFERING = 4
"""Situations that are named of another mode."""


def show_apis(names: Sequence[str], published: Published, *, as_json: bool) -> None:
    """Print what these APIs do in their newest version that was run."""
    width = terminal_width()
    for number, name in enumerate(names):
        if as_json:
            for behaviour in published.of_api[name]:
                click.echo(json_text(behaviour))
            continue
        if number:
            click.echo("")
        for line in _lines(published.of_api[name], published):
            text = line.lstrip()
            for part in [line] if width is None else wrapped(text, width, line[: len(line) - len(text)]):
                click.echo(part)


def _lines(behaviours: Sequence[Behaviour], published: Published) -> Iterator[str]:
    titles = published.content["situations"]
    for operation in dict.fromkeys(behaviour["operation"] for behaviour in behaviours):
        of_operation = [behaviour for behaviour in behaviours if behaviour["operation"] == operation]
        target, *others = dict.fromkeys(behaviour["target"] for behaviour in of_operation)
        yield f"{behaviours[0]['api']} ({operation}) on {target}"
        does = _does(of_operation, target)
        groups: dict[str, list[str]] = {}
        for situation, text in does.items():
            if situation in ALONE:
                groups[f"{situation}: {text}"] = [situation]
            else:
                groups.setdefault(text, []).append(situation)
        for situations in groups.values():
            yield f"  {_titles(situations, titles)}: {does[situations[0]]}"
        for other in others:
            yield f"  {_difference(of_operation, titles, target, other)}"
    yield f"({published.release})"


def _titles(situations: Sequence[str], titles: Mapping[str, str]) -> str:
    """``no indices; int8, int16 indices``: of several dtypes the noun stands once."""
    words = [titles[one] for one in situations]
    dtypes = [word.removesuffix(INDICES) for word in words if word.removesuffix(INDICES) in NAMES]
    others = [word for word in words if word.removesuffix(INDICES) not in NAMES]
    return "; ".join([*others, *([f"{', '.join(dtypes)}{INDICES}"] if dtypes else [])])


def _does(behaviours: Sequence[Behaviour], target: str) -> dict[str, str]:
    """By situation, all that an API does in it, and whether that is documented."""
    by_situation: dict[str, dict[str, list[str]]] = {}
    for behaviour in behaviours:
        if behaviour["target"] == target and behaviour["situation"] != ARGUMENTS:
            said = by_situation.setdefault(behaviour["situation"], {})
            said.setdefault(_said(behaviour), []).append(_verb(behaviour))
    return {
        situation: "; ".join(f"{', '.join(verbs)}, {said}" for said, verbs in texts.items())
        for situation, texts in by_situation.items()
    }


def _verb(behaviour: Behaviour) -> str:
    word = WORDS[behaviour["verb"]][1]
    calls, of = behaviour["calls"], behaviour["of"]
    return word if calls == of else f"{word} in {calls} of {counted(of, 'call')}"


def _said(behaviour: Behaviour) -> str:
    """What is documented of it; a claim about a situation need not decide what every call in it does."""
    verdicts, calls = behaviour["verdicts"], behaviour["calls"]
    ended = verdicts.get("died", 0) + verdicts.get("hung", 0)
    if ended:
        return "whatever its documentation says"
    own = verdicts.get("own", 0)
    if own:
        return "against its documentation" if own == calls else f"in {counted(own, 'call')} against its documentation"
    is_claimed = behaviour["claims"] or behaviour["of_all_calls"]
    as_documented = verdicts.get("conforms", 0) if is_claimed else 0
    if as_documented:
        return "as documented" if as_documented == calls else f"in {counted(as_documented, 'call')} as documented"
    return "its documentation does not say"


def _verbs(behaviours: Sequence[Behaviour], target: str) -> dict[str, set[str]]:
    """By situation, all that an API does in it, however often and whatever is documented."""
    found: dict[str, set[str]] = {}
    for behaviour in behaviours:
        if behaviour["target"] == target and behaviour["situation"] != ARGUMENTS:
            found.setdefault(behaviour["situation"], set()).add(behaviour["verb"])
    return found


def _difference(behaviours: Sequence[Behaviour], titles: Mapping[str, str], first: str, target: str) -> str:
    """In which situations another mode or device does something else."""
    does, other = _verbs(behaviours, first), _verbs(behaviours, target)
    differing = [one for one, verbs in other.items() if does.get(one) != verbs]
    if not differing:
        fewer = (
            ""
            if other.keys() == does.keys()
            else f" in {counted(len(other), 'situation')}, the only one{'s' if len(other) > 1 else ''} tried there"
        )
        return f"on {target}: the same{fewer}"
    more = len(differing) - MOST_DIFFERING
    rest = f"; {counted(more, 'other situation')}" if more > 0 else ""
    return f"on {target}: not the same with {_titles(differing[:MOST_DIFFERING], titles)}{rest}"

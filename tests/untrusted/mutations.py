"""Random changes of JSON records and of texts."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

STRANGE: Sequence[Any] = (
    None, True, 0, -1, 2**63, 10**30, 1e308, "", "x" * 5000, "\ud800", "\0", "a\nb", "../../outside", "./evil.py@cpu",
    "javascript:alert(1)", "::error::x", "{{ x }}", "__import__('os')", "NaN", "zeros([99999999, 99999])", "nan",
    "reference@cpu", "returned", "died", [], [1], ["a"], [[[[1]]]], {}, {"a": 1}, {"int32": [1]}, {"bool": "zeros([4, 4])"},
)  # fmt: skip
"""Values for a field in place of its own."""
ARGUMENTS: Sequence[Any] = (
    {"int32": False}, {"int64": 1}, {"int64": [0]}, {"bool": [[True, False]]}, {"float32": []}, {"float32": [[[1.5]]]}, 3, [2], [[1]], "x", None,
)  # fmt: skip
"""Values for an argument of a call, in place of one of another rank or kind."""

Place = tuple[str | int, ...]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Where a value and its parts are."""
    yield place
    parts = value.items() if isinstance(value, dict) else enumerate(value[:5]) if isinstance(value, list) else ()
    for name, part in parts:
        yield from places(part, (*place, name))


def mutated(random: Random, value: Any) -> Any:
    """The value with one part changed, removed, or replaced by another part."""
    changed = copy.deepcopy(value)
    every = list(places(value))
    place = random.choice(every)
    if not place:
        return random.choice(STRANGE)
    inside = changed
    for name in place[:-1]:
        inside = inside[name]
    how = random.random()
    if how < 0.2:
        del inside[place[-1]]
        return changed
    other = copy.deepcopy(value)
    for name in random.choice(every):
        other = other[name]
    inside[place[-1]] = other if how < 0.4 else random.choice(STRANGE)
    return changed


def mutated_lines(random: Random, lines: Sequence[str]) -> list[str]:
    """Lines of JSON with some changed, removed, repeated, exchanged or garbled."""
    changed = list(lines)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at = random.randrange(len(changed))
        how = random.random()
        if how < 0.65:
            changed[at] = json.dumps(mutated(random, _loaded(changed[at])))
        elif how < 0.75:
            at = random.choice([number for number, line in enumerate(changed) if '"call":' in line] or [at])
            changed[at] = json.dumps(_with_another_argument(random, _loaded(changed[at])))
        elif how < 0.85 and len(changed) > 1:
            del changed[at]
        elif how < 0.95:
            changed.insert(at, random.choice(changed))
        else:
            changed[at] = mutated_text(random, changed[at])
    return changed


def _with_another_argument(random: Random, record: Any) -> Any:
    """The record of a case, with another value for an argument of its call; any other one as it is."""
    call = record.get("call") if isinstance(record, dict) else None
    if not isinstance(call, dict) or not call:
        return record
    return {**record, "call": {**call, random.choice(sorted(call)): random.choice(ARGUMENTS)}}


def mutated_text(random: Random, text: str) -> str:
    """A text with some characters changed, or lines repeated, indented, removed or exchanged."""
    for _ in range(random.choice((1, 1, 2, 4))):
        lines = text.split("\n")
        at, other = (random.randrange(len(lines)) for _ in range(2))
        match random.randrange(6):
            case 0:
                lines[at] = " " * random.randrange(6) + lines[at].strip()
            case 1:
                lines[at], lines[other] = lines[other], lines[at]
            case 2:
                del lines[at]
            case 3:
                lines[at] = lines[other]
            case 4:
                head, colon, _ = lines[at].partition(":")
                lines[at] = f"{head}{colon} {json.dumps(random.choice(STRANGE))}"
            case _:
                cut = random.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:cut] + random.choice("\0\t:{}[]&*!|>%@`'\"\ufeff\x85é0") + lines[at][cut:]
        text = "\n".join(lines)
    return text


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line

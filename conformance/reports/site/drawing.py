"""The picture of a call as part of a page, which needs no script: its tensors, what should come and what came.

What belongs together has the same small letter, as in the diagrams of the panel.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from conformance.reports.glossary import sentence
from conformance.reports.literals import (
    Description,
    Elements,
    expectation_description,
    flat_elements,
    outcome_description,
)
from conformance.reports.site.pictures import is_drawn, picture
from conformance.reports.text import shortened, visible
from conformance.results.records import CaseRecord, ResultRecord

CELL = 28
LETTER = 7.3
BETWEEN = 9
MOST_OF_AN_ELEMENT = 11
MOST_OF_A_MESSAGE = 160
MOST_LETTERS = 3


@dataclass(frozen=True)
class _Marks:
    """By the number of an element: its moves, whether it is out of bounds, and whether it differs."""

    moves: Mapping[int, Sequence[int]] = field(default_factory=dict)
    first_of: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Of these moves, those whose first element it is: it has their letters."""
    outside: Collection[int] = ()
    differs: Collection[int] = ()


def drawn_call(case: CaseRecord, result: ResultRecord | None = None) -> Markup | None:
    """A figure of a call, what should come and, of a result, what came; None if nothing of it can be drawn."""
    parts = picture(case)
    if parts is None or all(part["cells"] is None for part in parts["parts"]):
        return None
    marks = _marks(parts["moves"])
    boxes = [_part(part, marks[part["role"]] if part["role"] in marks else _Marks()) for part in parts["parts"]]
    drawn = {part["name"] for part in parts["parts"]}
    boxes += [_message(name, str(value)) for name, value in case.call.items() if name not in drawn and _is_plain(value)]
    landed = marks["moved" if parts["out"] else "target"]
    right = result.relation.right if result and result.relation else None
    expected = outcome_description(right) if right else expectation_description(case.expectation)
    if result is None:
        boxes.append(_outcome("result", expected, parts, landed, ()))
    else:
        differs = _differing(result)
        boxes.append(_outcome("what should come", expected, parts, landed, differs))
        boxes.append(_outcome("what came", outcome_description(result.outcome), parts, landed, differs))
    return Markup(
        '<figure class="picture still"><div class="boxes">{}</div><figcaption>{}</figcaption></figure>'
    ).format(Markup("").join(boxes), _caption(parts, result))


def _is_plain(value: Any) -> bool:
    return value is not None and not isinstance(value, dict)


def _caption(parts: Mapping[str, Any], result: ResultRecord | None) -> str:
    sentences = ["What has the same small letter belongs together."] if parts["moves"] else []
    if any(move[1] == [] for move in parts["moves"]):
        sentences.append("Dashed cells are out of bounds.")
    if result is not None and result.differences:
        sentences.append("Cells with ≠ differ.")
    if result is not None and result.explanation:
        sentences.append(sentence(visible(shortened(result.explanation, MOST_OF_A_MESSAGE))))
    return " ".join(sentences)


def _marks(moves: Sequence[Sequence[list[int] | None]]) -> dict[str, _Marks]:
    found = {}
    for position, role in enumerate(("index", "target", "moved")):
        of_cells: dict[int, list[int]] = {}
        first: dict[int, list[int]] = {}
        outside = set()
        for number, move in enumerate(moves):
            cells = move[position] or []
            for cell in cells:
                of_cells.setdefault(cell, []).append(number)
            for cell in cells[:1]:
                first.setdefault(cell, []).append(number)
            if position == 0 and move[1] == []:
                outside.update(cells)
        found[role] = _Marks(of_cells, first, outside)
    return found


def _part(part: Mapping[str, Any], marks: _Marks) -> Markup:
    if part["cells"] is None:
        return _box(part["name"], part["head"], None)
    return _box(part["name"], part["head"], _svg(part["name"], part["shape"], part["cells"], marks))


def _outcome(
    name: str, description: Description, parts: Mapping[str, Any], landed: _Marks, differs: Collection[int]
) -> Markup:
    if not isinstance(description, Elements) or not is_drawn(description.shape):
        return _message(name, description.head)
    is_result = parts["result"] is not None and parts["result"]["shape"] == list(description.shape)
    marks = _Marks(landed.moves, landed.first_of, (), differs) if is_result else _Marks(differs=differs)
    return _box(name, description.head, _svg(name, description.shape, flat_elements(description.values), marks))


def _differing(result: ResultRecord) -> set[int]:
    """The numbers of the elements that differ, as far as the record names them."""
    shape = getattr(result.outcome, "shape", ())
    places = [one.index for one in result.differences.first if one.result is None] if result.differences else []
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return {
        sum(at * stride for at, stride in zip(place, strides, strict=True))
        for place in places
        if len(place) == len(shape)
    }


def _box(name: str, head: str, svg: Markup | None) -> Markup:
    return Markup('<div class="box"><b>{}</b><small>{}</small>{}</div>').format(visible(name), visible(head), svg or "")


def _message(name: str, text: str) -> Markup:
    short = shortened(visible(text), MOST_OF_A_MESSAGE)
    return Markup('<div class="box"><b>{}</b><p class="message">{}</p></div>').format(visible(name), short)


def _svg(name: str, shape: Sequence[int], cells: Sequence[str], marks: _Marks) -> Markup:
    """The last two axes are rows and columns of a block; blocks go down, then across, along the axes before."""
    texts = [
        text if len(text) <= MOST_OF_AN_ELEMENT else f"{text[: MOST_OF_AN_ELEMENT - 1]}…"
        for text in map(visible, cells)
    ]
    wide = max(26, round(max(map(len, texts), default=0) * LETTER) + 12)
    rows, columns = (*shape[-2:],) if len(shape) > 1 else (1, shape[0] if shape else 1)
    outer = shape[:-2]
    across = outer[1] if len(outer) > 1 else 1
    down = outer[0] if outer else 1
    size = rows * columns
    drawn = []
    for number, text in enumerate(texts):
        block, within = divmod(number, size)
        y = (block // across) * (rows * CELL + BETWEEN) + (within // columns) * CELL + 1
        x = (block % across) * (columns * wide + BETWEEN) + (within % columns) * wide + 1
        drawn.append(_cell(x, y, wide, text, number, marks))
    width = across * (columns * wide + BETWEEN) - BETWEEN + 2
    height = down * (rows * CELL + BETWEEN) - BETWEEN + 2
    label = f"{name}: {', '.join(cells)}"
    return Markup('<svg role="img" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}">{}</svg>').format(
        visible(label), width, height, width, height, Markup("").join(drawn)
    )


def _cell(x: int, y: int, width: int, text: str, number: int, marks: _Marks) -> Markup:
    moves = marks.moves.get(number)
    differs = number in marks.differs
    kind = (
        "differs" if differs else "outside" if number in marks.outside else f"hit tint-{moves[-1] % 2}" if moves else ""
    )
    inner = [Markup('<rect x="{}" y="{}" width="{}" height="{}"/>').format(x, y, width, CELL)]
    inner.append(Markup('<text class="middle" x="{}" y="{}">{}</text>').format(x + width / 2, y + CELL - 7, text))
    letters = ",".join(_letters(marks.first_of.get(number, ())))
    if letters:
        inner.append(Markup('<text class="tag" x="{}" y="{}">{}</text>').format(x + 3, y + 9, letters))
    if differs:
        inner.append(Markup('<text class="tag end" x="{}" y="{}">≠</text>').format(x + width - 4, y + 10))
    return Markup('<g class="{}">{}</g>').format(escape(kind), Markup("").join(inner))


def _letters(moves: Sequence[int]) -> Iterator[str]:
    """A to z, then a1 to z1 and so on, as in the panel; of many the first ones."""
    for move in moves[:MOST_LETTERS]:
        rounds, letter = divmod(move, 26)
        yield f"{chr(ord('a') + letter)}{rounds or ''}"
    if len(moves) > MOST_LETTERS:
        yield "…"

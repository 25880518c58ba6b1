"""Compares what a statement prints with what its documentation shows, by numbers and shapes.

scipy-doctest does not fit: it evaluates both texts with ``eval``, which would run what a target prints in the suite's own
process; it knows the arrays of NumPy but not ``tensor(...)``, ``Array(...)`` or ``<tf.Tensor: ...>``; it compares with
``numpy.allclose``, which broadcasts shapes and allows one percent; and it needs pytest. Here both texts are only read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from conformance.documentation.words import words

_TOKEN = re.compile(
    r"(?P<omitted>\.\.\.)"
    r"|(?P<bracket>[\[\]])"
    r"|(?P<number>(?:[+-]|(?<![\w.:]))(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|(?:inf|nan)(?!\w)))"
    r"|(?<!\w)(?P<truth>true|false)(?!\w)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)
"""Remarks beside what is printed; no framework prints such a sign."""


@dataclass(frozen=True)
class Mismatch:
    """How a printed text differs from the documented one."""

    what: Literal["nothing", "shape", "number", "words"]
    says: str
    """In our words, to be read after "it prints"."""


@dataclass(frozen=True)
class _Token:
    kind: Literal["omitted", "bracket", "number", "truth"]
    text: str


def mismatch(documented: str, printed: str) -> Mismatch | None:
    """The first difference that matters; None if the same numbers are printed in the same arrangement.

    White space, commas, the names of types and dtypes, and digits beyond the documented ones make no difference. Texts
    without numbers are compared by their words.
    """
    expected, actual = _tokens(_COMMENT.sub("", documented)), _tokens(printed)
    if not printed.strip():
        return Mismatch("nothing", "nothing")
    if not any(token.kind != "omitted" for token in expected):
        is_same = words(documented, is_code=True) == words(printed, is_code=True)
        return None if is_same or expected else Mismatch("words", "other words")
    actual = [token for token in actual if token.kind != "omitted"]
    if any(token.kind == "omitted" for token in expected):
        return None if _fits(expected, actual) else Mismatch("number", "other numbers than those that are shown")
    return _first_difference(expected, actual)


def _tokens(text: str) -> list[_Token]:
    return [_Token(match.lastgroup, match[0].casefold()) for match in _TOKEN.finditer(text)]  # type: ignore[arg-type]


def _first_difference(expected: Sequence[_Token], actual: Sequence[_Token]) -> Mismatch | None:
    if _arrangement(expected) != _arrangement(actual):
        return Mismatch("shape", f"{_shape_text(actual)} instead of {_shape_text(expected)}")
    numbers = [(one, other) for one, other in zip(expected, actual, strict=True) if one.kind != "bracket"]
    for position, (one, other) in enumerate(numbers, 1):
        if not _same(one, other):
            return Mismatch("number", f"{other.text} instead of {one.text} as number {position} of {len(numbers)}")
    return None


def _arrangement(tokens: Sequence[_Token]) -> str:
    """The brackets and the places of the numbers in them."""
    return "".join(token.text if token.kind == "bracket" else "." for token in tokens)


def _same(expected: _Token, actual: _Token) -> bool:
    if expected.kind == "bracket" or expected.kind != actual.kind or "truth" in (expected.kind, actual.kind):
        return expected == actual
    one, other = float(expected.text), float(actual.text)
    if not (math.isfinite(one) and math.isfinite(other)):
        return one == other or (math.isnan(one) and math.isnan(other))
    return abs(Decimal(expected.text) - Decimal(actual.text)) <= _rounding(expected.text)


def _rounding(text: str) -> Decimal:
    """Half a unit of the last documented digit; none for a number without decimals."""
    exponent = Decimal(text).as_tuple().exponent
    is_rounded = isinstance(exponent, int) and ("e" in text or exponent < 0)
    return Decimal((0, (5,), int(exponent) - 1)) if is_rounded else Decimal(0)


def _fits(expected: Sequence[_Token], actual: Sequence[_Token]) -> bool:
    """Whether the parts around what the documentation omits follow each other, with anything between them."""
    first, *others = _parts(expected)
    if not _begins_with(actual, first):
        return False
    at = len(first)
    for number, part in enumerate(others, 1):
        starts = range(at, len(actual) - len(part) + 1)
        matching = (start for start in starts if _begins_with(actual[start:], part))
        is_last = number == len(others)
        start = next((start for start in matching if not is_last or start + len(part) == len(actual)), None)
        if start is None:
            return False
        at = start + len(part)
    return True


def _parts(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    part: list[_Token] = []
    for token in tokens:
        if token.kind == "omitted":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _begins_with(tokens: Sequence[_Token], part: Sequence[_Token]) -> bool:
    return len(tokens) >= len(part) and all(map(_same, part, tokens))


def _shape_text(tokens: Sequence[_Token]) -> str:
    """``the shape (2, 3)``, or how many numbers there are if they are not a single array."""
    shape = _shape(_arrangement(tokens))
    if shape is not None:
        return f"the shape {tuple(shape)}" if shape else "a single number"
    return f"{sum(token.kind != 'bracket' for token in tokens)} numbers in another arrangement"


def _shape(arrangement: str) -> list[int] | None:
    """The shape of a single array; None for anything else."""
    lengths: list[int] = []
    while arrangement != ".":
        rows = set(re.findall(r"\[(\.*)\]", arrangement))
        if len(rows) != 1:
            return None
        [row] = rows
        lengths.insert(0, len(row))
        arrangement = arrangement.replace(f"[{row}]", ".")
    return lengths

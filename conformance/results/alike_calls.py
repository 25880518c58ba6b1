"""Which calls are alike: whatever follows from a call of the results file follows from the other one, too.

They differ in elements of data alone, in what nothing depends on that is said of a call: where its indices point, its lengths,
dtypes and forms, and whether its data are all equal or have numbers that behave unlike others. What is said of the elements
themselves, or of the result, is no matter of these. A file has several calls of most kinds: draws, other dtypes of a control,
and the calls of several clauses.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Any

from conformance.results.records import CaseRecord
from conformance.specification.dtypes import kind_of

_BRACKETS = b"[],"
_NOT_BRACKETS = bytes(code for code in range(256) if code not in _BRACKETS)
_NUMBERS = re.compile(r"[\[\]\d., -]*")
_NOT_SIMPLE = re.compile(r"\d{4}|-0")
"""What a dtype may round or not hold, and what may be a negative zero."""
_SMALL = re.compile(r"(?:[\[\], ]|(?:-?[1-9]\d?|0)(?:\.0)?(?=[,\]]))*")
"""Whole numbers of two digits, which every dtype but those of eight bits for floats has."""
_NARROW = ("int8", "uint8", "float16", "bfloat16")


class AlikeCalls:
    """The calls of a file, each by the first one that is like it."""

    def __init__(self, cases: Mapping[str, CaseRecord]) -> None:
        self._cases = cases
        self._first: dict[str, CaseRecord] = {}
        self._by_key: dict[bytes, CaseRecord] = {}
        self._layouts: dict[tuple[int, int], str] = {}

    def first(self, case: CaseRecord) -> CaseRecord:
        """The first case of the file whose call is like that of a case of it, with the same program around it."""
        found = self._first.get(case.id)
        if found is None:
            key = blake2b(repr(self._key(case)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            found = self._first[case.id] = self._by_key.setdefault(key, case)
        return found

    def counted(self, cases: Iterable[CaseRecord]) -> list[tuple[CaseRecord, int]]:
        """The first of each kind of call among cases, with the number of those like it."""
        numbers: dict[str, tuple[CaseRecord, int]] = {}
        for case in cases:
            first = self.first(case)
            numbers[first.id] = first, numbers.get(first.id, (first, 0))[1] + 1
        return list(numbers.values())

    @cached_property
    def _indices(self) -> Mapping[str, set[str]]:
        """By operation, the arguments that are an index in any call."""
        indices: dict[str, set[str]] = {}
        for case in self._cases.values():
            if case.points:
                indices.setdefault(case.operation, set()).update(case.points)
        return indices

    def _key(self, case: CaseRecord) -> Hashable:
        indices = self._indices.get(case.operation, ())
        # What a program makes of data may be an index.
        simple = () if case.program is not None else [name for name in case.call if name not in indices]
        arguments = [(name, _data(value) if name in simple else value) for name, value in case.call.items()]
        return case.operation, self._layout(case), case.program, arguments

    def _layout(self, case: CaseRecord) -> str:
        # Both are objects that many records of the file share.
        key = (id(case.axes), id(case.points))
        if key not in self._layouts:
            self._layouts[key] = repr((case.axes, case.points))
        return self._layouts[key]


def _data(written: Any) -> Hashable:
    """What of an argument without indices others depend on."""
    if not isinstance(written, dict) or len(written) != 1:
        return repr(written)
    [(dtype, elements)] = written.items()
    text = repr(elements)
    if not isinstance(elements, list) or not _is_simple(dtype, text):
        return dtype, text
    return dtype, text.encode().translate(None, _NOT_BRACKETS), _are_equal(text)


def _is_simple(dtype: str, text: str) -> bool:
    """Whether the dtype has each of these elements exactly, and none of them behaves unlike others."""
    is_integer = kind_of(dtype) == "integer"
    if is_integer and ("." in text or ("-" in text and dtype.startswith("u"))):
        return False
    if dtype in _NARROW:
        return _SMALL.fullmatch(text) is not None
    is_wide = is_integer or dtype in ("float32", "float64")
    return is_wide and _NUMBERS.fullmatch(text) is not None and not _NOT_SIMPLE.search(text)


def _are_equal(text: str) -> bool:
    items = set(_items(text))
    return len(items) < 2 or (any("." in item for item in items) and len(set(map(float, items))) < 2)


def _items(text: str) -> Iterable[str]:
    return filter(None, text.replace("[", "").replace("]", "").split(", "))

"""The results and cases of a file in little memory: a file may hold a million results, and most of what they say is never read.

What many records have in common is kept once. The outcome of a result stays JSON, and so do the call and the expectation of
a case, compressed, until somebody looks at them. To all readers they are records like any other.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any

import msgspec
from pydantic import TypeAdapter

from conformance.outcomes.model import Outcome, Returned, Status, Unsupported
from conformance.results.literals import Packed
from conformance.results.records import CaseRecord, Record, ResultRecord
from conformance.results.variations import (
    DerivedRecord,
    MeantToBreak,
    PassedRecord,
    VariationRecord,
    WrittenRecord,
    base_of,
)

_DECODED = 4096
"""Number of outcomes to keep decoded; most APIs of a case have the same."""
_IN_BLOCK = 64
"""Number of texts that are compressed together; neighbours are alike, and mostly read one after another."""
_LEVEL = 1
"""Of compression: the fastest."""
_BLOCKS = 32
"""Number of blocks to keep decompressed."""


class StoredResult(ResultRecord):
    """A result that was read from a file. One that is made of it with other values is a plain record."""

    __slots__ = ("_case", "_outcome", "_seconds", "_shared")
    _case: str
    _seconds: float
    _outcome: bytes | Outcome
    """As JSON if the call returned an array. What else a call may end in, few results have alone."""
    _shared: ResultRecord
    """Has all other fields."""

    def __new__(cls, *values: Any, **named: Any) -> ResultRecord:  # type: ignore[misc] # for dataclasses.replace
        """A plain record."""
        return ResultRecord(*values, **named)

    @staticmethod
    def of(case: str, seconds: float, outcome: bytes | Outcome, shared: ResultRecord) -> StoredResult:
        stored: StoredResult = _new(StoredResult)
        _set(stored, "_case", case)
        _set(stored, "_seconds", seconds)
        _set(stored, "_outcome", outcome)
        _set(stored, "_shared", shared)
        return stored

    @property
    def outcome(self) -> Outcome:
        """Decoded when it is asked for."""
        outcome = self._outcome
        return _returned(outcome) if isinstance(outcome, bytes) else outcome

    @property
    def status(self) -> Status:
        """As of the record, without decoding."""
        outcome = self._outcome
        return "returned" if isinstance(outcome, bytes) else outcome.status

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResultRecord) and _of_result(self) == _of_result(other)

    __hash__ = ResultRecord.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return ResultRecord, _of_result(self)


class StoredCase(CaseRecord):
    """A case that was read from a file. One that is made of it with other values is a plain record."""

    __slots__ = ("_id", "_number", "_place", "_shared", "_texts", "_variation")
    _texts: Texts
    _place: int
    """Of its call, control, expectation, digest and note among the texts."""
    _shared: CaseRecord
    """Has the fields that it has not itself."""

    def __new__(cls, *values: Any, **named: Any) -> CaseRecord:  # type: ignore[misc] # for dataclasses.replace
        """A plain record."""
        return CaseRecord(*values, **named)

    @property
    def digest(self) -> str:
        """Decoded when it is asked for, as the note is."""
        digest: str = self._others[0]
        return digest

    @property
    def note(self) -> str | None:
        note: str | None = self._others[1]
        return note

    @property
    def _others(self) -> Any:
        return json.loads(self._texts.parts(self._place)[-1])

    @staticmethod
    def of(record: CaseRecord, variation: VariationRecord, shared: CaseRecord, texts: Texts) -> StoredCase:
        stored: StoredCase = _new(StoredCase)
        _set(stored, "_id", record.id)
        _set(stored, "_number", record.number)
        _set(stored, "_variation", variation)
        _set(stored, "_shared", shared)
        _set(stored, "_texts", texts)
        _set(stored, "_place", texts.add(_texts_of(record)))
        return stored

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaseRecord) and _of_case(self) == _of_case(other)

    __hash__ = CaseRecord.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return CaseRecord, _of_case(self)


_new: Any = object.__new__
_set = object.__setattr__
_of_result = attrgetter(*(field.name for field in fields(ResultRecord)))
_of_case = attrgetter(*(field.name for field in fields(CaseRecord)))
_OWN = {"case": "_case", "seconds": "_seconds", "id": "_id", "number": "_number", "variation": "_variation"}
"""Fields of which each record has its own value."""
_OWN_PARTS = ("case", "outcome", "seconds")
"""Fields of which each result has its own value."""
_PACKED = ("call", "control", "expectation")
"""Fields of cases that stay compressed, beside digest and note."""


def _add_fields(kind: type[Any], record: type[Any]) -> None:
    """Add the fields that records of a kind have in common, and those of which each has its own value."""
    for name in (field.name for field in fields(record)):
        if name not in vars(kind):
            setattr(kind, name, property(attrgetter(_OWN.get(name, f"_shared.{name}"))))


def _part(number: int) -> Any:
    def part(case: StoredCase) -> Any:
        return case._texts.parts(case._place)[number]  # of this module

    return part


for _number, _name in enumerate(_PACKED):
    setattr(StoredCase, _name, property(_part(_number)))
_add_fields(StoredCase, CaseRecord)
_add_fields(StoredResult, ResultRecord)


class Texts:
    """The texts of cases, which are compressed in blocks. None has a line break."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._open: list[bytes] = []
        self.parts = lru_cache(maxsize=_IN_BLOCK)(self._parts)
        self._read = lru_cache(maxsize=_BLOCKS)(self._block)

    def add(self, text: bytes) -> int:
        """Add a text and return its place."""
        place = len(self._blocks) * _IN_BLOCK + len(self._open)
        self._open.append(text)
        if len(self._open) == _IN_BLOCK:
            self._blocks.append(zlib.compress(b"\n".join(self._open), _LEVEL))
            self._open = []
        return place

    def _parts(self, place: int) -> tuple[Any, ...]:
        """The call, control and expectation at a place; and digest and note as JSON."""
        block, number = divmod(place, _IN_BLOCK)
        text = self._open[number] if block == len(self._blocks) else self._read(block)[number]
        call, control, expectation, others = text.decode("utf-8", "surrogatepass").split("\t")
        return Packed.of(call), None if control == "null" else Packed.of(control), Packed.of(expectation), others

    def _block(self, number: int) -> Sequence[bytes]:
        return zlib.decompress(self._blocks[number]).split(b"\n")


def _texts_of(case: CaseRecord) -> bytes:
    literals = (case.call, case.control, case.expectation)
    texts = [value.text if isinstance(value, Packed) else _encode(value and dict(value)) for value in literals]
    return "\t".join([*texts, _encode((case.digest, case.note))]).encode("utf-8", "surrogatepass")


_encode = json.JSONEncoder().encode


_EXPONENT = re.compile(rb"[0-9][eE]\+?[0-9]{3,}[\],}\s]")
_LONG = re.compile(rb"[0-9]{309}")


def refuse_non_finite(text: bytes) -> None:
    """ValueError for a number that is not finite, which JSON lacks; such elements are strings."""
    if b"NaN" in text or b"Infinity" in text or _EXPONENT.search(text) or _LONG.search(text):
        json.loads(text, parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    if not math.isfinite(float(text)):
        raise ValueError(f"{text} is not a finite number")
    return float(text)


_RETURNED: msgspec.json.Decoder[Returned] = msgspec.json.Decoder(Returned)


@lru_cache(maxsize=_DECODED)
def _returned(text: bytes) -> Returned:
    return _RETURNED.decode(text)


class Reader:
    """Reads the results and cases of one file, which share what they have in common."""

    def __init__(self, validate: Callable[[bytes], Record], cases: Mapping[str, CaseRecord]) -> None:
        """validate: makes a whole record of a line; cases: those that were read before."""
        self._validate, self._cases = validate, cases
        self._texts = Texts()
        self._of_cases: dict[str, CaseRecord] = {}
        self._variations: dict[VariationRecord, VariationRecord] = {}
        self._of_results: dict[bytes, ResultRecord] = {}
        self._outcomes: dict[bytes, bytes | Outcome] = {}

    def record(self, line: bytes) -> Record:
        """The record of a line; ValueError if it is not valid."""
        row = _row(line)
        shared = self._of_results.get(_key(row)) if row is not None else None
        if row is not None and shared is not None and (outcome := self._outcome(row)) is not None:
            # All parts of the line were validated, here or in other lines.
            return StoredResult.of(self._id(row.case), row.seconds, outcome, shared)
        record = self._validate(line)
        if isinstance(record, CaseRecord):
            return self._case(record)
        if row is None or not isinstance(record, ResultRecord):
            return record
        shared = replace(record, case="", outcome=Unsupported(""), seconds=0.0)
        self._of_results[_key(row)] = shared
        return StoredResult.of(self._id(row.case), row.seconds, self._shared_outcome(row, record.outcome), shared)

    def _id(self, case: str) -> str:
        record = self._cases.get(case)
        return case if record is None else record.id

    def _outcome(self, row: Any) -> bytes | Outcome | None:
        """The outcome, or its JSON if the call returned an array; None if it is not valid."""
        text = bytes(row.outcome)
        known = self._outcomes.get(text)
        if known is not None:
            return known
        try:
            refuse_non_finite(text)
            return self._shared_outcome(row, _outcome_adapter().validate_json(text, strict=True))
        except ValueError:
            return None

    def _shared_outcome(self, row: Any, outcome: Outcome) -> bytes | Outcome:
        text = bytes(row.outcome)
        return self._outcomes.setdefault(text, text if isinstance(outcome, Returned) else outcome)

    def _case(self, record: CaseRecord) -> CaseRecord:
        key = repr(_SHARED_OF_CASE(record))
        shared = self._of_cases.get(key)
        if shared is None:
            shared = self._of_cases[key] = replace(record, **_WITHOUT_OWN)
        return StoredCase.of(record, self._shared_variation(record.variation), shared, self._texts)

    def _shared_variation(self, variation: VariationRecord) -> VariationRecord:
        base = self._cases.get(base_of(variation) or "")
        if isinstance(variation, DerivedRecord) and base is not None:
            return replace(variation, base=base.id)
        is_hashable = isinstance(variation, MeantToBreak) and not isinstance(variation, PassedRecord)
        return self._variations.setdefault(variation, variation) if is_hashable else variation


_WITHOUT_OWN: Mapping[str, Any] = {
    "id": "",
    "number": None,
    "variation": WrittenRecord(),
    "call": {},
    "control": None,
    "expectation": {},
    "digest": "",
    "note": None,
}
_SHARED_OF_CASE = attrgetter(*(field.name for field in fields(CaseRecord) if field.name not in _WITHOUT_OWN))
_RESULT = b'"kind":"result"}\n'
"""How the line of a result ends."""
_SHARED_FIELDS = [field.name for field in fields(ResultRecord) if field.name not in _OWN_PARTS]
_FIELDS: list[tuple[str, Any] | tuple[str, Any, Any]] = [
    *(("case", str), ("outcome", msgspec.Raw), ("seconds", float, 0.0)),
    *((name, msgspec.Raw, msgspec.Raw(b"")) for name in _SHARED_FIELDS),
]
_ROW: msgspec.json.Decoder[Any] = msgspec.json.Decoder(msgspec.defstruct("_Row", _FIELDS))
_SHARED_PARTS = attrgetter(*_SHARED_FIELDS)


def _row(line: bytes) -> Any:
    """The parts of a line with a result; None if it is no such line, or if what each result has of its own is not valid."""
    if not line.endswith(_RESULT):
        return None
    try:
        return _ROW.decode(line)
    except msgspec.MsgspecError:
        return None


def _key(row: Any) -> bytes:
    """What a result has in common with others. A line has no breaks inside."""
    return b"\n".join(_SHARED_PARTS(row))


@cache
def _outcome_adapter() -> TypeAdapter[Outcome]:
    return TypeAdapter(Outcome)

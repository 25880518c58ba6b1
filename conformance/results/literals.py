"""Calls and expectations in a results file, in the notation of specs.

In memory they stay JSON text, which takes a tenth of the memory: a file may hold a hundred thousand calls with their
arrays, and most of them are never read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, ItemsView, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, GetPydanticSchema, Strict
from pydantic_core.core_schema import no_info_wrap_validator_function

_CACHED = 16
"""Number of decoded mappings to cache, since most are read several times in a row."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PartLiteral(_Part):
    """One of several results."""

    name: str
    dtype: str
    shape: list[int]


class ReturnsLiteral(_Part):
    """An expected result; a large result has ``text``, its literal, instead of ``values``."""

    dtype: str
    shape: list[int]
    source: Literal["printed", "spec", "reference", "relation"]
    values: Any = None
    text: str | None = None
    digits: int | None = None
    within: float | None = None
    remains: Literal["any"] | None = None
    parts: list[PartLiteral] | None = None
    """The results of a program that are joined, in order."""


class ExpectsReturn(_Part):
    """A result is expected."""

    returns: ReturnsLiteral


class ExpectsError(_Part):
    """An error is expected, of this type if one is named."""

    raises: Literal[True] | str


class RelationLiteral(_Part):
    """The expressions of both sides of a metamorphic relation."""

    left: str
    right: str


class ExpectsRelation(_Part):
    """Both sides are expected to be the same."""

    relation: RelationLiteral


class ExpectsNothing(_Part):
    """Nothing is expected; the reason why the result is only observed."""

    observed: str


class Packed(Mapping[str, Any]):
    """A read-only mapping that is decoded from its JSON text on access; do not change its values."""

    __slots__ = ("_text",)

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._text = _encode(content)

    @classmethod
    def of(cls, text: str) -> Packed:
        """The mapping that a text denotes, of which another one consists."""
        packed = cls.__new__(cls)
        packed._text = text
        return packed

    @property
    def text(self) -> str:
        """As JSON."""
        return self._text

    def __getitem__(self, key: str) -> Any:
        return _read(self._text)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_read(self._text))

    def items(self) -> ItemsView[str, Any]:
        """As of any mapping; the text is read once, and not for each of them."""
        return _read(self._text).items()

    def __len__(self) -> int:
        return len(_read(self._text))

    def __repr__(self) -> str:
        return f"Packed({_read(self._text)!r})"


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@lru_cache(maxsize=_CACHED)
def _read(text: str) -> dict[str, Any]:
    try:
        content: dict[str, Any] = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):  # half of a surrogate pair
        content = json.loads(text)
    return content


LiteralValue = dict[str, Any] | list[Any] | Annotated[int, Strict()] | Annotated[float, Strict()] | str | None
_Expectation = ExpectsReturn | ExpectsError | ExpectsRelation | ExpectsNothing


def _packed(content: Any) -> GetPydanticSchema:
    """Validated as this type, stored as ``Packed``."""

    def pack(value: Any, validate: Callable[[Any], object]) -> Packed:
        validate(value)
        return Packed(value)

    return GetPydanticSchema(lambda _, handler: no_info_wrap_validator_function(pack, handler.generate_schema(content)))


CallLiterals = Annotated[Mapping[str, Any], _packed(dict[str, LiteralValue])]
"""Maps arguments to literals: ``{"int32": [[4], [3]]}``, ``{"float32": "zeros([13, 11])"}``, ``[8]``, ``"add"``, null."""
ExpectationLiteral = Annotated[Mapping[str, Any], _packed(_Expectation)]

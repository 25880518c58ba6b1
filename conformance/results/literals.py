"""Calls and expectations as a results file holds them: in the form in which a spec writes them.

Read from a file they are kept as JSON text, which takes a tenth of the memory of what it says: a file may hold a hundred
thousand calls with their arrays, and of most of them nobody asks for more than a line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, GetPydanticSchema
from pydantic_core.core_schema import no_info_wrap_validator_function

_LAST = 16
"""Mappings that are kept as they were read, as one is mostly asked several times in a row."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ReturnsLiteral(_Part):
    """An expected result; a large one has ``text``, its literal, in place of ``values``."""

    dtype: str
    shape: list[int]
    source: Literal["printed", "spec", "reference", "relation"]
    values: Any = None
    text: str | None = None
    digits: int | None = None
    within: float | None = None
    remains: Literal["any"] | None = None


class ExpectsReturn(_Part):
    """A result is expected."""

    returns: ReturnsLiteral


class ExpectsError(_Part):
    """An error is expected, of this type where it is named."""

    raises: Literal[True] | str


class RelationLiteral(_Part):
    """The expressions of both sides of a metamorphic relation."""

    left: str
    right: str


class ExpectsRelation(_Part):
    """Both sides are expected to be the same."""

    relation: RelationLiteral


class ExpectsNothing(_Part):
    """No document says what is due: the reason why it is only observed."""

    observed: str


class Packed(Mapping[str, Any]):
    """A mapping that is read from its text each time that it is asked; what it gives is not to be changed."""

    __slots__ = ("_text",)

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))

    def __getitem__(self, key: str) -> Any:
        return _read(self._text)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_read(self._text))

    def __len__(self) -> int:
        return len(_read(self._text))

    def __repr__(self) -> str:
        return f"Packed({_read(self._text)!r})"


@lru_cache(maxsize=_LAST)
def _read(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    return content


LiteralValue = dict[str, Any] | list[Any] | int | float | str | None
_Expectation = ExpectsReturn | ExpectsError | ExpectsRelation | ExpectsNothing


def _packed(content: Any) -> GetPydanticSchema:
    """Validated as this type, kept as ``Packed``."""

    def pack(value: Any, validate: Callable[[Any], object]) -> Packed:
        validate(value)
        return Packed(value)

    return GetPydanticSchema(lambda _, handler: no_info_wrap_validator_function(pack, handler(content)))


CallLiterals = Annotated[Mapping[str, Any], _packed(dict[str, LiteralValue])]
"""Argument to its literal: ``{"int32": [[4], [3]]}``, ``{"float32": "zeros([13, 11])"}``, ``[8]``, ``"add"``, ``1.23``, null."""
ExpectationLiteral = Annotated[Mapping[str, Any], _packed(_Expectation)]

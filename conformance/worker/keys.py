"""Keys: what stands in brackets behind a tensor, as in ``x[1:, None, i]``. They travel as data, and functions get what Python puts there.

A framework may read the text of what it compiles, so that the tensors of a key are put in their places by a function whose text has
the key written out.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Union

from conformance.adapter import Api
from conformance.worker.generated import define

KEY = "key"
"""The argument of an operation that is a key."""

Item = Any
"""A slice, a number, a bool, None, ``...``, or the name of the argument that is the tensor there."""


@dataclass(frozen=True)
class Key:
    """The items in brackets."""

    items: tuple[Item, ...]
    is_alone: bool = False
    """It is its only item, as in ``x[0]``, and not a tuple of one, as in ``x[0,]``."""

    @property
    def text(self) -> str:
        """As a person writes it."""
        text = ", ".join(map(_written, self.items))
        return text if self.is_alone or len(self.items) != 1 else f"{text},"

    @property
    def names(self) -> frozenset[str]:
        """The arguments that stand in it."""
        return frozenset(item for item in self.items if isinstance(item, str))

    @property
    def code(self) -> str:
        """A Python expression for what Python puts in brackets, with tensors by the names of their arguments."""
        items = [item if isinstance(item, str) else "..." if item is ... else repr(item) for item in self.items]
        if self.is_alone:
            return items[0]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def to_items(key: Key) -> list[Any]:
    """The items for a header: a slice as its bounds, the name of a tensor, and the others as they are."""
    return [_encoded(item) for item in key.items]


def from_items(items: Sequence[Any], *, is_alone: bool) -> Key:
    """The key with these items of a header."""
    return Key(tuple(map(_decoded, items)), is_alone)


@dataclass(frozen=True)
class KeyedApi(Api):
    """An API whose function takes these keys by their text, as do others that it calls in a program."""

    keys: tuple[Key, ...] = ()


def keyed(api: Api, arguments: Mapping[str, Any]) -> tuple[Api, dict[str, Any]]:
    """The API with a function that takes each key among the arguments as its text, and the arguments with these texts."""
    keys = tuple(value for value in arguments.values() if isinstance(value, Key))
    if not keys:
        return api, dict(arguments)
    texts = {name: value.text if isinstance(value, Key) else value for name, value in arguments.items()}
    return _taking(api, keys), texts


def with_keys_of(api: Api, other: Api) -> Api:
    """Another API that takes the keys that an API takes."""
    return _taking(other, api.keys) if isinstance(api, KeyedApi) else other


def texts_of_keys(api: Api) -> list[str]:
    """The keys that an API takes, as a person writes them."""
    return [key.text for key in api.keys] if isinstance(api, KeyedApi) else []


def _taking(api: Api, keys: tuple[Key, ...]) -> KeyedApi:
    own = {each.name: getattr(api, each.name) for each in fields(Api)}
    return KeyedApi(**{**own, "function": _filling(api.function, keys)}, keys=keys)


@lru_cache(maxsize=1024)
def _of_texts(function: Callable[..., Any], text: str) -> Callable[..., Any]:
    """The function that a text defines, which calls this one."""
    name = f"conformance_key_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    made: Callable[..., Any] = vars(define(name, text, {"call": function}))["keyed"]
    return made


def _filling(function: Callable[..., Any], keys: Sequence[Key]) -> Callable[..., Any]:
    """A function of the same arguments that takes these keys by their text, and gives them with the tensors that stand there."""
    parameters = [*inspect.signature(function).parameters.values()]
    names = {each.name for each in parameters}
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)
    if KEY not in names and not takes_any:
        return function
    fitting = [key for key in dict.fromkeys(_Same(key) for key in keys) if takes_any or key.names <= names]
    return _of_texts(function, _text(parameters, fitting)) if fitting else function


class _Same(Key):
    """A key that is the same as another one if it is written so; a slice cannot be hashed in every version of Python."""

    def __init__(self, key: Key) -> None:
        super().__init__(key.items, key.is_alone)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def _text(parameters: Sequence[inspect.Parameter], keys: Sequence[Key]) -> str:
    """A function that makes the call for the key whose text it is asked for; the last one needs no question."""
    names = {each.name for each in parameters}
    others = next((each.name for each in parameters if each.kind is inspect.Parameter.VAR_KEYWORD), "")
    asked = KEY if KEY in names else f"{others}[{KEY!r}]"
    calls = {}
    for key in keys:
        items = (f"{others}[{item!r}]" if isinstance(item, str) and item not in names else item for item in key.items)
        code = Key(tuple(items), key.is_alone).code
        calls[key.text] = f"call({', '.join(_passed(each, code, KEY in names) for each in parameters)})"
    *firsts, last = calls
    lines = [f"    if {asked} == {text!r}:\n        return {calls[text]}" for text in firsts]
    head = f"def keyed({', '.join(_declared(parameters))}):"
    return "\n".join([head, *lines, f"    return {calls[last]}"]) + "\n"


def _declared(parameters: Sequence[inspect.Parameter]) -> Iterator[str]:
    has_star = False
    for each in parameters:
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "*"
        star = "**" if each.kind is inspect.Parameter.VAR_KEYWORD else ""
        yield f"{star}{each.name}" + ("" if each.default is inspect.Parameter.empty else f"={each.default!r}")


def _passed(parameter: inspect.Parameter, key: str, has_key: bool) -> str:
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return f"**{parameter.name}" if has_key else f"**{{**{parameter.name}, {KEY!r}: {key}}}"
    value = key if parameter.name == KEY else parameter.name
    return f"{parameter.name}={value}" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else value


def _written(item: Item) -> str:
    if isinstance(item, slice):
        start, stop, step = ("" if bound is None else str(bound) for bound in (item.start, item.stop, item.step))
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
    return "..." if item is ... else str(item)


def _encoded(item: Item) -> Union[bool, int, str, dict[str, Any], None]:
    if isinstance(item, slice):
        return {"slice": [item.start, item.stop, item.step]}
    if isinstance(item, str):
        return {"tensor": item}
    return "..." if item is ... else item


def _decoded(item: Any) -> Item:
    if isinstance(item, dict):
        return slice(*item["slice"]) if "slice" in item else str(item["tensor"])
    return ... if item == "..." else item

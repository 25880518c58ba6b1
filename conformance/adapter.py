"""What an adapter imports: the ``api`` decorator, ``Unsupported``, ``FellBack`` and ``Abstract``.

This module is staged into the target's own interpreter, so it uses the standard library only and Python 3.9 syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Optional, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_ATTRIBUTE = "__conformance_apis__"


class Unsupported(Exception):
    """The API has no such form (a scalar source, a reduction); decided from the arguments alone."""


class FellBack(Exception):
    """The framework ran a call otherwise than in the mode it was asked for, so that the result says nothing of the mode."""


@dataclass(frozen=True)
class Abstract:
    """What ``to_numpy`` gives for a tensor without values: in a mode that infers shapes and dtypes only."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Api:
    """One public callable of a framework, mapped onto one operation of the suite."""

    name: str
    operation: str
    function: Callable[..., Any]
    composed: bool = False
    in_place: Optional[str] = None
    follows: Optional[str] = None
    index_dtypes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()


def api(
    name: str,
    *,
    operation: str,
    composed: bool = False,
    in_place: Optional[str] = None,
    follows: Optional[str] = None,
    index_dtypes: Sequence[str] = (),
    dtypes: Sequence[str] = (),
    exists: bool = True,
) -> Callable[[Function], Function]:
    """Map the decorated function onto ``operation`` under the name its users type.

    composed: several calls stand in for the operation.
    in_place: the argument that the API changes.
    follows: the documented API whose promises this undocumented one makes.
    index_dtypes: the integer dtypes the API takes as indices, most natural first; empty means any.
        In a portability judgement other integer indices are cast to the first one.
    dtypes: the dtypes it promises to take besides those of the documents' examples. Cases in these are judged.
    exists: whether this version of the framework has the API; the function is left out where it does not.
    """

    def register(function: Function) -> Function:
        if not exists:
            return function
        entry = Api(name, operation, function, composed, in_place, follows, tuple(index_dtypes), tuple(dtypes))
        setattr(function, _ATTRIBUTE, (*getattr(function, _ATTRIBUTE, ()), entry))
        return function

    return register


def apis_of(namespace: dict[str, Any]) -> list[Api]:
    """The APIs that a module's functions map, in the order of their definition."""
    found: dict[str, Api] = {}
    for value in namespace.values():
        for entry in getattr(value, _ATTRIBUTE, ()) if callable(value) else ():
            found.setdefault(f"{entry.name} {entry.operation}", entry)
    return list(found.values())

"""What an adapter imports: the ``api`` and ``hook`` decorators, ``Unsupported``, ``NotExported``, ``FellBack`` and ``Abstract``.

This module is staged into the target's own interpreter, so it uses the standard library only and Python 3.9 syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional, TypeVar, Union

Function = TypeVar("Function", bound=Callable[..., Any])

Documentation = Union[str, Sequence[str], Callable[[], Union[str, Sequence[str]]]]

_ATTRIBUTE = "__conformance_apis__"
_DOCUMENTATION = "__conformance_documentation__"
PRELOAD, REPLACES, BACKEND = "CONFORMANCE_PRELOAD", "CONFORMANCE_REPLACES", "CONFORMANCE_BACKEND"
"""Environment variables of a worker: code that is run once the adapter is imported, the modules that it gets in place of
others, as ``torch=mine other=mine.other``, and what compiles. The target.toml of a derived target sets them."""


class Unsupported(Exception):
    """The API does not support this form of call, such as a scalar source; decided only from the arguments."""


class NotExported(Exception):
    """An exporter or an execution provider did not take a call that the framework itself performs; the message says why."""


class FellBack(Exception):
    """The framework did not run a call in the requested mode, so its result does not show how the mode behaves."""


@dataclass(frozen=True)
class Abstract:
    """The result of ``to_numpy`` for a tensor without values, in a mode that only infers shapes and dtypes."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Api:
    """A public callable of a framework that implements an operation of the suite."""

    name: str
    operation: str
    function: Callable[..., Any]
    composed: bool = False
    in_place: Optional[str] = None
    follows: Optional[str] = None
    index_dtypes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    helpers: dict[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    documented_by: Callable[[], tuple[str, ...]] = tuple
    """The objects whose ``__doc__`` is its documentation; asked once the adapter is set up."""


_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
INDEX_DTYPES = "INDEX_DTYPES"
"""What an adapter's file may define: the integer dtypes that its APIs accept for indices, unless ``api`` names others."""


def api(
    name: str,
    *,
    operation: str,
    composed: bool = False,
    in_place: Optional[str] = None,
    follows: Optional[str] = None,
    index_dtypes: Optional[Sequence[str]] = None,
    dtypes: Sequence[str] = (),
    helpers: Optional[Mapping[str, str]] = None,
    devices: Sequence[str] = (),
    documentation: Documentation = (),
    exists: bool = True,
) -> Callable[[Function], Function]:
    """Register the decorated function as an implementation of ``operation``.

    name: the API's public name, such as ``torch.gather``.
    composed: the operation is composed of several calls, as it is with helpers.
    in_place: the argument that the API changes.
    follows: the documented API whose documentation this undocumented API follows.
    index_dtypes: the integer dtypes that the API accepts for indices, most natural first; empty means any. By default
        INDEX_DTYPES of the adapter's file, and any if it has none. When it is judged for portability, indices of another
        integer dtype are cast to the first.
    dtypes: dtypes that it promises to accept, in addition to those of the documents' examples. Their cases are judged.
    helpers: of a composed function, what another call checks before the API is called: an argument (``shape``) or a
        property of one (``indices.rank``), with the name of that call. Rules about nothing else are not judged.
    devices: the kinds of devices for which the framework has a kernel, such as ``ascend``, or ``cpu[pynative]`` for
        one mode only; empty means all. On others, only the calls written in the specs are made, and an error means that
        there is none.
    documentation: the dotted names of the objects whose ``__doc__`` is the API's documentation, such as
        ``jax.numpy.ndarray.at`` for ``jax.Array.at[].set``; by default the API that it follows, or its own name without
        arguments in parentheses.
        If the mode decides which objects they are: a function that returns the names after ``setup``.
    exists: whether this version of the framework has the API; if not, the function is not registered.
    """

    def register(function: Function) -> Function:
        if not exists:
            return function
        for text in (name, operation):
            if not isinstance(text, str):
                raise TypeError(f"@api({name!r}, operation={operation!r}): both must be texts, such as 'torch.gather'")
        entry = Api(
            name,
            operation,
            function,
            composed or bool(helpers),
            in_place,
            follows,
            _integers(f"@api({name!r}): index_dtypes", index_dtypes or ()),
            tuple(dtypes),
            dict(helpers or {}),
            tuple(devices),
            _documented_by(documentation or follows or name.partition("(")[0]),
        )
        setattr(function, _ATTRIBUTE, (*getattr(function, _ATTRIBUTE, ()), (entry, index_dtypes is None)))
        return function

    return register


def _integers(what: str, dtypes: Sequence[str]) -> tuple[str, ...]:
    """The names of integer dtypes; for anything else TypeError or ValueError, which say what is allowed."""
    if isinstance(dtypes, str) or not isinstance(dtypes, Sequence):
        raise TypeError(f"{what} is {dtypes!r}; expected a tuple of integer dtypes, such as ('int64', 'int32')")
    for dtype in dtypes:
        if dtype not in _INTEGERS:
            raise ValueError(f"{what} has {dtype!r}; allowed: {', '.join(_INTEGERS)}")
    return tuple(dtypes)


def hook(documentation: Documentation) -> Callable[[Function], Function]:
    """Say what an adapter's ``vjp``, ``jvp`` or ``vmap`` calls, so that its derivatives or batches are held to the documentation of that.

    documentation: as for ``api``, the dotted names of the objects, such as ``jax.vjp``. Documents describe the first one.
    """

    def register(function: Function) -> Function:
        setattr(function, _DOCUMENTATION, _documented_by(documentation))
        return function

    return register


def hooks_of(namespace: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """By the name of a hook, the objects whose documentation says what it computes; asked once the adapter is set up."""
    found = {name: getattr(namespace.get(name), _DOCUMENTATION, None) for name in ("vjp", "jvp", "vmap")}
    return {name: documented_by() for name, documented_by in found.items() if documented_by is not None}


def _documented_by(documentation: Documentation) -> Callable[[], tuple[str, ...]]:
    if callable(documentation):
        return lambda: _names(documentation())
    names = _names(documentation)
    return lambda: names


def _names(documentation: Union[str, Sequence[str]]) -> tuple[str, ...]:
    return (documentation,) if isinstance(documentation, str) else tuple(documentation)


def apis_of(namespace: dict[str, Any]) -> list[Api]:
    """Return the APIs of a module's functions in the order of their definition; TypeError or ValueError for a wrong INDEX_DTYPES."""
    usual = _integers(INDEX_DTYPES, namespace.get(INDEX_DTYPES, ()))
    apis: dict[str, Api] = {}
    for value in namespace.values():
        for entry, is_usual in getattr(value, _ATTRIBUTE, ()) if callable(value) else ():
            chosen = replace(entry, index_dtypes=usual) if is_usual else entry
            apis.setdefault(f"{entry.name} {entry.operation}", chosen)
    return list(apis.values())


def carrying(
    function: Callable[..., Any], compile_function: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Callable[..., Any]:
    """Compile a function with a tracer that turns exceptions into its own, so that ``Unsupported`` comes out unchanged.

    Use it in ``prepare``: ``return carrying(function, tf.function)``. The tracer must run the function's Python code.
    """
    reasons: list[Unsupported] = []

    def traced(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except Unsupported as reason:
            reasons.append(reason)
            raise

    compiled = compile_function(traced)

    def call(*arguments: Any, **keywords: Any) -> Any:
        reasons.clear()
        try:
            return compiled(*arguments, **keywords)
        except Exception:
            if reasons:
                raise reasons[-1] from None
            raise

    return call


def naming_lines(prepared: Callable[..., Any], function: Any, words: str) -> Callable[..., Any]:
    """What ``prepare`` returned for a function that makes many calls, with errors that show the line of a call as Python does.

    Use it in ``prepare_together`` if a compiler has words of its own for that, such as ``In file {file}:{line}``, in the text of
    an error or of one that caused it.
    """
    file = function.func.__code__.co_filename
    pattern = re.escape(words).replace(re.escape("{file}"), re.escape(file)).replace(re.escape("{line}"), r"(\d+)")

    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return prepared(*arguments, **keywords)
        except Exception as error:
            found = [re.search(pattern, str(each)) for each in _causes(error)]
            place = next((place for place in found if place is not None), None)
            if place is None:
                raise
            raise error from SyntaxError(f'File "{file}", line {place[1]}')

    return call


def _causes(error: Optional[BaseException]) -> Iterator[BaseException]:
    """An error, and those that caused it."""
    while error is not None:
        yield error
        error = error.__cause__

"""Literals of arguments and results in specs: ``{int32: [[4], [3]]}``, ``{float32: "zeros([13, 11])"}``, ``[8]``, ``add``."""

from __future__ import annotations

import ast
import math
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conformance.specification.dtypes import NAMES, kind_of, numpy_dtype
from conformance.specification.numbers import elements
from conformance.specification.problems import nearest

VIEWS = ("transposed", "strided", "offset", "expanded", "loose", "empty")


def misfit(view: str, array: np.ndarray[Any, Any]) -> str | None:
    """The reason why an array cannot be this view, to be appended to its name; None if it can."""
    if view == "transposed" and array.ndim < 2:
        return f"needs at least two axes; this tensor has {array.ndim}"
    if view in ("strided", "offset") and array.ndim < 1:
        return "needs at least one axis; this tensor has none"
    if view == "empty" and array.size:
        return f"needs a tensor without elements; this one has {array.size}"
    if view == "loose" and 1 not in array.shape:
        return "needs an axis of length one, whose stride does not matter; this tensor has none"
    if view == "expanded" and not _repeats(array):
        return "needs an axis of length two or more along which all elements are equal; this tensor has none"
    return None


def _repeats(array: np.ndarray[Any, Any]) -> bool:
    if not array.size:
        return False
    data = array.tobytes()
    return any(
        length > 1 and np.array(np.broadcast_to(array.take([0], axis), array.shape)).tobytes() == data
        for axis, length in enumerate(array.shape)
    )


MOST_ELEMENTS = 2**24
"""The maximum number of elements of a tensor, and of all tensors that a constructor makes."""
MOST_LENGTHS = 1000
"""The maximum number of items of a shape or a list, and of characters of a text."""
LONGEST_QUOTED = 300
"""The maximum number of characters of a literal in a message."""
MOST_NESTED = 50
"""The maximum depth of nested constructors."""
_INTEGER = re.compile(r"-?[0-9]{1,20}")


class LiteralError(Exception):
    """An invalid literal; the message says what is allowed."""


@dataclass(frozen=True)
class Tensor:
    """An array with the name of its dtype, and its literal in a spec."""

    dtype: str
    array: np.ndarray[Any, Any]
    written: Any
    """Nested lists or a constructor such as ``zeros([13, 11])``; None if only the array is known."""
    view: str | None = None
    """The memory layout in which it is passed to the framework; None for a contiguous tensor."""

    def __reduce__(self) -> tuple[Any, ...]:
        """To be stored as bytes, which take less time to read again than an array does; the array is then read-only."""
        return _stored, (self.dtype, self.shape, self.array.tobytes(), self.written, self.view)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def rank(self) -> int:
        return self.array.ndim

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def kind(self) -> str:
        return kind_of(self.dtype)

    def cast(self, dtype: str) -> Tensor:
        """The same elements in another dtype."""
        return replace(self, dtype=dtype, array=frozen(self.array.astype(numpy_dtype(dtype))))


Argument = Tensor | tuple[int, ...] | list[Any] | int | float | str | None
"""An argument of a call: a tensor, a shape as a tuple, or a plain value."""


def frozen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array, made read-only."""
    array.setflags(write=False)
    return array


def _stored(dtype: str, shape: tuple[int, ...], data: bytes, written: Any, view: str | None) -> Tensor:
    return Tensor(sys.intern(dtype), np.ndarray(shape, numpy_dtype(dtype), data), written, view)


def tensor(dtype: str, written: Any) -> Tensor:
    """A tensor from nested lists or a constructor; LiteralError for anything else."""
    if dtype not in NAMES:
        raise LiteralError(f"undefined dtype {dtype!r}{nearest(dtype, NAMES)}")
    if isinstance(written, str):
        return Tensor(dtype, frozen(np.array(construct(written), numpy_dtype(dtype))), written)
    return Tensor(dtype, frozen(_from_lists(dtype, written)), written)


def sparse(dtype: str, shape: Sequence[int], positions: Any, values: Any) -> Tensor:
    """A tensor of zeros with these values at row-major positions; no memory is used for zeros that nobody writes."""
    array = np.zeros(math.prod(shape), numpy_dtype(dtype))
    array[np.asarray(positions, np.int64)] = values
    listed = ", ".join(str(list(np.asarray(part).tolist())) for part in (positions, values))
    return Tensor(dtype, frozen(array.reshape(tuple(shape))), f"sparse({list(shape)}, {listed})")


def argument(written: Any) -> Argument:
    """The argument that a literal denotes; LiteralError if it is invalid."""
    if isinstance(written, dict) and "view" in written:
        return _viewed(argument({key: value for key, value in written.items() if key != "view"}), written["view"])
    if isinstance(written, dict):
        if len(written) != 1:
            raise LiteralError(_not_one_dtype(written))
        [(key, value)] = written.items()
        return _in_another_form(key, value) if key in ("list", "scalar") else tensor(key, value)
    if isinstance(written, list | str):
        _limit_lengths(written)
    if isinstance(written, list):
        if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in written):
            raise LiteralError(
                f"a shape is a flat list of numbers; found {shortened(written)}; a tensor needs its dtype"
            )
        return tuple(written)
    if isinstance(written, bool):
        raise LiteralError(
            "true and false are not allowed here; write a tensor, {bool: true}, or for a call about it a number passed as a bool, "
            "{scalar: true}"
        )
    return written  # type: ignore[no-any-return] # int, float, str or None: the remaining YAML types


def _in_another_form(key: str, value: Any) -> list[Any] | bool:
    """A shape passed as a list, or a bool passed as a number."""
    if key == "scalar":
        if not isinstance(value, bool):
            raise LiteralError(f"{{scalar: true}} passes a bool as a number; found {shortened(value)}")
        return value
    if not isinstance(value, list):
        raise LiteralError(f"a list is {{list: [..]}}; found {shortened(value)}")
    _limit_lengths(value)
    return value


def _limit_lengths(value: list[Any] | str) -> None:
    """LiteralError for what expressions would take long to compare or join."""
    if len(value) > MOST_LENGTHS:
        unit, subject = ("characters", "text") if isinstance(value, str) else ("items", "list")
        raise LiteralError(f"a {subject} of {len(value)} {unit}; at most {MOST_LENGTHS} {unit} are allowed")
    for item in value if isinstance(value, list) else ():
        if isinstance(item, list | str):
            _limit_lengths(item)


def shortened(written: Any) -> str:
    """A literal for a message."""
    text = repr(written)
    return text if len(text) <= LONGEST_QUOTED else f"{text[: LONGEST_QUOTED - 3]}..."


def _not_one_dtype(written: dict[str, Any]) -> str:
    dtype, *more = [*written] or [""]
    value = written.get(dtype)
    if isinstance(value, str) and "(" in value and not any(written[key] for key in more):
        text = ", ".join([value, *more])
        return f'{text} needs quotes, because YAML interprets its commas; write {{{dtype}: "{text}"}}'
    return f"a tensor has a single key, its dtype, as in {{int32: [1, 2]}}; found keys {list(written)}"


def written_form(value: Argument) -> Any:
    """The literal of an argument, as JSON and YAML values."""
    if isinstance(value, Tensor):
        view = {"view": value.view} if value.view else {}
        return {value.dtype: _elements(value) if value.written is None else _finite(value.written), **view}
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, bool):
        return {"scalar": value}
    return {"list": value} if isinstance(value, list) else value


def _elements(value: Tensor) -> Any:
    """The elements as lists, or an expression for a shape that lists without elements do not tell."""
    return f"zeros({list(value.shape)})" if 0 in value.shape[:-1] else elements(value.array)


def compact(value: Argument) -> Argument:
    """The argument without a copy of its elements as lists, which need much more memory than an array."""
    if isinstance(value, Tensor) and value.array.size and value.written == elements(value.array):
        return replace(value, written=None)
    return value


def _viewed(value: Argument, view: Any) -> Tensor:
    if view not in VIEWS:
        raise LiteralError(f"undefined view {view!r}{nearest(str(view), VIEWS)}")
    if not isinstance(value, Tensor):
        raise LiteralError("only a tensor can be a view; write it as {float32: [[1, 2], [3, 4]], view: transposed}")
    reason = misfit(view, value.array)
    if reason is not None:
        raise LiteralError(f"view {view!r} {reason}")
    return replace(value, view=view)


def _finite(written: Any) -> Any:
    """Nested lists with non-finite numbers as strings such as ``"nan"``, as JSON requires."""
    if isinstance(written, list):
        return [_finite(item) for item in written]
    return str(written) if isinstance(written, float) and not math.isfinite(written) else written


def _exact(written: Any) -> Any:
    """Nested lists with integers that are written as strings, which those beyond 2**53 are in JSON, as integers."""
    if isinstance(written, list):
        return [_exact(item) for item in written]
    return int(written) if isinstance(written, str) and _INTEGER.fullmatch(written) else written


def _from_lists(dtype: str, written: Any) -> np.ndarray[Any, Any]:
    if kind_of(dtype) == "integer":
        written = _exact(written)
    try:
        with warnings.catch_warnings():
            # NumPy 1 only warns about an integer that the dtype cannot represent.
            warnings.simplefilter("error", DeprecationWarning)
            array = np.array(written, dtype=numpy_dtype(dtype))
    except (TypeError, ValueError, OverflowError, DeprecationWarning) as error:
        reason = _ragged(written) or f"{shortened(written)}: {error}"
        raise LiteralError(f"not the elements of a {dtype} tensor: {reason}") from None
    # As objects, because NumPy would turn integers that need all 64 bits into floats.
    exact = np.array(written, dtype=object).ravel() if kind_of(dtype) in ("integer", "bool") else ()
    if not all(isinstance(item, int | np.integer) for item in exact):
        raise LiteralError(f"elements that {dtype} cannot represent: {shortened(written)}")
    return array


def _ragged(written: Any) -> str | None:
    """A description of nested lists of different lengths or depths; None if they are regular."""
    lengths = []
    first = written
    while isinstance(first, list) and first:
        lengths.append(len(first))
        first = first[0]

    def mismatch(value: Any, at: list[int]) -> str | None:
        expected = lengths[len(at)] if len(at) < len(lengths) else None
        length = len(value) if isinstance(value, list) else None
        if length != expected:
            texts = ["one element" if count is None else f"a list of {count}" for count in (length, expected)]
            return f"the lists are ragged: {texts[0]} at {at}, but {texts[1]} at {[0] * len(at)}"
        return (
            next(filter(None, (mismatch(item, [*at, n]) for n, item in enumerate(value or ()))), None)
            if length
            else None
        )

    return mismatch(written, [])


def construct(text: str) -> np.ndarray[Any, Any]:
    """The array that a constructor builds: zeros, ones, full, arange, reshape, concat and sparse, which may be nested."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise LiteralError(f"not a constructor: {shortened(text)}: {getattr(error, 'msg', error)}") from None
    try:
        return np.asarray(_Constructor(text).evaluate(tree))
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        raise LiteralError(f"{shortened(text)}: {error}") from None


class _Constructor:
    """Evaluates a constructor; the elements of all arrays are counted before they are made."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._elements = 0

    def evaluate(self, node: ast.expr, depth: int = 0) -> Any:
        if depth > MOST_NESTED:
            raise LiteralError(
                f"constructors are nested more than {MOST_NESTED} deep; at most {MOST_NESTED} are allowed"
            )
        if isinstance(node, ast.Call):
            name = str(
                node.func.id if isinstance(node.func, ast.Name) else ast.get_source_segment(self._text, node.func)
            )
            function = getattr(self, f"_{name}", None) if name in CONSTRUCTORS else None
            if function is None or node.keywords:
                raise LiteralError(f"undefined constructor {shortened(name)}{nearest(name, CONSTRUCTORS)}")
            arguments = [self.evaluate(argument, depth + 1) for argument in node.args]
            if not _takes(name, len(arguments)):
                raise LiteralError(
                    f"{shortened(self._text)}: expected {CONSTRUCTORS[name]}; found {len(arguments)} arguments"
                )
            return function(*arguments)
        try:
            return ast.literal_eval(node)
        except (ValueError, MemoryError, RecursionError):
            written = shortened(ast.get_source_segment(self._text, node))
            raise LiteralError(f"not a number, a list or a constructor: {written}") from None

    def _zeros(self, shape: Sequence[int]) -> Any:
        return np.zeros(self._counted(shape))

    def _ones(self, shape: Sequence[int]) -> Any:
        return np.ones(self._counted(shape))

    def _full(self, shape: Sequence[int], value: Any) -> Any:
        return np.full(self._counted(shape), value)

    def _arange(self, start: int, stop: int) -> Any:
        self._counted([stop - start])
        return np.arange(start, stop)

    def _reshape(self, array: Any, shape: Sequence[int]) -> Any:
        return np.reshape(array, sized(shape))

    def _concat(self, axis: int, *arrays: Any) -> Any:
        self._counted([sum(np.size(array) for array in arrays)])
        return np.concatenate(arrays, axis=axis)

    def _sparse(self, shape: Sequence[int], positions: Any, values: Any) -> Any:
        array = np.zeros(self._counted(shape), np.result_type(np.asarray(values)))
        array.reshape(-1)[np.asarray(positions, np.int64)] = values
        return array

    def _counted(self, shape: Sequence[int]) -> list[int]:
        lengths = sized(shape)
        self._elements += max(0, int(np.prod(lengths, dtype=object)))
        sized([self._elements])
        return lengths


CONSTRUCTORS = {
    "zeros": "zeros(shape)",
    "ones": "ones(shape)",
    "full": "full(shape, value)",
    "arange": "arange(start, stop)",
    "reshape": "reshape(array, shape)",
    "concat": "concat(axis, array, ...)",
    "sparse": "sparse(shape, positions, values)",
}
"""By name, how each is written."""


def _takes(name: str, count: int) -> bool:
    form = CONSTRUCTORS[name]
    return count > 1 if form.endswith("...)") else count == form.count(",") + 1


def sized(shape: Sequence[int]) -> list[int]:
    """A shape as a list; LiteralError if an array of that shape has too many elements."""
    if int(np.prod(shape, dtype=object)) > MOST_ELEMENTS:
        raise LiteralError(f"{list(shape)} has more than {MOST_ELEMENTS} elements; at most {MOST_ELEMENTS} are allowed")
    return list(shape)

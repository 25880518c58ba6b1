"""Paths that an implementation takes for one dtype, shape, stride or number only, and is wrong there; and the same, but right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from conformance.judging.vocabulary import Divergence
from conformance.worker.adapters import Adapter
from tests.planted.defect import (
    ADD,
    ADVANCED_GET,
    ADVANCED_SET,
    ALONG,
    COPY,
    FILL,
    GATHER,
    INDEX_ADD,
    INTO,
    MASKED_FILL,
    MASKED_SCATTER,
    MASKED_SELECT,
    SCATTER,
    SELECT,
    TAKE,
    UPDATE,
    Array,
    Defect,
    Right,
    with_function,
)

Given = SimpleNamespace
"""The arguments of a call, by name."""


@dataclass(frozen=True)
class FastPath:
    """A path of an operation of the reference."""

    operation: str
    when: str
    """When it is taken, in words."""
    is_taken: Callable[[Given], Any]
    """When it is taken."""
    wrong: Callable[[Array, Given], Array]
    """What it returns in place of the result."""
    cases: str
    """Part of the id of a case that must find it."""
    caught: Divergence = "value"

    def defect(self) -> Defect:
        """The path, with its defect."""
        name = f"{self.operation} is wrong {self.when}"
        return Defect(name, self._with(self.wrong), self.caught, (self.operation,), cases=self.cases)

    def right(self, adapter: Adapter) -> Adapter:
        """An adapter with the path, without its defect."""
        return with_function(adapter, self._with(in_its_own_layout), (self.operation,))

    def _with(self, path: Callable[[Array, Given], Array]) -> Callable[..., Array]:
        def function(right: Right, **arguments: Any) -> Array:
            given = Given(**arguments)
            result = right(**arguments)
            return path(result, given) if self.is_taken(given) else result

        return function


def in_its_own_layout(result: Array, _: Given) -> Array:
    """Right; asfortranarray makes one axis of none."""
    return np.array(result, order="F")


def halved(result: Array, _: Given) -> Array:
    """With half of the bits of float64."""
    return result.astype(np.float32).astype(np.float64)


def rounded(result: Array, _: Given) -> Array:
    """Integers that were float64 in between."""
    return result.astype(np.float64).astype(result.dtype)


def through(dtype: type[np.generic]) -> Callable[[Array, Given], Array]:
    return lambda result, _: result.astype(dtype).astype(result.dtype)


def nothing(result: Array, _: Given) -> Array:
    return np.zeros_like(result)


def moved(result: Array, _: Given) -> Array:
    return np.roll(result, 1)


def none(result: Array, _: Given) -> Array:
    return result[:0]


def unchanged(_: Array, given: Given) -> Array:
    """The tensor without what is to be written."""
    copy: Array = (given.tensor if hasattr(given, "tensor") else given.input).copy()
    return copy


def _is_loose(array: Array) -> Any:
    """Whether the parts along the first axis are not one after another in memory."""
    return array.strides[0] != array[0].size * array.itemsize


PATHS = (
    FastPath(
        ALONG,
        "for one index in int64",
        lambda g: g.input.dtype == np.int64 and g.index.size == 1,
        rounded,
        "form.one-index.int64",
    ),
    FastPath(
        ALONG,
        "for one row of indices in float64",
        lambda g: g.input.dtype == np.float64 and g.index.shape[0] == 1,
        halved,
        "form.one-above.float64",
    ),
    FastPath(
        ALONG,
        "for one column of indices in bool",
        lambda g: g.input.dtype == bool and g.index.shape[-1] == 1,
        lambda result, _: ~result,
        "form.one-",
    ),
    FastPath(
        ALONG,
        "for one row of an index that is a view",
        lambda g: g.index.size and g.index.shape[0] == 1 and g.index.ndim > 1 and _is_loose(g.index),
        moved,
        ".loose",
    ),
    FastPath(ALONG, "for dims below -1", lambda g: g.dim < -1, moved, "form.dim-minus"),
    FastPath(
        ALONG,
        "for indices of int8 on a long axis",
        lambda g: g.index.dtype == np.int8 and g.input.shape[g.dim] > 128,
        nothing,
        "form.index-int8-beyond",
    ),
    FastPath(
        GATHER,
        "for one row of indices in float64",
        lambda g: g.params.dtype == np.float64 and g.indices.shape[0] == 1,
        halved,
        "form.one-batch.float64",
    ),
    FastPath(
        GATHER,
        "for slices of length 1 in int64",
        lambda g: (
            g.params.dtype == np.int64 and (g.indices.shape[:-1] + g.params.shape[g.indices.shape[-1] :])[-1:] == (1,)
        ),
        rounded,
        "form.one-",
    ),
    FastPath(
        GATHER,
        "for empty index vectors",
        lambda g: g.indices.shape[-1] == 0 and g.indices.ndim > 1,
        lambda _, g: g.params.copy(),
        "form.indices-without-columns",
        "shape",
    ),
    FastPath(
        GATHER, "in complex128", lambda g: g.params.dtype == np.complex128, through(np.complex64), "form.own-values"
    ),
    FastPath(
        GATHER,
        "for indices of uint16 on a long axis",
        lambda g: g.indices.dtype == np.uint16 and g.params.shape[0] > 65536,
        nothing,
        "form.indices-uint16-beyond",
    ),
    FastPath(
        INTO,
        "for one row of a source in float32",
        lambda g: g.input.dtype == np.float32 and np.shape(g.src)[:1] == (1,),
        unchanged,
        "form.one-src_above.float32",
    ),
    FastPath(
        INTO,
        "for one column of indices in int64",
        lambda g: g.input.dtype == np.int64 and g.index.shape[-1] == 1,
        rounded,
        "form.one-",
    ),
    FastPath(
        INTO,
        "for one index in bool",
        lambda g: g.input.dtype == bool and g.index.size == 1,
        unchanged,
        "form.one-index.bool",
    ),
    FastPath(INTO, "for dims below -1", lambda g: g.dim < -1, moved, "form.dim-minus"),
    FastPath(
        INTO,
        "for indices of uint8 on a long axis",
        lambda g: g.index.dtype == np.uint8 and g.input.shape[g.dim] > 256,
        unchanged,
        "form.index-uint8-beyond",
    ),
    FastPath(
        SELECT,
        "for one index in float64",
        lambda g: g.input.dtype == np.float64 and g.index.size == 1,
        halved,
        "form.one-picked.float64",
    ),
    FastPath(
        SELECT,
        "for indices into nothing",
        lambda g: g.input.size == 0 < g.index.size,
        lambda result, g: np.zeros((g.input.shape[g.dim], *result.shape[1:]), g.input.dtype),
        "form.empty-",
        "shape",
    ),
    FastPath(
        SELECT,
        "for a last axis of length 1 in float32",
        lambda g: g.input.dtype == np.float32 and g.input.shape[-1] == 1 < g.input.ndim,
        moved,
        "form.one-after.float32",
    ),
    FastPath(
        SELECT,
        "for one index that is a view",
        lambda g: g.index.shape == (1,) and g.index.strides[0] != g.index.itemsize,
        nothing,
        ".loose",
    ),
    FastPath(SELECT, "for negative dims", lambda g: g.dim < 0, moved, "form.dim-minus"),
    FastPath(COPY, "for no index", lambda g: len(g.index) == 0 and g.input.size, nothing, "form.empty-picked"),
    FastPath(
        COPY, "for one index in int64", lambda g: g.input.dtype == np.int64 and len(g.index) == 1, rounded, "form.one-"
    ),
    FastPath(
        COPY,
        "for one column of a source in bool",
        lambda g: g.input.dtype == bool and g.source.shape[-1] == 1,
        unchanged,
        "form.one-",
    ),
    FastPath(COPY, "in uint32", lambda g: g.input.dtype == np.uint32, through(np.float32), "form.own-values.uint32"),
    FastPath(
        INDEX_ADD,
        "for one row in float64",
        lambda g: g.input.dtype == np.float64 and g.input.shape[0] == 1,
        halved,
        "form.one-before.float64",
    ),
    FastPath(
        INDEX_ADD, "in bfloat16", lambda g: g.input.dtype.name == "bfloat16", through(np.float16), "form.own-values"
    ),
    FastPath(
        INDEX_ADD,
        "for no index with three axes",
        lambda g: len(g.index) == 0 and g.input.ndim == 3,
        nothing,
        "form.empty-picked",
    ),
    FastPath(FILL, "for no index", lambda g: len(g.index) == 0 and g.input.size, nothing, "form.empty-picked"),
    FastPath(
        FILL, "for one index in int64", lambda g: g.input.dtype == np.int64 and len(g.index) == 1, rounded, "form.one-"
    ),
    FastPath(
        MASKED_SELECT,
        "for a mask of true in int64",
        lambda g: g.input.dtype == np.int64 and g.mask.all(),
        rounded,
        "form.mask-all.int64",
    ),
    FastPath(MASKED_SELECT, "for one element", lambda g: g.mask.sum() == 1, none, "form.mask-last", "shape"),
    FastPath(
        MASKED_FILL,
        "for all elements but one",
        lambda g: g.mask.sum() == g.mask.size - 1,
        unchanged,
        "form.mask-all-but-last",
    ),
    FastPath(MASKED_FILL, "for a mask of false", lambda g: not g.mask.any() and g.mask.size, nothing, "form.mask-none"),
    FastPath(
        MASKED_SCATTER,
        "for one element in float64",
        lambda g: g.input.dtype == np.float64 and g.mask.sum() == 1,
        halved,
        "form.mask-first.float64",
    ),
    FastPath(
        TAKE,
        "for one index in float64",
        lambda g: g.input.dtype == np.float64 and g.index.size == 1,
        halved,
        "form.one-picked.float64",
    ),
    FastPath(TAKE, "in uint64", lambda g: g.input.dtype == np.uint64, rounded, "form.own-values.uint64"),
    FastPath(
        TAKE,
        "for indices of int8 into many elements",
        lambda g: g.index.dtype == np.int8 and g.input.size > 128,
        nothing,
        "form.index-int8-beyond",
    ),
    FastPath(
        ADVANCED_GET,
        "for one index in float64",
        lambda g: g.input.dtype == np.float64 and g.i.size == 1,
        halved,
        "form.one-picked.float64",
    ),
    FastPath(
        ADVANCED_GET,
        "for indices of int8 on a long axis",
        lambda g: g.i.dtype == np.int8 and g.input.shape[0] > 128,
        nothing,
        "form.i-int8-beyond",
    ),
    FastPath(ADVANCED_SET, "for no index", lambda g: g.i.size == 0 < g.input.size, nothing, "form.empty-picked"),
    FastPath(
        ADVANCED_SET,
        "for indices of uint8 on a long axis",
        lambda g: g.j.dtype == np.uint8 and g.input.shape[1] > 256,
        unchanged,
        "form.j-uint8-beyond",
    ),
    FastPath(
        SCATTER,
        "for one row of indices in float64",
        lambda g: g.updates.dtype == np.float64 and g.indices.shape[0] == 1,
        halved,
        "form.one-batch.float64",
    ),
    FastPath(SCATTER, "in uint64", lambda g: g.updates.dtype == np.uint64, rounded, "form.own-values.uint64"),
    FastPath(
        SCATTER,
        "for indices of int8 on a long axis",
        lambda g: g.indices.dtype == np.int8 and g.shape[0] > 128,
        nothing,
        "form.indices-int8-beyond",
    ),
    FastPath(
        UPDATE,
        "for no index vectors",
        lambda g: g.indices.size == 0 < g.tensor.size and g.indices.shape[-1] == 1,
        nothing,
        "form.empty-batch",
    ),
    FastPath(
        UPDATE,
        "for two batch axes of which one has length 1",
        lambda g: g.indices.ndim == 3 and g.indices.shape[0] == 1,
        unchanged,
        "form.line-along-1",
    ),
    FastPath(
        UPDATE,
        "for a last axis of length 1 in int64",
        lambda g: g.tensor.dtype == np.int64 and g.tensor.shape[-1] == 1,
        rounded,
        "form.one-",
    ),
    FastPath(
        ADD,
        "for one row of indices in int64",
        lambda g: g.tensor.dtype == np.int64 and g.indices.shape[0] == 1,
        rounded,
        "form.one-batch.int64",
    ),
    FastPath(
        ADD,
        "for one update that is a view",
        lambda g: g.updates.shape[-1:] == (1,) and g.updates.strides[-1] != g.updates.itemsize,
        unchanged,
        ".loose",
    ),
    FastPath(
        ADD,
        "for indices of int16 on a long axis",
        lambda g: g.indices.dtype == np.int16 and g.tensor.shape[0] > 32768,
        unchanged,
        "form.indices-int16-beyond",
    ),
)

FAST_PATHS = tuple(path.defect() for path in PATHS)


def with_right_paths(adapter: Adapter) -> Adapter:
    """An adapter with all of these paths, without their defects."""
    for path in PATHS:
        adapter = path.right(adapter)
    return adapter

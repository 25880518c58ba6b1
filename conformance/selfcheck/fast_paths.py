"""Paths that an implementation takes for one dtype, shape, stride or number only, and is wrong there; and the same, but right."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.judging.vocabulary import Divergence
from conformance.selfcheck.defect import (
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
    Defect,
)

_RETURN = "    return result\n"
_SCATTERED = "    return tensor_scatter_nd_add(np.zeros(shape, updates.dtype), indices, updates)\n"
_HALVED = "result.astype(np.float32).astype(np.float64)"
_ROUNDED = "result.astype(np.float64).astype(result.dtype)"
_NOTHING = "np.zeros_like(result)"
_MOVED = "np.roll(result, 1)"
_RIGHT = "np.array(result, order='F')"
"""Right, in a memory layout of its own; asfortranarray makes one axis of none."""


@dataclass(frozen=True)
class FastPath:
    """A path of an operation of the reference."""

    operation: str
    when: str
    """The condition under which it is taken, over the arguments."""
    wrong: str
    """What it returns in place of ``result``."""
    cases: str
    """Part of the id of a case that must find it."""
    caught: Divergence = "value"

    def defect(self) -> Defect:
        """The path, with its defect."""
        old, new = self._planted(self.wrong)
        return Defect(
            f"is wrong if {self.when}", old, new, self.caught, (self.operation,), self.operation, None, self.cases
        )

    def right(self) -> tuple[str, str]:
        """What the path replaces in the function of its operation, and the same path without the defect."""
        return self._planted(_RIGHT)

    def _planted(self, returned: str) -> tuple[str, str]:
        if self.operation == SCATTER:
            computed = _SCATTERED.replace("return", "result =")
            return _SCATTERED, f"{computed}    if {self.when}:\n        return {returned}\n{_RETURN}"
        return _RETURN, f"    if {self.when}:\n        return {returned}\n{_RETURN}"


_DENSE = "{0}.strides[0] == {0}[0].size * {0}.itemsize"

PATHS = [
    FastPath(ALONG, "input.dtype == np.int64 and index.size == 1", _ROUNDED, "form.one-index.int64"),
    FastPath(ALONG, "input.dtype == np.float64 and index.shape[0] == 1", _HALVED, "form.one-above.float64"),
    FastPath(ALONG, "input.dtype == bool and index.shape[-1] == 1", "~result", "form.one-"),
    FastPath(ALONG, f"index.shape[0] == 1 and index.ndim > 1 and not {_DENSE.format('index')}", _MOVED, ".loose"),
    FastPath(ALONG, "dim < -1", _MOVED, "form.dim-minus"),
    FastPath(ALONG, "index.dtype == np.int8 and input.shape[axis] > 128", _NOTHING, "form.index-int8-beyond"),
    FastPath(GATHER, "params.dtype == np.float64 and indices.shape[0] == 1", _HALVED, "form.one-batch.float64"),
    FastPath(GATHER, "params.dtype == np.int64 and result.shape[-1:] == (1,)", _ROUNDED, "form.one-"),
    FastPath(GATHER, "depth == 0 and indices.ndim > 1", "params.copy()", "form.indices-without-columns", "shape"),
    FastPath(
        GATHER, "params.dtype == np.complex128", "result.astype(np.complex64).astype(np.complex128)", "form.own-values"
    ),
    FastPath(GATHER, "indices.dtype == np.uint16 and params.shape[0] > 65536", _NOTHING, "form.indices-uint16-beyond"),
    FastPath(INTO, "input.dtype == np.float32 and source.shape[0] == 1", "input.copy()", "form.one-src_above.float32"),
    FastPath(INTO, "input.dtype == np.int64 and index.shape[-1] == 1", _ROUNDED, "form.one-"),
    FastPath(INTO, "input.dtype == bool and index.size == 1", "input.copy()", "form.one-index.bool"),
    FastPath(INTO, "dim < -1", _MOVED, "form.dim-minus"),
    FastPath(INTO, "index.dtype == np.uint8 and input.shape[axis] > 256", "input.copy()", "form.index-uint8-beyond"),
    FastPath(SELECT, "input.dtype == np.float64 and index.size == 1", _HALVED, "form.one-picked.float64"),
    FastPath(
        SELECT,
        "input.size == 0 < index.size",
        "np.zeros((input.shape[axis], *result.shape[1:]), input.dtype)",
        "form.empty-",
        "shape",
    ),
    FastPath(
        SELECT, "input.dtype == np.float32 and input.shape[-1] == 1 < input.ndim", _MOVED, "form.one-after.float32"
    ),
    FastPath(SELECT, "index.shape == (1,) and index.strides[0] != index.itemsize", _NOTHING, ".loose"),
    FastPath(SELECT, "dim < 0", _MOVED, "form.dim-minus"),
    FastPath(COPY, "len(index) == 0 and input.size", _NOTHING, "form.empty-picked"),
    FastPath(COPY, "input.dtype == np.int64 and len(index) == 1", _ROUNDED, "form.one-"),
    FastPath(COPY, "input.dtype == bool and source.shape[-1] == 1", "input.copy()", "form.one-"),
    FastPath(COPY, "input.dtype == np.uint32", "result.astype(np.float32).astype(np.uint32)", "form.own-values.uint32"),
    FastPath(INDEX_ADD, "input.dtype == np.float64 and input.shape[0] == 1", _HALVED, "form.one-before.float64"),
    FastPath(
        INDEX_ADD, "input.dtype.name == 'bfloat16'", "result.astype(np.float16).astype(result.dtype)", "form.own-values"
    ),
    FastPath(INDEX_ADD, "len(index) == 0 and input.ndim == 3", _NOTHING, "form.empty-picked"),
    FastPath(FILL, "len(index) == 0 and input.size", _NOTHING, "form.empty-picked"),
    FastPath(FILL, "input.dtype == np.int64 and len(index) == 1", _ROUNDED, "form.one-"),
    FastPath(MASKED_SELECT, "input.dtype == np.int64 and mask.all()", _ROUNDED, "form.mask-all.int64"),
    FastPath(MASKED_SELECT, "mask.sum() == 1", "np.roll(result, 1)[:0]", "form.mask-last", "shape"),
    FastPath(MASKED_FILL, "mask.sum() == mask.size - 1", "input.copy()", "form.mask-all-but-last"),
    FastPath(MASKED_FILL, "not mask.any() and mask.size", _NOTHING, "form.mask-none"),
    FastPath(MASKED_SCATTER, "input.dtype == np.float64 and mask.sum() == 1", _HALVED, "form.mask-first.float64"),
    FastPath(TAKE, "input.dtype == np.float64 and index.size == 1", _HALVED, "form.one-picked.float64"),
    FastPath(TAKE, "input.dtype == np.uint64", _ROUNDED, "form.own-values.uint64"),
    FastPath(TAKE, "index.dtype == np.int8 and input.size > 128", _NOTHING, "form.index-int8-beyond"),
    FastPath(ADVANCED_GET, "input.dtype == np.float64 and i.size == 1", _HALVED, "form.one-picked.float64"),
    FastPath(ADVANCED_GET, "i.dtype == np.int8 and input.shape[0] > 128", _NOTHING, "form.i-int8-beyond"),
    FastPath(ADVANCED_SET, "i.size == 0 < input.size", _NOTHING, "form.empty-picked"),
    FastPath(ADVANCED_SET, "j.dtype == np.uint8 and input.shape[1] > 256", "input.copy()", "form.j-uint8-beyond"),
    FastPath(SCATTER, "updates.dtype == np.float64 and indices.shape[0] == 1", _HALVED, "form.one-batch.float64"),
    FastPath(SCATTER, "updates.dtype == np.uint64", _ROUNDED, "form.own-values.uint64"),
    FastPath(SCATTER, "indices.dtype == np.int8 and shape[0] > 128", _NOTHING, "form.indices-int8-beyond"),
    FastPath(UPDATE, "indices.size == 0 < tensor.size and indices.shape[-1] == 1", _NOTHING, "form.empty-batch"),
    FastPath(UPDATE, "indices.ndim == 3 and indices.shape[0] == 1", "tensor.copy()", "form.line-along-1"),
    FastPath(UPDATE, "tensor.dtype == np.int64 and tensor.shape[-1] == 1", _ROUNDED, "form.one-"),
    FastPath(ADD, "tensor.dtype == np.int64 and indices.shape[0] == 1", _ROUNDED, "form.one-batch.int64"),
    FastPath(ADD, "updates.shape[-1:] == (1,) and updates.strides[-1] != updates.itemsize", "tensor.copy()", ".loose"),
    FastPath(
        ADD, "indices.dtype == np.int16 and tensor.shape[0] > 32768", "tensor.copy()", "form.indices-int16-beyond"
    ),
]

FAST_PATHS = [path.defect() for path in PATHS]

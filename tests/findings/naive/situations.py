"""The situation of each call, computed a second time, in the simplest way that works."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from ml_dtypes import finfo

from conformance.specification.literals import Tensor, argument
from tests.findings.naive.places import (
    are_vectors,
    bounds_of,
    calls_of,
    dim_of,
    is_in_key,
    paired_of,
    place_of,
    sources_of,
    target_of,
    true_of,
    vectors_of,
)
from tests.findings.naive.records import Json, Records

NO_PLAIN_CALL = ("program", "drawn-program", "derivative", "batch", "nested", "second")


def naive_situations(records: Records) -> dict[str, str | None]:
    """Case to its situation."""
    calls = calls_of(records)
    roles = _roles(records.cases, calls)
    return {
        name: None
        if records.clauses[case["clause"]]["family"] == "relation" or case["variation"]["kind"] in NO_PLAIN_CALL
        else _situation(case, calls[name], roles[case["operation"]])
        for name, case in records.cases.items()
    }


def _roles(cases: Json, calls: Json) -> dict[str, tuple[set[str], set[str]]]:
    """By operation, the arguments that are indices, and those that are written."""
    roles: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for name, case in cases.items():
        indices, written = roles[case["operation"]]
        declared = case.get("points") or {}
        if len(declared) != 1 or not isinstance(calls[name][next(iter(declared))], Tensor):
            continue
        for index, points in declared.items():
            indices.add(index)
            is_known = dim_of(calls[name], index, points, 0) is not None or not is_in_key(calls[name], points)
            written.update(sources_of(case, calls[name], index, points)[:1] if is_known else [])
    return roles


def _situation(case: Json, call: Json, roles: tuple[set[str], set[str]]) -> str | None:
    declared = case.get("points") or {}
    if len(declared) != 1:  # of several indices nothing is said
        return _violation(case, call, roles)
    [(index, points)] = declared.items()
    is_mask = points["selects"] == "mask"
    is_placed = points["into"] in case["axes"] and call[index].kind == ("bool" if is_mask else "integer")
    shape = target_of(call, index, points) if is_placed else None
    if shape is None:
        return _violation(case, call, roles)
    dim = dim_of(call, index, points, len(shape))
    by_vectors = are_vectors(points)
    paired = paired_of(call, index, points) if by_vectors else 0
    if not _has_axis(call, points, dim, len(shape)) or not _pairs(call[index], shape, paired):
        return _violation(case, call, roles)
    assert paired is not None
    vectors = true_of(call[index].array) if is_mask else vectors_of(call[index].array, by_vectors)
    depth = call[index].rank if is_mask else call[index].shape[-1] if by_vectors else 1
    bounds = bounds_of(shape[paired:], points, dim, depth)
    misfits = call[index].shape != bounds if is_mask else by_vectors and paired + depth > len(shape)
    if misfits or any(length < 0 for length in shape):
        return _violation(case, call, roles)
    unusual = set()
    flat = [(number, bound) for _, vector in vectors for number, bound in zip(vector, bounds, strict=True)]
    if any(number < -bound or number >= 2 * bound for number, bound in flat):
        unusual.add("far-outside")
    else:
        unusual |= {"past-the-end" for number, bound in flat if number >= bound}
        unusual |= {"below-zero" for number, _ in flat if number < 0}
    batch = (len(vectors),) if is_mask else call[index].shape[:-1] if by_vectors else call[index].shape
    unusual |= {"no-indices"} if 0 in batch else set()
    unusual |= {"depth-zero"} if depth == 0 and not is_mask else set()
    unusual |= {"empty-axis"} if 0 in shape else set()
    unusual |= {"no-axes"} if not shape else set()
    unusual |= {"negative-axis"} if dim is not None and dim < 0 else set()
    unusual |= (
        {"shorter-index"} if points["selects"] == "elements" and _is_short(call[index].shape, shape, dim) else set()
    )
    sources = sources_of(case, call, index, points)
    places = [place_of(where, vector, points, dim) for where, vector in vectors]
    if sources and len(places) != len(set(places)):
        choices = [f"{name}={value}" for name, value in call.items() if isinstance(value, str)]
        unusual.add("-".join(["written-twice", *choices]))
    data = [
        value for name, value in call.items() if isinstance(value, Tensor) and name != index and name in case["axes"]
    ]
    unusual |= {"mixed-dtypes"} if len({value.dtype for value in data}) > 1 else set()
    floats = [float(x) for value in data if value.kind == "float" for x in value.array.reshape(-1).astype(float)]
    unusual |= {"non-finite"} if not np.isfinite(floats).all() else set()
    for value in data:
        if value.kind == "float":
            smallest = float(finfo(value.array.dtype).smallest_normal)  # type: ignore[no-untyped-call]
            exact = [abs(float(x)) for x in value.array.reshape(-1).astype(float)]
            unusual |= {"subnormal"} if any(0 < x < smallest for x in exact) else set()
    if not unusual and "returns" in case["expectation"] and not case.get("control"):
        return "usual"
    return unusual.pop() if len(unusual) == 1 and call[index].dtype in ("int32", "int64", "bool") else None


def _has_axis(call: Json, points: Json, dim: int | None, rank: int) -> bool:
    return not is_in_key(call, points) if dim is None else -rank <= dim < rank


def _pairs(index: Tensor, shape: tuple[int, ...], paired: int | None) -> bool:
    """Whether the batch axes of indices and target are equally long, or one of them has a length of one."""
    if paired is None or paired > len(shape):
        return False
    return all(a == b or 1 in (a, b) for a, b in zip(index.shape[:paired], shape[:paired], strict=True))


def _is_short(index: tuple[int, ...], shape: tuple[int, ...], dim: int | None) -> bool:
    return dim is not None and any(index[axis] < shape[axis] for axis in range(len(shape)) if axis != dim % len(shape))


def _violation(case: Json, call: Json, roles: tuple[set[str], set[str]]) -> str | None:
    control = case.get("control") or {}
    changed = [name for name in case["call"] if case["call"][name] != control.get(name)]
    if len(changed) != 1 or changed[0] not in control:
        return None
    [name] = changed
    wrong, right = call[name], argument(control[name])
    if not isinstance(wrong, Tensor) or not isinstance(right, Tensor):
        return None
    if name in roles[0] and wrong.shape == right.shape and wrong.dtype != right.dtype:
        return f"{wrong.dtype}-indices"
    if name not in roles[1] or wrong.shape == right.shape or wrong.dtype != right.dtype:
        return None
    padded = (1,) * (len(right.shape) - len(wrong.shape)) + wrong.shape
    if len(padded) == len(right.shape) and all(a in (1, b) for a, b in zip(padded, right.shape, strict=True)):
        return "broadcastable-updates"
    more = wrong.array.size - right.array.size
    return "reshaped-updates" if more == 0 else "too-many-updates" if more > 0 else "too-few-updates"

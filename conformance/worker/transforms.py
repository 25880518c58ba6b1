"""Transforms of a call: an adapter's hook computes a derivative of the API's function, or its results for a batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from conformance.adapter import Api, Unsupported
from conformance.worker.arguments import Arguments
from conformance.worker.arrays import Tensor, describe, to_bytes

SEED = "seed_of_the_transform"
"""The name under which the cotangent or the tangent travels among the arguments of a call."""


def transformed(api: Api, namespace: Mapping[str, Any], transform: tuple[str, str], tensors: Collection[str]) -> Api:
    """The API with a function that returns what a hook computes: the result of a call and its derivative, or those of a batch.

    namespace: the names of the adapter's file. tensors: the names of the arguments that are tensors. Unsupported if the adapter
    has no such hook.
    """
    kind, of = transform
    if kind not in namespace:
        raise Unsupported(f"the adapter defines no {kind}")
    hook, function = namespace[kind], api.function
    axes = batch_axes(of) if kind == "vmap" else {}
    if axes and api.in_place is not None and api.in_place not in axes:
        raise Unsupported(f"{api.in_place} is changed in place, and one tensor has no room for the results of a batch")

    def computed(**arguments: Any) -> Any:
        seed = arguments.pop(SEED, None)
        given = {name: arguments.pop(name) for name in tensors if name != SEED}
        bound = partial(function, **arguments)
        return hook(bound, given, of, seed) if kind != "vmap" else hook(bound, given, axes)

    return replace(api, name=f"{kind} of {api.name} in {of}", function=computed)


def batch_axes(of: str) -> dict[str, int]:
    """By name, the axis of the batch, 0 or -1: those of ``input+index``, or along the last axis of ``input+index.last``."""
    names, _, axis = of.partition(".")
    return dict.fromkeys(names.split("+"), -1 if axis == "last" else 0)


def calls_of(transform: tuple[str, str], arguments: Arguments) -> list[Arguments]:
    """The arguments of the calls of which a transform is computed: one, or each of a batch."""
    kind, of = transform
    if kind != "vmap":
        return [{name: value for name, value in arguments.items() if name != SEED}]
    axes = batch_axes(of)
    moved = {name: (np.moveaxis(arguments[name][0], axis, 0), arguments[name][1]) for name, axis in axes.items()}
    size = min(len(array) for array, _ in moved.values())
    return [
        {**arguments, **{name: (np.array(array[number]), dtype) for name, (array, dtype) in moved.items()}}
        for number in range(size)
    ]


def stacked(transform: tuple[str, str], results: list[Tensor]) -> Tensor:
    """The results of these calls as one tensor: the only one, or those of a batch along a first axis."""
    if transform[0] != "vmap":
        return results[0]
    return np.stack([array for array, _ in results]), results[0][1]


def described(forward: Tensor) -> dict[str, Any]:
    """A tensor as a part of an outcome."""
    return {**describe(forward), "bits": to_bytes(forward).hex()}

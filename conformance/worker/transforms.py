"""Transforms of a call: an adapter's hooks compute a derivative of the API's function, its results for a batch, or both."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Callable

import numpy as np

from conformance.adapter import Api, Unsupported
from conformance.worker.arguments import Arguments
from conformance.worker.arrays import Tensor, describe, to_bytes

SEED = "seed_of_the_transform"
"""The name under which the cotangent or the tangent travels among the arguments of a call."""
INNER_SEED = "seed_of_the_inner_derivative"
"""As ``SEED``, of the derivative whose derivative is computed."""

Steps = Sequence[tuple[str, str]]
"""The hooks that compute a transform, the outer one first, each with the argument that it is about, or with those of a batch."""


def transformed(api: Api, namespace: Mapping[str, Any], steps: Steps, tensors: Collection[str]) -> Api:
    """The API with a function that returns what hooks compute: the result of a call and its derivative, or those of a batch.

    namespace: the names of the adapter's file. tensors: the names of the arguments that are tensors. Unsupported if the adapter
    has no such hook.
    """
    made = itself(api, namespace, steps, tensors)
    for kind, of in reversed(steps[:1] if _is_twice(steps) else steps):
        made = _through(_hook(namespace, kind), kind, of, made, tensors)
    return made


def itself(api: Api, namespace: Mapping[str, Any], steps: Steps, tensors: Collection[str]) -> Api:
    """What is transformed, with what belongs to it as arguments: the API, or of a derivative of a derivative the first one."""
    if not _is_twice(steps):
        return api
    _, (kind, of) = steps
    first = _through(_hook(namespace, kind), kind, of, api, tensors, seed=INNER_SEED).function
    return replace(api, name=f"{kind} of {api.name} in {of}", function=lambda **arguments: first(**arguments)[1])


def _is_twice(steps: Steps) -> bool:
    """Whether the derivative of a derivative is computed."""
    return len(steps) > 1 and all(kind != "vmap" for kind, _ in steps)


def _hook(namespace: Mapping[str, Any], kind: str) -> Callable[..., Any]:
    if kind not in namespace:
        raise Unsupported(f"the adapter defines no {kind}")
    return namespace[kind]  # type: ignore[no-any-return]


def _through(hook: Callable[..., Any], kind: str, of: str, api: Api, tensors: Collection[str], seed: str = SEED) -> Api:
    """The API with a function that returns what a hook computes of the one that it has. seed: its name among the arguments."""
    axes = batch_axes(of) if kind == "vmap" else {}
    if axes and api.in_place is not None and api.in_place not in axes:
        raise Unsupported(f"{api.in_place} is changed in place, and one tensor has no room for the results of a batch")

    def computed(**arguments: Any) -> Any:
        given = {name: arguments.pop(name) for name in tensors if name in arguments}
        bound = partial(api.function, **arguments)
        if kind == "vmap":  # each call has a cotangent of its own
            return hook(bound, given, {**axes, **({seed: 0} if seed in given else {})})
        return hook(bound, given, of, given.pop(seed))

    return replace(api, name=f"{kind} of {api.name} in {of}", function=computed)


def is_derivative(steps: Steps) -> bool:
    """Whether a derivative is computed, which comes with the result of the call itself."""
    return any(kind != "vmap" for kind, _ in steps)


def _batched(steps: Steps) -> Mapping[str, int]:
    """By name, the axis of the batch of which something is computed; empty if that is one call."""
    return next((batch_axes(of) for kind, of in steps if kind == "vmap"), {})


def batch_axes(of: str) -> dict[str, int]:
    """By name, the axis of the batch, 0 or -1: those of ``input+index``, or along the last axis of ``input+index.last``."""
    names, _, axis = of.partition(".")
    return dict.fromkeys(names.split("+"), -1 if axis == "last" else 0)


def calls_of(steps: Steps, arguments: Arguments) -> list[Arguments]:
    """The arguments of the calls of which a transform is computed: one, or each of a batch."""
    own = {name: value for name, value in arguments.items() if name != SEED}
    axes = _batched(steps)
    if not axes:
        return [own]
    moved = {name: (np.moveaxis(own[name][0], axis, 0), own[name][1]) for name, axis in axes.items()}
    size = min(len(array) for array, _ in moved.values())
    return [
        {**own, **{name: (np.array(array[number]), dtype) for name, (array, dtype) in moved.items()}}
        for number in range(size)
    ]


def stacked(steps: Steps, results: list[Tensor]) -> Tensor:
    """The results of these calls as one tensor: the only one, or those of a batch along a first axis."""
    if not _batched(steps):
        return results[0]
    return np.stack([array for array, _ in results]), results[0][1]


def described(forward: Tensor) -> dict[str, Any]:
    """A tensor as a part of an outcome."""
    return {**describe(forward), "bits": to_bytes(forward).hex()}

"""Transforms of a call: an adapter's hook computes a derivative of the API's function together with its result."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.adapter import Api, Unsupported
from conformance.worker.arrays import Tensor, describe, to_bytes

SEED = "seed_of_the_transform"
"""The name under which the cotangent or the tangent travels among the arguments of a call."""


def transformed(api: Api, namespace: Mapping[str, Any], transform: tuple[str, str], tensors: Collection[str]) -> Api:
    """The API with a function that returns the result of a call and what a hook computes of it.

    namespace: the names of the adapter's file. tensors: the names of the arguments that are tensors. Unsupported if the adapter
    has no such hook.
    """
    kind, of = transform
    if kind not in namespace:
        raise Unsupported(f"the adapter defines no {kind}")
    hook, function, names = namespace[kind], api.function, [name for name in tensors if name != SEED]

    def computed(**arguments: Any) -> Any:
        seed = arguments.pop(SEED)
        given = {name: arguments.pop(name) for name in names}
        return hook(partial(function, **arguments), given, of, seed)

    return replace(api, name=f"{kind} of {api.name} in {of}", function=computed)


def described(forward: Tensor) -> dict[str, Any]:
    """A tensor as a part of an outcome."""
    return {**describe(forward), "bits": to_bytes(forward).hex()}

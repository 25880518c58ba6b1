"""What a neighbouring convention would accept: updates that are broadcast, an index that is a mask, an index of a Python type.

NumPy broadcasts what it writes and takes a mask for an index. An implementation that is built on such an operation may let
through what the documents of its own API forbid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.cases.draws.elements import as_tensor
from conformance.cases.draws.geometry import Profile
from conformance.cases.forms.calls import ORDINARY, FormCall, calls_of
from conformance.cases.forms.geometries import only_in_indices, usual_lengths, usual_profiles
from conformance.cases.reference import Reference
from conformance.specification.applied import Applied
from conformance.specification.axes import axes_of
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.indices.kinds import InKey, Labels, Mask, Vectors
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Operation

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
MOST_AXES = 4
"""The number of axes along each of which what is written has length one, in a form each."""


def neighbour_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:  # noqa: ARG001 - as other forms
    """Calls that another convention would accept, and calls with an index of an ordinary Python type."""
    layout = operation.layout
    assert layout is not None
    control = _control(operation, layout, usual_profiles(layout)[0])
    if control is None:
        return
    for name in _written_beside(layout, control):
        yield from _broadcast(layout, control, name, _ALONG_ONE)
    of_two_axes = (_control(operation, layout, profile) for profile in _of_two_axes(layout))
    batched = next((call for call in of_two_axes if call is not None), None)
    for name in _written_beside(layout, batched) if batched is not None else ():
        assert batched is not None
        yield from _broadcast(layout, batched, name, _ALONG_TWO)
    given = {name: indices for name, indices in layout.indices.items() if name in control.tensors}
    for name, indices in given.items():
        if not isinstance(indices.indexing, Mask):
            yield from _one_for_all(layout, control, name)
            yield from _masks(operation, layout, control, name)
    for name in given:
        yield from _of_python(control, name)


def _control(operation: Operation, layout: Layout, profile: Profile) -> Applied | None:
    """The first valid call in which not all indices are equal."""
    calls = calls_of(operation, usual_lengths(layout, profile), ORDINARY, 0, "neighbour")
    return next((call for call in calls if not call.broken_rules and _differ(layout, call)), None)


def _differ(layout: Layout, call: Applied) -> bool:
    return all(len(np.unique(call.tensors[name].array)) > 1 for name in layout.indices if name in call.tensors)


def _of_two_axes(layout: Layout) -> Iterator[Profile]:
    """The profiles in which axes that only an index has are two."""
    own = only_in_indices(layout)
    return (profile for profile in usual_profiles(layout) if any(profile.get(group) == 2 for group in own))


def _written_beside(layout: Layout, call: Applied) -> list[str]:
    """The tensors that are written where indices say: the data that no index points into."""
    targets = {indices.indexing.into for indices in layout.indices.values()}
    return [name for name, value in call.data.items() if name not in targets and layout.has(name) and value.rank]


def _first_along(axis: int, array: Array, _: Sequence[int]) -> Array:
    return array.take([0], axis) if axis < array.ndim else array


_Parts = Mapping[str, Callable[[Array, Sequence[int]], Array]]
"""By name, a part of an array that could be broadcast to it. The numbers are those of the axes that only an index has."""
_ALONG_TWO: _Parts = {
    "one-row": lambda array, own: array[tuple(0 if axis in own else slice(None) for axis in range(array.ndim))],
    "one-row-for-all": lambda array, own: array[tuple(slice(1 if axis in own else None) for axis in range(array.ndim))],
    "without-the-first-axis": lambda array, _: array[0],
}
_ALONG_ONE: _Parts = {
    **{f"one-along-{axis}": partial(_first_along, axis) for axis in range(MOST_AXES)},
    **_ALONG_TWO,
    "under-another-axis": lambda array, _: array[None],
}


def _broadcast(layout: Layout, control: Applied, name: str, parts: _Parts) -> Iterator[FormCall]:
    """What is written in each shape that could be broadcast to that of the control."""
    value = control.data[name]
    of_indices = only_in_indices(layout)
    groups = (axes_of(control) or {}).get(name, ())
    own = [axis for axis, group in enumerate(groups) if group in of_indices]
    made = {value.shape}
    for word, part in parts.items():
        array = part(value.array, own)
        call = control.with_arguments({name: as_tensor(value.dtype, array)})
        # A spec in which it is broadcast has no rule against it, and neither has one in which another shape means something else.
        if array.shape not in made and (call.broken_rules or name in layout.selected):
            made.add(array.shape)
            suffix = ".of-two-axes" if parts is _ALONG_TWO else ""
            yield FormCall(f"{name}-{word}{suffix}", call, control, open=True, is_mistake=True)


def _one_for_all(layout: Layout, control: Applied, name: str) -> Iterator[FormCall]:
    """A single index beside as many updates as before."""
    if not _written_beside(layout, control):
        return
    index = control.tensors[name]
    groups = (axes_of(control) or {}).get(name, ())
    own = only_in_indices(layout) or {part.group for part in layout.arguments[name] if not part.rank}
    first = tuple(slice(1) if group in own else slice(None) for group in groups)
    array = index.array[first]
    call = control.with_arguments({name: as_tensor(index.dtype, array)})
    if array.shape != index.shape and call.broken_rules:
        yield FormCall(f"{name}-one-for-all", call, control, open=True, is_mistake=True)


def _masks(operation: Operation, layout: Layout, control: Applied, name: str) -> Iterator[FormCall]:
    """A Boolean index as long as the axis that it points along, and one of the shape of the data.

    As many elements are true as there are indices, so that the updates fit where it is a mask.
    """
    yield from _mask(control, name, "axis")
    whole: Applied | None = control
    if isinstance(layout.indices[name].indexing, Vectors):
        # Where each vector means a single element, there are as many updates as true elements of a mask of the data.
        whole = next(
            filter(None, (_control(operation, layout, profile) for profile in _of_elements(layout, name))), None
        )
    if whole is not None:
        yield from _mask(whole, name, "data")


def _of_elements(layout: Layout, name: str) -> Iterator[Profile]:
    """The profiles in which a vector has a component for each of several axes of the target, and means an element."""
    counted = layout.root(layout.indexed_group(name))
    others = {layout.root(part.group) for part in layout.target(name)} - {counted}
    for profile in usual_profiles(layout):
        if profile[counted] > 1 and not any(profile[group] for group in others):
            yield profile


def _mask(control: Applied, name: str, of: str) -> Iterator[FormCall]:
    geometry = control.geometries.get(name)
    if geometry is None:
        return
    if of == "axis" and isinstance(geometry.indexing, Labels):
        return  # it points along an axis of the result
    shape = _data_shape(control, geometry) if of == "data" else geometry.bounds[:1]
    size = math.prod(shape)
    # What indices in a key select together has the last axis of each.
    count = geometry.index.shape[-1] if isinstance(geometry.indexing, InKey) else geometry.inside.size
    array = np.zeros(size, bool)
    array[: max(1, min(count, size - 1))] = True
    if size > 1:
        made = control.with_arguments({name: as_tensor("bool", array[::-1].reshape(shape))})
        yield FormCall(f"{name}-mask-of-{of}", made, control, open=True, is_mistake=True)


def _data_shape(control: Applied, geometry: IndexGeometry) -> Shape:
    if isinstance(geometry.indexing, Labels):
        return control.data[geometry.indexing.data].shape
    value = control.arguments.get(geometry.indexing.into)
    return value.shape if isinstance(value, Tensor) else value if isinstance(value, tuple) else ()


def _of_python(control: Applied, name: str) -> Iterator[FormCall]:
    """The index as nested lists, and as a single number where a tensor without axes keeps all rules."""
    index = control.tensors[name]
    yield _in_python(control, name, "a-list", index.array.tolist(), control)
    if index.kind == "integer":
        first = as_tensor(index.dtype, index.array.reshape(-1)[0])
        meaning = control.with_arguments({name: first})
        if not meaning.broken_rules:
            yield _in_python(control, name, "a-number", int(first.array), meaning)


def _in_python(control: Applied, name: str, word: str, value: Argument, meaning: Applied) -> FormCall:
    call = control.with_arguments({name: value})
    return FormCall(f"{name}-as-{word}", call, control, open=True, meaning=meaning, is_python=True)

"""An empty index of each number of axes beside ordinary data and updates.

Beside empty updates an implementation may refuse the updates, or return early; here nothing but the index is empty.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.cases.draws.elements import as_tensor
from conformance.cases.draws.geometry import Profile
from conformance.cases.forms.calls import ORDINARY, FormCall, calls_of
from conformance.cases.forms.geometries import usual_lengths, usual_profiles
from conformance.cases.reference import Reference
from conformance.specification.indices.kinds import Indexing, Labels, Mask, Shape, Vectors, shape_of
from conformance.specification.layout import Layout
from conformance.specification.model import Operation

LENGTH = 2
"""The length of the axes of an empty index that have elements."""
SHAPES = ((0,), (0, LENGTH), (LENGTH, 0), (0, LENGTH, LENGTH))
REFUSED = SHAPES[:2]
"""The shapes that are tried where they break a rule, whatever their number of axes."""


def empty_index_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:  # noqa: ARG001 - as other forms
    """Calls with an empty index of each shape, beside data of one axis and of several."""
    layout = operation.layout
    assert layout is not None
    for name, indices in layout.indices.items():
        if isinstance(indices.indexing, Mask):
            continue
        made: set[int] = set()
        for profile in _profiles(layout, name):
            control = next(calls_of(operation, usual_lengths(layout, profile), ORDINARY, 0, "control"), None)
            rank = len(shape_of(control.values[_data_of(indices.indexing)]) or ()) if control is not None else 0
            if control is None or name not in control.tensors or control.broken_rules or rank in made:
                continue
            made.add(rank)
            for shape in _shapes(indices.indexing, control.tensors[name].shape):
                form = f"{name}-of-shape-{'x'.join(map(str, shape))}.beside-{rank}-axes"
                empty = control.with_arguments({name: as_tensor("int64", np.zeros(shape))})
                if not empty.broken_rules or shape in REFUSED or isinstance(indices.indexing, Vectors):
                    yield FormCall(form, empty, control, open=True, is_mistake=True)


def _data_of(indexing: Indexing) -> str:
    """The argument beside whose axes an index is empty."""
    return indexing.data if isinstance(indexing, Labels) else indexing.into


def _shapes(indexing: Indexing, ordinary: Shape) -> list[Shape]:
    """Those of an index without indices. Vectors without components are indices of the whole target."""
    if not isinstance(indexing, Vectors):
        return [*SHAPES]
    return [(0,), *dict.fromkeys([(0, LENGTH), (0, ordinary[-1]), (LENGTH, 0, ordinary[-1])])]


def _profiles(layout: Layout, name: str) -> list[Profile]:
    """The usual profile, and that in which what the index points into has the fewest axes."""
    profiles = usual_profiles(layout)
    target = [layout.root(part.group) for part in layout.target(name)]
    return [profiles[0], min(profiles, key=lambda profile: sum(profile[group] for group in target))]

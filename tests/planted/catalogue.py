"""Defects that real implementations have had, and how the suite must report each."""

from __future__ import annotations

from tests.planted import (
    basic_keys,
    bounds,
    contradictions,
    diagonals_and_views,
    errors,
    fast_paths,
    keys,
    long_and_narrow,
    masks,
    memory,
    neighbours,
    shapes,
    values,
)
from tests.planted.defect import defects_of

DEFECTS = [
    defect
    for module in (
        shapes,
        values,
        memory,
        errors,
        bounds,
        keys,
        basic_keys,
        masks,
        fast_paths,
        neighbours,
        long_and_narrow,
        contradictions,
        diagonals_and_views,
    )
    for defect in defects_of(module)
]

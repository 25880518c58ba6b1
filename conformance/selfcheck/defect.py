"""A defect to plant in a copy of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.judging.vocabulary import Behaviour, Divergence

UPDATE, ADD, SCATTER = "tensor_scatter_nd_update", "tensor_scatter_nd_add", "scatter_nd"
GATHER, ALONG, INTO = "gather_nd", "gather_elements", "scatter_elements"
SELECT, COPY, INDEX_ADD, FILL = "index_select", "index_copy", "index_add", "index_fill"
REDUCE, TAKE, SEGMENTS, SORTED = "index_reduce", "take", "unsorted_segment_reduce", "segment_reduce"
VECTOR_REDUCE = "tensor_scatter_nd_reduce"
ADVANCED_GET, ADVANCED_SET = "advanced_index_get", "advanced_index_set"
BATCHED_SELECT, BATCHED_GATHER = "batched_index_select", "batched_gather_nd"
MASKED_SELECT, MASKED_FILL, MASKED_SCATTER = "masked_select", "masked_fill", "masked_scatter"
PUT, TAKE_INTO = "put", "take_into"
PLAIN = (
    *(UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER, ALONG, INTO, SELECT),
    *(COPY, INDEX_ADD, FILL, REDUCE, TAKE, SEGMENTS, SORTED),
)
"""The operations without a number of batch axes, without a mask and without a tensor for the result."""


@dataclass(frozen=True)
class Defect:
    """One change of the reference's source."""

    name: str
    old: str
    new: str
    caught: Divergence
    """The kind of divergence that reports it."""
    operations: Sequence[str]
    """The operations that have the defect; the suite must catch it in each."""
    function: str = ""
    """The function in which the text is replaced; if empty, the whole file."""
    behaviour: Behaviour | None = None
    """The behaviour towards an out-of-bounds index that the suite must name; None if the defect is not about one."""
    cases: str = ""
    """Part of a case's id; one of the cases with it must catch the defect. If empty, any case."""

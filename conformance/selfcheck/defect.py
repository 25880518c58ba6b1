"""A defect to plant in a copy of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.judging.vocabulary import Behaviour, Divergence

UPDATE, ADD, SCATTER = "tensor_scatter_nd_update", "tensor_scatter_nd_add", "scatter_nd"
GATHER, ALONG, INTO = "gather_nd", "gather_elements", "scatter_elements"


@dataclass(frozen=True)
class Defect:
    """One change of the reference's text."""

    name: str
    old: str
    new: str
    caught: Divergence | None
    """None where no document says what should happen, so that it is named and not judged."""
    operations: Sequence[str]
    """Those that have the defect, each of which must show it."""
    function: str = ""
    """Where the text is replaced; the whole file where empty."""
    behaviour: Behaviour | None = None
    """The word for what it does with an index that points outside, where it is about that."""
    cases: str = ""
    """Part of the ids of cases of which one must show it; any where empty."""

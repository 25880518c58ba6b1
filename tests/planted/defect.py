"""A defect of an API: a function in place of the reference's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from conformance.cases.model import Case
from conformance.judging.vocabulary import Behaviour, Divergence
from conformance.worker.adapters import Adapter
from tests.planted.in_process import JudgedCase, cases_of, reference, results

UPDATE, ADD, SCATTER = "tensor_scatter_nd_update", "tensor_scatter_nd_add", "scatter_nd"
GATHER, ALONG, INTO = "gather_nd", "gather_elements", "scatter_elements"
SELECT, COPY, INDEX_ADD, FILL = "index_select", "index_copy", "index_add", "index_fill"
REDUCE, TAKE, SEGMENTS, SORTED = "index_reduce", "take", "unsorted_segment_reduce", "segment_reduce"
VECTOR_REDUCE = "tensor_scatter_nd_reduce"
ADVANCED_GET, ADVANCED_SET = "advanced_index_get", "advanced_index_set"
BASIC_GET, BASIC_SET = "basic_index_get", "basic_index_set"
DYNAMIC_SLICE, DYNAMIC_UPDATE = "dynamic_slice", "dynamic_update_slice"
BATCHED_SELECT, BATCHED_GATHER = "batched_index_select", "batched_gather_nd"
MASKED_SELECT, MASKED_FILL, MASKED_SCATTER = "masked_select", "masked_fill", "masked_scatter"
PUT, TAKE_INTO, SPLIT = "put", "take_into", "split_reduce"
VIEW, TYPED, DIAGONAL = "take_into_view", "typed_gather", "diagonal_scatter"
PLAIN = (
    *(UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER, ALONG, INTO, SELECT),
    *(COPY, INDEX_ADD, FILL, REDUCE, TAKE, SEGMENTS, SORTED),
)
"""The operations without a number of batch axes, without a mask and without a tensor for the result."""

Array = np.ndarray[Any, Any]
Right = Callable[..., Array]
"""The reference's function for an operation; it takes the arguments of the operation by name."""
Wrong = Callable[..., Array]
"""A function with a defect. It takes ``right`` and then what that takes, and may call it."""


@dataclass(frozen=True)
class Defect:
    """A function with a defect, and how the suite must report it."""

    name: str
    """What is wrong."""
    wrong: Wrong
    caught: Divergence
    """The kind of divergence that reports it."""
    operations: Sequence[str]
    """The operations that have the defect; the suite must catch it in each."""
    behaviour: Behaviour | None = None
    """The behaviour towards an out-of-bounds index that the suite must name; None if the defect is not about one."""
    cases: str = ""
    """Part of a case's id; one of the cases with it must catch the defect. If empty, any case."""

    def planted(self) -> Adapter:
        """The reference with the defect."""
        return with_function(reference(), self.wrong, self.operations)

    def is_reported(self, result: JudgedCase) -> bool:
        """Whether a judgement reports the defect."""
        judgement = result.judgement
        return self.caught in judgement.divergences and self.behaviour in (None, judgement.behaviour)

    def judged(self, adapter: Adapter, cases: Iterable[Case]) -> Iterator[JudgedCase]:
        """The judgements of an adapter that may have the defect."""
        return results(adapter, cases, error_types=self.caught == "error-type")

    def cases_of(self, operation: str) -> list[Case]:
        """The cases of an operation, one of which must catch the defect."""
        return [case for case in cases_of(operation) if self.cases in case.id]

    def caught_by(self, operation: str) -> Case | None:
        """The first case of an operation that catches the defect; None if there is none."""
        judged = self.judged(self.planted(), self.cases_of(operation))
        return next((result.case for result in judged if self.is_reported(result)), None)


def defect(
    caught: Divergence, *operations: str, behaviour: Behaviour | None = None, cases: str = ""
) -> Callable[[Wrong], Defect]:
    """Makes a defect of a function whose name says what is wrong; the arguments as the fields of ``Defect``."""
    return lambda wrong: Defect(wrong.__name__.replace("_", " "), wrong, caught, operations, behaviour, cases)


def defects_of(module: ModuleType) -> list[Defect]:
    """Those that a module defines, alone and in tuples."""
    found: list[Defect] = []
    for value in vars(module).values():
        found += [each for each in (value if isinstance(value, tuple) else [value]) if isinstance(each, Defect)]
    return found


def with_function(adapter: Adapter, wrong: Wrong, operations: Sequence[str]) -> Adapter:
    """The adapter with another function for the APIs of these operations."""
    apis = [
        replace(api, function=partial(wrong, api.function)) if api.operation in operations else api
        for api in adapter.apis
    ]
    return replace(adapter, apis=apis)

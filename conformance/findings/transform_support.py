"""What became of the derivatives and batches of each API, by argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.findings.dtype_support import ORDER, Observation, Tally, observation_of
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.results.variations import TransformedRecord
from conformance.specification.vocabulary import BatchAxis, Transformation

_Key = tuple[str, str, str, Transformation, tuple[str, ...], BatchAxis | None, str]

_TELLS_NOTHING = ("observed", "blocked", "unsupported")
"""Verdicts of calls that say nothing about a transform, since the call itself raises, or its result is none that is permitted."""


@dataclass(frozen=True)
class TransformSupport(Tally):
    """What one API did in the cases of a transform of certain arguments."""

    target: str
    api: str
    operation: str
    transform: Transformation
    arguments: tuple[str, ...]
    """The argument with respect to which a derivative is, or those that differ within a batch."""
    axis: BatchAxis | None
    """The position of the axis of a batch; None for a derivative."""
    of: str
    """The arguments and the axis as in the id of a case."""
    cases: Mapping[Observation, tuple[str, ...]]
    """The ids of the cases with each observation; never empty."""
    worst: ResultRecord
    """The first result with the worst observation."""


def transform_support(results: Results) -> list[TransformSupport]:
    """What was seen of each transform and argument, in the order of the results."""
    seen: dict[_Key, list[tuple[ResultRecord, Observation]]] = {}
    for result in results.results:
        case = results.cases.get(result.case)
        if case is None or not isinstance(case.variation, TransformedRecord):
            continue
        observation = "silent" if result.verdict in _TELLS_NOTHING else observation_of(result)
        made = case.variation
        of = "+".join(made.arguments) + (f".{made.axis}" if made.axis == "last" else "")
        key = (result.target, result.api, case.operation, made.transformation, made.arguments, made.axis, of)
        seen.setdefault(key, []).append((result, observation))
    supports = []
    for key, pairs in seen.items():
        cases: dict[Observation, list[str]] = {}
        for result, observation in pairs:
            cases.setdefault(observation, []).append(result.case)
        worst, _ = min(pairs, key=lambda pair: ORDER.index(pair[1]))
        supports.append(TransformSupport(*key, {name: tuple(ids) for name, ids in cases.items()}, worst))
    return supports

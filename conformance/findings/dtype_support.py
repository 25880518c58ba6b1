"""Which dtypes an API supports, as documented and as observed, and what became of its derivatives and batches, by argument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.findings.own_claims import OwnClaims
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.model import Abstract, Died, Hung, Raised, Returned
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.results.table import Table
from conformance.results.variations import SecondDerivativeRecord, TransformedRecord, base_of
from conformance.specification.dtypes import NAMES
from conformance.specification.vocabulary import BatchAxis, Transformation

Observation = Literal["works", "refused", "differs", "wrong", "ended", "silent"]
"""``wrong`` is another result than the API's own documentation says, ``differs`` than only that of another API says."""
ORDER: tuple[Observation, ...] = ("ended", "wrong", "differs", "refused", "works", "silent")
"""Worst first."""

Key = tuple[str, str, str, tuple[str, ...], str]
"""Target, API, operation, arguments and dtype."""


class Tally:
    """What some calls did, each once."""

    cases: Mapping[Observation, tuple[str, ...]]
    """The ids of the cases with each observation; never empty."""

    @property
    def counts(self) -> Counter[Observation]:
        """The number of cases with each observation."""
        return Counter({observation: len(cases) for observation, cases in self.cases.items()})

    @property
    def word(self) -> str:
        """The worst observation; ``some`` if some cases work and others are refused."""
        observed = [name for name in ORDER if name in self.cases and name != "silent"]
        if not observed:
            return "silent"
        return "some" if observed == ["refused", "works"] else observed[0]


@dataclass(frozen=True)
class Support(Tally):
    """What one API did in the cases in which certain arguments have one dtype."""

    target: str
    api: str
    operation: str
    arguments: str
    """The arguments with the dtype: ``tensor, updates``."""
    dtype: str
    claimed: str
    """``yes`` (by name), ``family`` (such as "an integer tensor"), ``others`` (only others are listed), ``example`` (in a
    documented call) or ``no``."""
    by: str | None
    """The claim's ``document#locator``, or the adapter."""
    cases: Mapping[Observation, tuple[str, ...]]
    """The ids of the cases with each observation; never empty."""
    worst: ResultRecord
    """The first result with the worst observation."""


def place_of(dtype: str) -> int:
    """The place of a dtype among all: bool, integers, floats and complex numbers, of each the narrowest first."""
    return NAMES.index(dtype) if dtype in NAMES else len(NAMES)


def dtype_support(own_claims: OwnClaims) -> list[Support]:
    """Return the support of each tested dtype, in the order of the results.

    A case in another dtype is silent if the API does not support the call, or does not conform in the case that it was
    derived from. A call whose indices were cast counts for the dtype that they were cast to.
    """
    by_key: dict[Key, dict[str, tuple[ResultRecord, Observation]]] = {}
    for key, result, observation in _observations(own_claims.table):
        by_key.setdefault(key, {}).setdefault(result.case, (result, observation))
    return [_support(key, list(observations.values()), own_claims) for key, observations in by_key.items()]


def _observations(table: Table) -> Iterator[tuple[Key, ResultRecord, Observation]]:
    """Each derived case, and the conforming case that it was derived from in its own dtype."""
    results = table.results
    for result in results.results:
        dtypes = _dtypes(result)
        if len(set(dtypes.values())) != 1:
            continue
        origin = table.result(result.target, result.api, _origin(results, result))
        conforms = origin is not None and _conforms(origin)
        yield _key(results, result, dtypes), result, observation_of(result) if conforms else "silent"
        case = results.cases.get(origin.case) if origin else None
        own = {name: case.dtypes[name] for name in dtypes if name in case.dtypes} if case else {}
        own |= {name: dtype for name, dtype in origin.cast.items() if name in own} if origin else {}
        if origin and conforms and len(set(own.values())) == 1:
            yield _key(results, origin, own), origin, "works"


def _key(results: Results, result: ResultRecord, dtypes: Mapping[str, str]) -> Key:
    return (
        result.target,
        result.api,
        results.clauses[result.clause].operation,
        tuple(dtypes),
        next(iter(dtypes.values())),
    )


def _origin(results: Results, result: ResultRecord) -> str | None:
    case = results.cases.get(result.case)
    return base_of(case.variation) if case else None


def _dtypes(result: ResultRecord) -> Mapping[str, str]:
    """The arguments that the case is about, with the dtypes in which the API was called."""
    dtypes = result.dtype_claim.dtypes if result.dtype_claim else {}
    return {name: result.cast.get(name, dtype) for name, dtype in dtypes.items()}


def _conforms(result: ResultRecord) -> bool:
    return isinstance(result.outcome, Returned) and result.verdict == "conforms"


def _support(key: Key, observations: list[tuple[ResultRecord, Observation]], own_claims: OwnClaims) -> Support:
    worst, _ = min(observations, key=lambda pair: ORDER.index(pair[1]))
    target, api, operation, arguments, dtype = key
    claims = [_claim(result, arguments, dtype, own_claims) for result, _ in observations]
    claim = next((claim for claim in claims if claim[0] == "yes"), claims[0])
    cases: dict[Observation, list[str]] = {}
    for result, observation in observations:
        cases.setdefault(observation, []).append(result.case)
    told = {observation: tuple(ids) for observation, ids in cases.items()}
    return Support(target, api, operation, ", ".join(arguments), dtype, *claim, told, worst)


def _claim(result: ResultRecord, arguments: Iterable[str], dtype: str, own_claims: OwnClaims) -> tuple[str, str | None]:
    claim = result.dtype_claim
    if claim is None and result.cast:
        return "no", None
    if claim is None:
        by = own_claims.naming(result, dict.fromkeys(arguments, dtype))
        return "example" if by is None else "yes", by
    # The claim is about the dtype of the case, not about the one that its indices were cast to.
    return (claim.claimed, claim.by) if dtype in claim.dtypes.values() else ("no", None)


def observation_of(result: ResultRecord) -> Observation:
    """What a call did."""
    outcome = result.outcome
    if isinstance(outcome, Died | Hung):
        return "ended"
    if isinstance(outcome, Returned | Abstract):
        if result.verdict != "diverges":
            return "works"
        return "wrong" if result.standing in BINDING else "differs"
    return "refused" if isinstance(outcome, Raised) else "silent"


_TransformKey = tuple[str, str, str, Transformation, tuple[str, ...], BatchAxis | None, str]

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
    """The argument with respect to which a derivative is, also that of a batch, those of both derivatives of a second one, or
    those that differ within a batch."""
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
    seen: dict[_TransformKey, list[tuple[ResultRecord, Observation]]] = {}
    for result in results.results:
        case = results.cases.get(result.case)
        if case is None or not isinstance(case.variation, TransformedRecord):
            continue
        observation = "silent" if result.verdict in _TELLS_NOTHING else observation_of(result)
        made = case.variation
        between = "." if isinstance(made, SecondDerivativeRecord) else "+"
        of = between.join(made.arguments) + (f".{made.axis}" if made.axis == "last" else "")
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

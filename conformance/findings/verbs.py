"""What a call did, in one word of a closed list, and how the result is judged for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Literal, get_args

from conformance.findings.behaviour import depends_on_other_calls, varies, was_called
from conformance.findings.combining import Combination, combinations
from conformance.findings.memory import shows_other_memory
from conformance.findings.recorded_call import recorded_call
from conformance.findings.situations import ARGUMENTS, OUTSIDE, USUAL, Place, Situation, index_dtype
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.model import Died, Hung, NotExported, Raised, Returned
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord
from conformance.results.table import Sort, sort_of

Verb = Literal[
    "varies",
    "dies",
    "hangs",
    "other",
    "changes-arguments",
    "returns-wrong",
    "returns-other",
    "clamps",
    "wraps-negative",
    "wraps-modulo",
    "fills",
    "stops",
    "ignores",
    "keeps-one",
    "keeps-first",
    "keeps-last",
    "keeps-largest",
    "keeps-smallest",
    "averages",
    "multiplies",
    "adds",
    "returns",
    "keeps-arguments",
    "raises",
    "not-exported",
]
"""What calls do, the most dangerous first. ``returns-wrong`` is against the API's own documentation, ``returns-other`` only
against that of another API."""
VERBS: tuple[Verb, ...] = get_args(Verb)


Verbs = dict[Verb, list[ResultRecord]]
"""Verb to its results."""
Key = tuple[str, Situation, str]
"""Operation, situation and target."""
_Words = frozenset[Combination] | None
"""What may have become of the updates to one position: several words if the result does not tell; None if it is not recorded."""
_DANGEROUS: tuple[Verb, ...] = ("varies", "dies")
"""What reads beside the memory of an argument do, if they return no element of other memory."""
_CHANGES = frozenset({"wrote-outside", "input-changed"})
"""Kinds of divergence that the verb about arguments is about."""
_EFFECTS = _CHANGES | {"aliased", "mode-dependent"}
"""Kinds of divergence that no verb is about, but for those about arguments."""


def observed_verbs(results: Results, of_cases: Mapping[str, Place]) -> dict[Key, dict[str, Verbs]]:
    """By operation, situation and target: by API, the verbs of its results. of_cases: the situation of each case."""
    in_place = {(mapping.target, mapping.api, mapping.operation): mapping.in_place for mapping in results.mappings}
    of_calls: dict[tuple[str, str, bool], _Words] = {}
    observed: dict[Key, dict[str, Verbs]] = {}
    written_twice: dict[tuple[Key, str], list[tuple[ResultRecord, _Words]]] = {}
    for result in results.results:
        clause = results.clauses.get(result.clause)
        if clause is None or not (was_called(result) or _is_not_exported(result)):
            continue
        place = of_cases.get(result.case)
        verbs = list(_verbs(result, place)) if place else []
        if place and _combines(result, place):
            key = (clause.operation, place.situation, result.target)
            written_twice.setdefault((key, result.api), []).append((result, _words(result, place, of_calls)))
        if isinstance(result.outcome, Returned | Raised) and _tells_of_arguments(
            result, results.cases.get(result.case)
        ):
            own = in_place.get((result.target, result.api, clause.operation))
            verbs.append((ARGUMENTS, _arguments_verb(result.outcome, own)))
        for situation, verb in verbs:
            by_api = observed.setdefault((clause.operation, situation, result.target), {})
            by_api.setdefault(result.api, {}).setdefault(verb, []).append(result)
    for (key, api), of_api in written_twice.items():
        for verb, result in _told(of_api, are_all=api not in observed.get(key, {})):
            observed.setdefault(key, {}).setdefault(api, {}).setdefault(verb, []).append(result)
    for (_, situation, _), by_api in observed.items():
        for words in by_api.values() if situation in OUTSIDE else ():
            _doubt_fills(words, results.cases)
    return observed


def _doubt_fills(verbs: Verbs, cases: Mapping[str, CaseRecord]) -> None:
    """Where no fewer calls of an API read memory, vary, or end the process than return a fill value, that is memory too."""
    memory = [one for one in verbs.get("other", ()) if shows_other_memory(cases[one.case], one.outcome)]
    if "fills" in verbs and len(verbs["fills"]) <= len(memory) + sum(len(verbs.get(verb, ())) for verb in _DANGEROUS):
        verbs.setdefault("other", []).extend(verbs.pop("fills"))


def _verbs(result: ResultRecord, place: Place) -> Iterator[tuple[Situation, Verb]]:
    """Each situation that a result tells something about by itself, with the verb."""
    about = result.dtype_claim.dtypes if result.dtype_claim else {}
    if not about and not _combines(result, place):
        yield place.situation, _verb(result, place)
    if place.situation == USUAL and place.index and place.index_dtype and about.keys() <= {place.index}:
        yield index_dtype(result.cast.get(place.index) or place.index_dtype), _plain_verb(result)


def _verb(result: ResultRecord, place: Place) -> Verb:
    """What the call did, in a word of VERBS."""
    if isinstance(result.outcome, Returned) and not _changes(result) and place.situation in OUTSIDE:
        return result.behaviour or _plain_verb(result)
    return _plain_verb(result)


def _combines(result: ResultRecord, place: Place) -> bool:
    """Whether the elements that were returned tell what became of several updates to one position, if anything does."""
    returned = isinstance(result.outcome, Returned) and not _changes(result)
    return returned and place.writes_twice and not result.dtype_claim


def _words(result: ResultRecord, place: Place, of_calls: dict[tuple[str, str, bool], _Words]) -> _Words:
    assert isinstance(result.outcome, Returned)
    conforms = result.verdict == "conforms"
    key = result.case, result.outcome.digest, conforms
    if key not in of_calls:
        call = recorded_call(place.case)
        of_calls[key] = combinations(call, result.outcome, conforms=conforms) if call else None
    return of_calls[key]


def _told(results: Sequence[tuple[ResultRecord, _Words]], *, are_all: bool) -> Iterator[tuple[Verb, ResultRecord]]:
    """What calls of an API that wrote positions twice, and returned, tell together.

    A call that does not tell one word from another is left out if another one tells. If none does, the only word that explains
    them all is what they did. Without such a word they tell no more than that they returned, which is said beside what the
    other calls of the situation did; else these would seem to be all.

    are_all: the API did nothing else in the situation.
    """
    telling = [(word, result) for result, words in results if words is not None and len(words) == 1 for word in words]
    if telling:
        yield from telling
        return
    recorded = [(result, words) for result, words in results if words is not None]
    common = reduce(frozenset.intersection, (words for _, words in recorded)) if recorded else frozenset()
    if len(common) == 1:
        yield from ((word, result) for result, _ in recorded for word in common)
    elif not are_all:
        yield from ((_plain_verb(result), result) for result, _ in results)


def _changes(result: ResultRecord) -> bool:
    """Whether the call does not do the same each time, or not after every other call."""
    return varies(result) or depends_on_other_calls(result)


def _plain_verb(result: ResultRecord) -> Verb:
    if _changes(result):
        return "varies"
    if isinstance(result.outcome, Died):
        return "dies"
    if isinstance(result.outcome, Hung):
        return "hangs"
    if isinstance(result.outcome, Raised):
        return "raises"
    if isinstance(result.outcome, NotExported):
        return "not-exported"
    if not {"value", "inconsistent", "shape", "dtype"} & {*result.divergence}:
        return "returns"
    return "returns-wrong" if result.standing in BINDING else "returns-other"


def _is_not_exported(result: ResultRecord) -> bool:
    return isinstance(result.outcome, NotExported) and result.verdict != "blocked" and not result.unconfirmed


def _tells_of_arguments(result: ResultRecord, case: CaseRecord | None) -> bool:
    """Whether arguments that are changed after a call are changed by it: a program around the call may change them itself."""
    is_around = case is not None and case.program is not None
    return not result.relation and (not is_around or bool(_CHANGES & {*result.divergence}))


def _arguments_verb(outcome: Returned | Raised, in_place: str | None) -> Verb:
    wrote_outside = any(one.access == "wrote" for one in outcome.outside)
    return "changes-arguments" if wrote_outside or {*outcome.changed} - {in_place} else "keeps-arguments"


def sort_about(verb: Verb, result: ResultRecord, case: CaseRecord | None) -> Sort:
    """How a result is judged for what a verb is about: what became of the arguments, or everything else."""
    sort = sort_of(result)
    if verb == "keeps-arguments":
        return "conforms"
    if verb == "changes-arguments":
        return sort if _CHANGES & {*result.divergence} else "observed"
    if result.verdict != "diverges" or {*result.divergence} - _EFFECTS:
        return sort
    is_open = case is None or "observed" in case.expectation
    return "observed" if is_open else "conforms"

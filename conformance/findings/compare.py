"""The one comparison of results, by every part of the suite that says what changed or what differs.

``compare`` pairs the results of two sides by case and API. What counts as the same is a parameter:

``judgement``: the same verdict and kinds of divergence, and the same behaviour. For ``conformance diff``.

``behaviour``: the same outcome by value (see ``conformance.outcomes.equivalence``), the same treatment of out-of-bounds
indices, and the same side effects, whatever a document says of them. For versions.

``status``: as ``behaviour``, but all errors are the same, and all deaths; side effects are ignored. For modes and
devices.

A pair of results that cannot show a difference is not comparable, for one of the reasons of ``Why``. In particular, what
varies by itself is neither a change nor the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Literal, get_args

from conformance.findings.behaviour import behaviour_text, depends_on_other_calls, outcome_text, side_effects, varies
from conformance.outcomes.equivalence import Equivalence, is_same
from conformance.outcomes.model import Abstract, Died, Outcome, Returned, Unsupported, lacks_arguments
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord

Same = Literal["judgement", "behaviour", "status"]
Aspect = Literal[
    "verdict", "status", "error", "ending", "dtype", "shape", "value", "other side", "behaviour", "side effects"
]
"""What differs. ``other side`` is the right side of a metamorphic relation, ``behaviour`` the treatment of indices."""
Why = Literal["one only", "unconfirmed", "blocked", "unsupported", "arguments", "cast", "abstract", "varies"]
WHYS: tuple[Why, ...] = get_args(Why)
Key = tuple[str, str]
"""Case and API. An API may implement two operations, but a case belongs to a single operation."""


@dataclass(frozen=True, eq=False)
class Side:
    """The results of a target, or of another source that represents it."""

    target: TargetRecord
    results: Mapping[Key, ResultRecord]
    varying: Set[Key] = frozenset()
    """Calls whose elements are known to vary from elsewhere, such as another version."""


def sides(results: Results) -> dict[str, Side]:
    """Each target with its results, in the order of the file."""
    of_targets: dict[str, dict[Key, ResultRecord]] = {target.id: {} for target in results.targets}
    for result in results.results:
        of_targets.setdefault(result.target, {})[result.case, result.api] = result
    return {target.id: Side(target, of_targets[target.id]) for target in results.targets}


@dataclass(frozen=True)
class Change:
    """Two results of a case on an API that differ."""

    first: ResultRecord
    second: ResultRecord
    aspects: tuple[Aspect, ...]
    """Never empty."""
    was: str
    now: str
    """Texts that differ: of the judgements, or of the behaviours."""

    @property
    def key(self) -> Key:
        return self.second.case, self.second.api


@dataclass(frozen=True)
class Comparison:
    """How the second side differs from the first."""

    first: TargetRecord
    second: TargetRecord
    changes: tuple[Change, ...]
    """In the order of the second side's results."""
    same: tuple[Key, ...]
    not_comparable: Mapping[Key, Why] = field(repr=False)
    """Without what only one side has."""
    only_first: tuple[Key, ...]
    only_second: tuple[Key, ...]

    @property
    def reasons(self) -> dict[Why, int]:
        """The number of calls that could not be compared, by reason, including those that only one side has."""
        counts = Counter(self.not_comparable.values())
        counts["one only"] = len(self.only_first) + len(self.only_second)
        return {why: counts[why] for why in WHYS if counts[why]}


def compare(first: Side, second: Side, same: Same) -> Comparison:
    """Return how the results of the second side differ from those of the first."""
    changes, equal = [], []
    not_comparable: dict[Key, Why] = {}
    for key, result in second.results.items():
        other = first.results.get(key)
        if other is None:
            continue
        difference = differing(other, result, same, varying=key in first.varying or key in second.varying)
        if isinstance(difference, str):
            not_comparable[key] = difference
        elif difference:
            changes.append(Change(other, result, difference, *_texts(other, result, difference)))
        else:
            equal.append(key)
    return Comparison(
        first.target,
        second.target,
        tuple(changes),
        tuple(equal),
        not_comparable,
        tuple(key for key in first.results if key not in second.results),
        tuple(key for key in second.results if key not in first.results),
    )


def differing(
    first: ResultRecord, second: ResultRecord, same: Same, *, varying: bool = False
) -> tuple[Aspect, ...] | Why:
    """What differs between two results of a case and API, nothing if they are the same, or why they are not comparable.

    varying: the elements of the call are known to vary.
    """
    why = uninformative(first, same) or uninformative(second, same)
    if why is not None:
        return why
    if first.cast != second.cast:
        return "cast"
    if same == "status" and _lacks_elements(first, second):
        return "abstract"
    aspects = _aspects(first, second, same, with_elements=True)
    if aspects and first.verdict == second.verdict and first.verdict in ("blocked", "unsupported"):
        # Nothing was judged, and how a call is refused says nothing.
        return () if same == "judgement" else "unsupported"
    if aspects and (varying or varies(first) or varies(second)):
        return _aspects(first, second, same, with_elements=False) or "varies"
    return aspects


def uninformative(result: ResultRecord, same: Same) -> Why | None:
    """Why a result can be compared with no other; None if it can.

    Every confirmed result has a judgement. A behaviour is that of a call that was made, and that does not depend on other
    calls or on chance.
    """
    if result.unconfirmed:
        return "unconfirmed"
    if same == "judgement":
        return None
    if result.verdict == "blocked":
        return "blocked"
    if isinstance(result.outcome, Unsupported) or (same == "status" and result.verdict == "unsupported"):
        return "unsupported"
    if lacks_arguments(result.outcome):
        return "arguments"
    return "varies" if "unstable" in result.divergence or depends_on_other_calls(result) else None


def _lacks_elements(first: ResultRecord, second: ResultRecord) -> bool:
    """Whether a call that computed no elements is beside one that did not return, which says nothing about elements."""
    outcomes = (first.outcome, second.outcome)
    return any(isinstance(outcome, Abstract) for outcome in outcomes) and first.outcome.status != second.outcome.status


def _aspects(first: ResultRecord, second: ResultRecord, same: Same, *, with_elements: bool) -> tuple[Aspect, ...]:
    equivalence: Equivalence = "status" if same == "status" else "values"
    aspects: list[Aspect] = ["verdict"] if same == "judgement" and _judgement(first) != _judgement(second) else []
    aspects += outcome_aspects(first.outcome, second.outcome, equivalence, with_elements=with_elements)
    if same != "status" and not _same_other_side(first, second, with_elements=with_elements):
        aspects.append("other side")
    if None not in (first.behaviour, second.behaviour) and first.behaviour != second.behaviour:
        aspects.append("behaviour")
    if same == "behaviour" and side_effects(first) != side_effects(second):
        aspects.append("side effects")
    return tuple(aspects)


def _judgement(result: ResultRecord) -> tuple[object, ...]:
    standing = result.standing if result.verdict == "diverges" else None
    return result.verdict, standing, frozenset(result.divergence)


def outcome_aspects(
    first: Outcome, second: Outcome, equivalence: Equivalence, *, with_elements: bool = True
) -> list[Aspect]:
    """What differs between two outcomes; elements only if dtype and shape are the same."""
    if first.status != second.status:
        return ["status"]
    if not isinstance(first, Returned | Abstract) or not isinstance(second, Returned | Abstract):
        if is_same(first, second, equivalence):
            return []
        return ["ending" if isinstance(first, Died) else "error"]
    aspects: list[Aspect] = ["dtype"] if first.dtype != second.dtype else []
    aspects += ["shape"] if tuple(first.shape) != tuple(second.shape) else []
    return aspects or ([] if is_same(first, second, equivalence, with_elements=with_elements) else ["value"])


def _same_other_side(first: ResultRecord, second: ResultRecord, *, with_elements: bool) -> bool:
    """Whether the right sides of a metamorphic relation are the same."""
    right, other = _right(first), _right(second)
    if right is None or other is None:
        return right is other
    return is_same(right, other, "values", with_elements=with_elements)


def _right(result: ResultRecord) -> Outcome | None:
    return result.relation.right if result.relation else None


def _texts(first: ResultRecord, second: ResultRecord, aspects: tuple[Aspect, ...]) -> tuple[str, str]:
    """Texts of two results that differ."""
    if "verdict" in aspects:
        was, now = judgement_text(first), judgement_text(second)
        if was != now:
            return was, now
    was, now = behaviour_text(first), behaviour_text(second)
    if was != now:
        return was, now
    if {"dtype", "shape"} & {*aspects}:
        return _with_form(first, was, aspects), _with_form(second, now, aspects)
    if "value" in aspects:
        return was, f"{now} with other elements"
    if "other side" in aspects:
        right, other = (_right(result) for result in (first, second))
        texts = ["nothing" if outcome is None else outcome_text(outcome) for outcome in (right, other)]
        if texts[0] != texts[1]:
            return f"{was} beside {texts[0]}", f"{now} beside {texts[1]}"
        return was, f"{now} beside other elements"
    return was, f"{now}, judged differently"


def _with_form(result: ResultRecord, text: str, aspects: tuple[Aspect, ...]) -> str:
    outcome = result.outcome
    assert isinstance(outcome, Returned | Abstract)
    return f"{text} {outcome.dtype}" if "dtype" in aspects else f"{text} {list(outcome.shape)}"


def judgement_text(result: ResultRecord) -> str:
    """``conforms``, ``diverges (own: value)``, ``died (SIGSEGV)``."""
    if result.verdict == "diverges":
        text = f"diverges ({result.standing}: {', '.join(result.divergence)}"
        return f"{text}; {result.behaviour})" if result.behaviour else f"{text})"
    if result.verdict == "died":
        return f"died ({result.outcome.ending})" if isinstance(result.outcome, Died) else "died"
    return f"{result.verdict} ({result.behaviour})" if result.behaviour else result.verdict

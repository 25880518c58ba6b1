"""Changes between versions and ``since`` computed a second time, from the lines of results.jsonl, in the simplest way that works."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from packaging.version import Version

from tests.findings.naive.records import Json, Records

Call = tuple[str, str]
"""Case and API."""


@dataclass
class NaiveStep:
    """From one version to the next."""

    changed: set[tuple[str, str, str]] = field(default_factory=set)
    """The target that made the call before, the case and the API."""
    same: int = 0
    why: Counter[str] = field(default_factory=Counter)


def naive_steps(lines: Iterable[str], versions: Sequence[str]) -> list[NaiveStep]:
    """The steps between targets, the oldest first."""
    return _steps([record for line in lines if (record := json.loads(line))["kind"] == "result"], versions)


def _steps(results: Sequence[Json], versions: Sequence[str]) -> list[NaiveStep]:
    calls = {(each["target"], each["case"], each["api"]): each for each in results}
    pairs = {(case, api) for _, case, api in calls}
    varying = {
        (each["case"], each["api"]) for each in results if _grade(each) == "varies" or "unstable" in _kinds(each)
    }
    steps = []
    for number, target in enumerate(versions[1:], 1):
        step = NaiveStep()
        for case, api in pairs:
            now = calls.get((target, case, api))
            earlier = [calls.get((name, case, api)) for name in versions[:number]]
            made = [each for each in earlier if each is not None]
            telling = [each for each in made if _why(each) is None] or made
            if not (now and made):
                step.why["one only"] += bool(now or made)
            else:
                answer = _compared(telling[-1], now, varies=(case, api) in varying)
                if answer == "same":
                    step.same += 1
                elif answer == "changed":
                    step.changed.add((telling[-1]["target"], case, api))
                else:
                    step.why[answer] += 1
        step.why = +step.why
        steps.append(step)
    return steps


def false_changes(records: Records, changes: Sequence[Json]) -> Iterator[str]:
    """Each call that changed from version to version is in a change, and no other is."""
    configurations: dict[tuple[str, ...], list[str]] = {}
    for name, target in records.targets.items():
        if not target["blocked"]:
            configurations.setdefault((target["framework"], target["mode"], target["device"]), []).append(name)
    expected: set[tuple[str, str, str, str]] = set()
    for names in configurations.values():
        versions = sorted(names, key=lambda name: Version(records.targets[name]["version"]))
        if len({records.targets[name]["version"] for name in names}) > 1:
            steps = _steps([one for one in records.results if one["target"] in names], versions)
            expected |= {
                (first, second, case, api)
                for second, step in zip(versions[1:], steps, strict=True)
                for first, case, api in step.changed
            }
    stated = [(each["first"], each["second"], case, each["api"]) for each in changes for case in each["cases"]]
    yield from (f"{call} did not change" for call in stated if call not in expected)
    yield from (f"{call} changed" for call in expected.difference(stated))
    yield from (f"{call} changed twice" for call in {*stated} if stated.count(call) > 1)
    yield from (f"from {each['was']} to {each['now']}" for each in changes if each["was"] == each["now"])


def naive_since(
    verbs: Sequence[dict[str, tuple[str, Json]]], verb: str, *, by_word_alone: bool
) -> tuple[int, int] | None:
    """The numbers of the first version that does it and of the last that does not.

    verbs: for each version, case to what an API did in it and its result.
    by_word_alone: whatever else the results have in common.
    """
    newest = {case: result for case, (word, result) in verbs[-1].items() if word == verb}
    does: list[bool | None] = []
    for version in verbs:
        answers = []
        for case in newest.keys() & version.keys():
            word, result = version[case]
            answer = _compared(result, newest[case], varies=False)
            if answer in ("same", "changed"):
                answers.append(word == verb or (answer == "same" and not by_word_alone))
        does.append(any(answers) if answers else None)
    if False not in does:
        return None
    not_in = max(number for number, answer in enumerate(does) if answer is False)
    return min(number for number, answer in enumerate(does) if answer and number > not_in), not_in


def _why(result: Json) -> str | None:
    outcome = result["outcome"]
    if result.get("confirmed") == "no":
        return "unconfirmed"
    if result["verdict"] == "blocked":
        return "blocked"
    if outcome["status"] == "unsupported":
        return "unsupported"
    if outcome["status"] == "raised" and outcome["error"].get("phase") == "arguments":
        return "arguments"
    poisons = (result.get("control") or {}).get("after") not in (None, "returned")
    if "unstable" in _kinds(result) or ("contaminated" in _kinds(result) and not poisons):
        return "varies"
    return None


def _compared(was: Json, now: Json, *, varies: bool) -> str:
    why = _why(was) or _why(now)
    if why:
        return why
    if was.get("cast", {}) != now.get("cast", {}):
        return "cast"
    answer = _difference(was, now, varies=varies)
    return "unsupported" if answer != "same" and was["verdict"] == now["verdict"] == "unsupported" else answer


def _difference(was: Json, now: Json, *, varies: bool) -> str:
    varies = varies or "varies" in (_grade(was), _grade(now))
    if _without_elements(was) != _without_elements(now):
        return "changed"
    if was["behaviour"] and now["behaviour"] and was["behaviour"] != now["behaviour"]:
        return "changed"
    left, right = ([_elements(side(each)) for each in (was, now)] for side in (_left, _right))
    if (left[0] == left[1] or None in left) and right[0] == right[1]:
        return "same"
    return "varies" if varies else "changed"


def _without_elements(result: Json) -> list[Any]:
    effects = {"wrote-outside", "read-outside", "input-changed", "aliased", "mode-dependent", "contaminated"} & set(
        _kinds(result)
    )
    acted = result["outcome"]["status"] in ("returned", "raised")
    return [_form(_left(result)), effects if acted else None, _form(_right(result))]


def _left(result: Json) -> Json:
    outcome: Json = result["outcome"]
    return outcome


def _right(result: Json) -> Json | None:
    """The other side of a metamorphic relation."""
    right: Json | None = (result.get("relation") or {}).get("right")
    return right


def _form(outcome: Json | None) -> list[Any]:
    if outcome is None:
        return []
    match outcome["status"]:
        case "returned":
            return [outcome["dtype"], outcome["shape"]]
        case "raised":
            return [outcome["error"]["type"], outcome["error"].get("phase") == "arguments"]
        case "died":
            return [outcome.get("signal"), outcome.get("exit_code"), "most_memory" in outcome]
        case status:
            return [status]


def _elements(outcome: Json | None) -> str | None:
    if outcome is None or outcome["status"] != "returned" or outcome.get("abstract"):
        return None
    return json.dumps(outcome["values"]) if outcome.get("values") is not None else str(outcome["digest"])


def _kinds(result: Json) -> list[str]:
    return list(result["divergence"])


def _grade(result: Json) -> str | None:
    grade: str | None = (result.get("determinism") or {}).get("grade")
    return grade

"""What is wrong computed a second time, in the simplest way that works: each false statement is a sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conformance.specification.literals import Tensor, argument
from tests.findings.naive.elements import array_of
from tests.findings.naive.records import Json, Records, flat, sort_of
from tests.findings.naive.segments import labels_of, of_nothing, reduction_of

DANGERS = ["varies", "ends", "outside", "internal", "wrong", "differs", "accepts", "refuses", "error"]
FAILING = ("own", "printed", "portability", "died", "hung")


def false_findings(records: Records, findings: Sequence[Json]) -> Iterator[str]:
    """Each failing result is in exactly one finding, which mixes nothing and says what is wrong with the worst of them."""
    by_call = {(result["target"], result["api"], result["case"]): result for result in records.results}
    recorded = _recorded(records)
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for result in records.results:
        counts[result["target"], result["api"], result["clause"]] += 1
    stated: list[tuple[str, ...]] = []
    for finding in findings:
        calls = [(finding["target"], finding["api"], case) for case in finding["results"]]
        results = [by_call[call] for call in calls]
        stated += calls
        key = [finding[name] for name in ("clause", "sort", "kinds", "known", "confirmed")]
        for one in results:
            is_one = [one["clause"], sort_of(one), one["divergence"], one["known"], one.get("confirmed") != "no"]
            if is_one != key:
                yield f"{finding['id']} mixes {is_one} with {key}"
        alone = sum(one.get("confirmed") == "alone" for one in results)
        if finding["alone"] != alone:
            yield f"{finding['id']}: {finding['alone']} confirmed alone, not {alone}"
        if finding["of"] != counts[finding["target"], finding["api"], finding["clause"]]:
            yield f"{finding['id']} has {finding['of']} results"
        danger = min((_danger(one, records.cases.get(one["case"])) for one in results), key=DANGERS.index)
        if finding["danger"] != danger:
            yield f"{finding['id']}: danger {finding['danger']}, not {danger}"
        entries = [recorded.get((_framework(records, one), one["api"], one["case"])) for one in results]
        is_new = finding["known"] is None and not all(entries)
        if is_new != (finding["known"] is None and not finding["elsewhere"]):
            yield f"{finding['id']} is {'' if is_new else 'not '}new"
    failing = sorted(call for call, result in by_call.items() if sort_of(result) in FAILING)
    if sorted(stated) != failing:
        yield f"{len(stated)} results in findings, {len(failing)} that fail"


def false_causes(records: Records, findings: Sequence[Json], causes: Sequence[Json]) -> Iterator[str]:
    """Each finding is in exactly one cause, with all others that have the same reason.

    Reasons that differ only in the document which is broken are one if all their calls share what few right calls have.
    """
    by_id = {finding["id"]: finding for finding in findings}
    expected: dict[Any, set[str]] = defaultdict(set)
    for finding in findings:
        target = records.targets[finding["target"]]
        reason: tuple[Any, ...] = (finding["known"],)
        if finding["known"] is None:
            operation = records.clauses[finding["clause"]]["operation"]
            path = target.get("path", False)
            reason = (path, finding["api"], operation, finding["sort"], *finding["kinds"])
        expected[(target["framework"], *reason)].add(finding["id"])
    stated = [frozenset(cause["findings"]) for cause in causes]
    groups = [frozenset(group) for group in expected.values()]
    joined = [[group for group in groups if group & cause] for cause in stated]
    is_partition = sorted(name for cause in stated for name in cause) == sorted(by_id)
    if not is_partition or any(frozenset().union(*parts) != cause for parts, cause in zip(joined, stated, strict=True)):
        yield "findings of one reason are in several causes, or those of several in one"
    for parts in joined:
        yield from _falsely_joined(records, [[by_id[name] for name in part] for part in parts])
    for cause in causes:
        members = [by_id[name] for name in cause["findings"]]
        if cause["own"] != any(one["sort"] == "own" for one in members):
            yield f"{cause['id']}: own {cause['own']}"
        if cause["danger"] != min((one["danger"] for one in members), key=DANGERS.index):
            yield f"{cause['id']}: danger {cause['danger']}"
        for name, plural in (("api", "apis"), ("target", "targets")):
            if {one[name] for one in members} != {*cause[plural]}:
                yield f"{cause['id']}: {plural} {cause[plural]}"


def _falsely_joined(records: Records, parts: Sequence[Sequence[Json]]) -> Iterator[str]:
    if len(parts) < 2:
        return
    firsts = [part[0] for part in parts]
    about = {(one["api"], str(one["known"]), *one["kinds"]) for one in firsts}
    sorts = [one["sort"] for one in firsts]
    if len(about) > 1 or len({*sorts}) < len(sorts) or not {*sorts} <= {"own", "printed", "portability"}:
        yield f"{sorted(about)} in {sorts} are one cause"
    calls = {(one["target"], one["api"], case) for part in parts for one in part for case in one["results"]}
    operations = {records.cases[case]["operation"] for _, _, case in calls}
    targets, [api] = {target for target, _, _ in calls}, {api for _, api, _ in calls}
    right = [
        one["case"]
        for one in records.results
        if one["target"] in targets
        and one["api"] == api
        and one["verdict"] == "conforms"
        and records.cases[one["case"]]["operation"] in operations
    ]
    shared = set.intersection(*(_properties(records.cases[case]) for _, _, case in calls))
    rare = [
        each for each in shared if 2 * sum(each in _properties(records.cases[case]) for case in right) <= len(right)
    ]
    if not rare:
        yield f"the calls of {sorted(about)} are one cause and share nothing"


def _properties(case: Json) -> set[str]:
    """What is true of a call: of each argument its dtype, view, rank, form and value, and of its numbers how they are."""
    properties = {case["variation"]["kind"]}
    for name, literal in case["call"].items():
        value = argument(literal)
        if not isinstance(value, Tensor):
            properties |= {f"{name} is {value!r}", f"{name} is a {type(value).__name__}"}
            continue
        numbers = value.array.reshape(-1)
        properties |= {f"{name} is {value.dtype}", f"{name} has rank {len(value.shape)}", f"{name} is a tensor"}
        properties |= {"view", f"view {value.view}"} if value.view else set()
        properties |= {f"{name} is empty"} if not numbers.size else set()
        if numbers.dtype.kind == "i" and numbers.size:
            properties |= {f"{name} is {'negative' if numbers.min() < 0 else 'not negative'}"}
            properties |= {f"{name} has {'duplicates' if len(np.unique(numbers)) < numbers.size else 'no duplicates'}"}
    return properties


def _framework(records: Records, result: Json) -> str:
    return str(records.targets[result["target"]]["framework"])


def _recorded(records: Records) -> dict[tuple[str, ...], str]:
    """Framework, API and case that any entry records, of whatever version."""
    return {
        (_framework(records, result), result["api"], result["case"]): entry
        for result in records.results
        if (entry := result["known"] or result.get("elsewhere"))
    }


def _danger(result: Json, case: Json | None) -> str:
    outcome, kinds = result["outcome"], {*result["divergence"]}
    if result["verdict"] in ("died", "hung"):
        return "ends"
    if kinds & {"unstable", "contaminated", "together"} or (result.get("determinism") or {}).get("grade") == "varies":
        return "varies"
    if kinds & {"wrote-outside", "read-outside"} or (
        result["behaviour"] == "other" and case and is_other_memory(case, outcome)
    ):
        return "outside"
    if "internal" in kinds:
        return "internal"
    if kinds & {"value", "inconsistent", "shape", "dtype", "input-changed", "aliased"}:
        return "wrong" if result["standing"] != "portability" else "differs"
    return "accepts" if "accepted" in kinds else "refuses" if {"rejected", "missing"} & {*kinds} else "error"


def is_other_memory(case: Json, outcome: Json) -> bool:
    """Whether a read returned an element that is in no argument, in no dtype, and no constant."""
    is_read = not any("source" in name or name in ("src", "updates", "tensor", "values") for name in case["call"])
    reduction = reduction_of(case) if labels_of(case) else None
    # The largest and the smallest of slices are elements of them; a sum is in no argument anyway.
    is_read = is_read and reduction in (None, "amax", "amin")
    if outcome["status"] != "returned" or outcome.get("values") is None or not is_read or outcome["dtype"] == "bool":
        return False
    arguments = [one for value in case["call"].values() if isinstance(one := argument(value), Tensor)]
    known = {0.0, *(float(one) for one in (of_nothing(reduction, array_of(outcome).dtype) if reduction else []))}
    for tensor in arguments:
        numbers = [complex(each).real for each in tensor.array.reshape(-1).tolist()]
        known |= {*numbers, *(float(np.float32(number)) for number in numbers)}
    found = [float(value) for value in flat(outcome["values"])]
    if "int" in outcome["dtype"]:
        bits = int(outcome["dtype"].lstrip("uint"))
        known |= {float(sign * 2**bits) for bits in (bits - 1, bits) for sign in (1, -1)}
        known |= {float(2 ** (bits - 1) - 1), float(2**bits - 1)}
        known |= {number % 2**bits for number in known} | {
            (number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for number in known
        }
    tolerance = 0.01 if outcome["dtype"] in ("float16", "bfloat16") else 1e-6
    finite = [other for other in known if np.isfinite(other)]
    return not all(
        np.isnan(one) or one in known or any(abs(one - other) <= tolerance * abs(other) for other in finite)
        for one in found
    )

"""What was run, which dtypes an API takes, and why it says nothing of a situation, computed a second time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.findings.naive.records import Json, Records


def false_extents(records: Records, extents: Sequence[Json]) -> Iterator[str]:
    """Of each target the numbers of calls are those of its results."""
    by_target: dict[str, dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
    for result in records.results:
        by_target[result["target"]][result["case"]].append(result)
    if [extent["target"] for extent in extents] != list(records.targets):
        yield "not every target has an extent"
    for extent in extents:
        operations = {one["operation"] for one in records.mappings if one["target"] == extent["target"]}
        mine = [
            case
            for case in records.cases.values()
            if case["operation"] in operations
            and _is_for(records, case, extent["target"])
            and (not is_for_some(records, case) or by_target[extent["target"]].get(case["id"]))
        ]
        why: Counter[str] = Counter()
        for case in mine:
            words = [why_not_called(result) for result in by_target[extent["target"]][case["id"]]]
            why["called" if None in words else (words[0] if words else "deselected") or ""] += 1
        called = why.pop("called", 0)
        if (extent["cases"], extent["called"], extent["not_called"]) != (len(mine), called, dict(why)):
            yield f"{extent['target']}: {extent['called']} of {extent['cases']} called, not {called} of {len(mine)}"
        requested = {records.targets[extent["target"]].get("asked"), extent["target"]}
        commands = [run["command"] for run in records.run.get("merged", ()) if requested & {*run["targets"]}]
        if extent["commands"] != (commands or [records.run["command"]]):
            yield f"{extent['target']}: commands {extent['commands']}"


def false_gaps(
    records: Records, gaps: Sequence[Json], behaviours: Sequence[Json], situations: Mapping[str, str | None]
) -> Iterator[str]:
    """Where an API has no behaviour, each call of the situation has a reason; situations: that of each case."""
    told = {(each["operation"], each["situation"], each["target"], each["api"]) for each in behaviours}
    rows = {(operation, situation) for operation, situation, _, _ in told}
    results = {(each["target"], each["api"], each["case"]): each for each in records.results}
    expected: dict[Any, Counter[str]] = defaultdict(Counter)
    for case in records.cases.values():
        index = next(iter(case.get("points") or {}), None)
        own = [situations[case["id"]]]
        if own == ["usual"] and index:
            [dtype, *_] = [key for key in case["call"][index] if key != "view"]
            own.append(f"{dtype}-indices")
        for mapping in records.mappings:
            if mapping["operation"] != case["operation"] or not _is_for(records, case, mapping["target"], found=True):
                continue
            for situation in own:
                place = (case["operation"], situation, mapping["target"], mapping["api"])
                if situation and place[:2] in rows and place not in told:
                    result = results.get((mapping["target"], mapping["api"], case["id"]))
                    if result is None and is_for_some(records, case):
                        continue
                    expected[place][why_not_called(result) or "silent" if result else "deselected"] += 1
    stated = {(each["operation"], each["situation"], each["target"], each["api"]): each["absences"] for each in gaps}
    wanted = {place: dict(counts) for place, counts in expected.items() if {*counts} != {"deselected"}}
    for place in stated.keys() | wanted.keys():
        if stated.get(place) != wanted.get(place):
            yield f"{place}: {stated.get(place)}, not {wanted.get(place)}"


def is_for_some(records: Records, case: Json) -> bool:
    is_unusual = case["variation"]["kind"] in (
        "passed",
        "program",
        "drawn-program",
        "derivative",
        "batch",
        "nested",
        "second",
    )
    return bool(records.clauses[case["clause"]].get("only_documented") or is_unusual or case.get("breaks_promises"))


def false_dtypes(records: Records, dtypes: Sequence[Json]) -> Iterator[str]:
    """A dtype works, is refused or wrong in calls that differ in nothing else from one that conforms."""
    results = {(each["target"], each["api"], each["case"]): each for each in records.results}
    expected: dict[Any, dict[str, str]] = defaultdict(dict)
    for result in records.results:
        about = (result.get("dtype_claim") or {}).get("dtypes", {})
        cast = result.get("cast", {})
        called = {name: cast.get(name, dtype) for name, dtype in about.items()}
        if len({*called.values()}) != 1:
            continue
        case = records.cases[result["case"]]
        origin = results.get((result["target"], result["api"], case["variation"].get("base")))
        conforms = origin is not None and origin["verdict"] == "conforms" and origin["outcome"]["status"] == "returned"
        conforms = conforms and not (origin or {})["outcome"].get("abstract")
        where = (result["target"], result["api"], case["operation"], ", ".join(called))
        expected[(*where, next(iter(called.values())))].setdefault(
            case["id"], _observed(result) if conforms else "silent"
        )
        if conforms and origin is not None:
            first = records.cases[origin["case"]]["dtypes"]
            own = {name: origin.get("cast", {}).get(name, first[name]) for name in called if name in first}
            if len({*own.values()}) == 1:
                expected[(*where[:3], ", ".join(called), next(iter(own.values())))].setdefault(origin["case"], "works")
    stated = {
        tuple(each[name] for name in ("target", "api", "operation", "arguments", "dtype")): each["cases"]
        for each in dtypes
    }
    for key in stated.keys() | expected.keys():
        of_key = {case: word for word, cases in stated.get(key, {}).items() for case in cases}
        if of_key != expected.get(key):
            yield f"{key}: {of_key}, not {expected.get(key)}"


def false_transforms(records: Records, transforms: Sequence[Json]) -> Iterator[str]:
    """A transform of a call is what its result says, unless that says nothing of it."""
    expected: dict[Any, dict[str, str]] = defaultdict(dict)
    for result in records.results:
        case = records.cases[result["case"]]
        made = case["variation"]
        if made["kind"] in ("derivative", "batch", "nested", "second"):
            tells = result["verdict"] in ("conforms", "diverges", "died", "hung")
            last = ".last" if made.get("axis") == "last" else ""
            of = made.get("of") or "+".join(made["stacks"]) + last
            of += last if made["kind"] == "nested" else ""
            of += f".{made['by']}" if made["kind"] == "second" else ""
            key = (result["target"], result["api"], case["operation"], made.get("mode", "vmap"), of)
            expected[key][case["id"]] = _observed(result) if tells else "silent"
    stated = {
        tuple(each[name] for name in ("target", "api", "operation", "transform", "of")): each["cases"]
        for each in transforms
    }
    for key in stated.keys() | expected.keys():
        of_key = {case: word for word, cases in stated.get(key, {}).items() for case in cases}
        if of_key != expected.get(key):
            yield f"{key}: {of_key}, not {expected.get(key)}"
    for each in transforms:
        names, _, last = each["of"].partition(".")
        is_second = each["transform"] in ("vjp-vjp", "jvp-vjp")
        axis = None if each["transform"] in ("vjp", "jvp") or is_second else last or "first"
        arguments = [names, last] if is_second else names.split("+")
        if (each["arguments"], each["axis"]) != (arguments, axis):
            yield f"{each['transform']} of {each['of']}: {each['arguments']} along {each['axis']}"


def _observed(result: Json) -> str:
    status = result["outcome"]["status"]
    if status == "returned":
        if result["verdict"] != "diverges":
            return "works"
        return "wrong" if result["standing"] in ("own", "printed") else "differs"
    return {"died": "ended", "hung": "ended", "raised": "refused"}.get(status, "silent")


def _is_for(records: Records, case: Json, target: str, *, found: bool = False) -> bool:
    """Whether a case is for the kind of device of a target; found: also if the run made it itself."""
    record = records.targets.get(target)
    if record is None or (not found and case["variation"]["kind"] == "found" and case.get("number") is None):
        return False
    kind = "gpu" if record["gpu"] else "cpu" if record["device"].partition(":")[0] == "cpu" else None
    return case.get("device") in (None, kind)


def why_not_called(result: Json) -> str | None:
    """Why the call tells nothing; None if it was made."""
    if result["verdict"] == "blocked":
        return "blocked"
    if result["outcome"]["status"] in ("unsupported", "not-exported"):
        return "unsupported"
    if result.get("confirmed") == "no":
        return "unconfirmed"
    made = result["outcome"]["status"] != "raised" or result["outcome"]["error"].get("phase") != "arguments"
    return None if made else "arguments"

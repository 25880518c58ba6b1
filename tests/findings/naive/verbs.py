"""What each call did, in a word, computed a second time, from the lines of results.jsonl, in the simplest way that works."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from conformance.specification.literals import Tensor
from tests.findings.naive.elements import WRITES, array_of, is_close
from tests.findings.naive.places import calls_of, sources_of, target_of, writes_of
from tests.findings.naive.records import Json, Records
from tests.findings.naive.segments import labels_of, treatment

Key = tuple[str, str, str, str, str]
"""Operation, situation, target, API and verb."""


def naive_verbs(records: Records, situations: dict[str, str | None]) -> dict[Key, list[Json]]:
    """The results of each verb."""
    calls = calls_of(records)
    in_place = {(row["target"], row["api"], row["operation"]): row.get("in_place") for row in records.mappings}
    found: dict[Key, list[Json]] = defaultdict(list)
    for result in records.results:
        if not _was_called(result):
            continue
        case = records.cases[result["case"]]
        operation = records.clauses[result["clause"]]["operation"]
        where = (result["target"], result["api"])
        situation = situations[result["case"]]
        claim = (result.get("dtype_claim") or {}).get("dtypes", {})
        if situation and not claim:
            verb = _verb(result, situation, case, calls[result["case"]])
            if verb:
                found[operation, situation, *where, verb].append(result)
        index = next(iter(case.get("points") or {}), None)
        if situation == "usual" and index and set(claim) <= {index}:
            dtype = (result.get("cast") or {}).get(index) or calls[result["case"]][index].dtype
            found[operation, f"{dtype}-indices", *where, _plain(result)].append(result)
        outcome = result["outcome"]
        if outcome["status"] in ("returned", "raised") and not outcome.get("abstract") and not result.get("relation"):
            changed = [*outcome.get("changed", []), *outcome.get("spilled", [])]
            own = in_place.get((*where, operation))
            verb = "changes-arguments" if [name for name in changed if name != own] else "keeps-arguments"
            found[operation, "arguments", *where, verb].append(result)
    return found


def _was_called(result: Json) -> bool:
    outcome = result["outcome"]
    if result["verdict"] == "blocked" or outcome["status"] == "unsupported" or result.get("confirmed") == "no":
        return False
    return bool(outcome["status"] != "raised" or outcome["error"].get("phase", "call") != "arguments")


def _plain(result: Json) -> str:
    grade = (result.get("determinism") or {}).get("grade")
    if "unstable" in result["divergence"] or grade == "varies":
        return "varies"
    if "contaminated" in result["divergence"] and (result.get("control") or {}).get("after") in (None, "returned"):
        return "varies"
    status = str(result["outcome"]["status"])
    if status == "returned" and {"value", "shape", "dtype"} & set(result["divergence"]):
        return "returns-wrong" if result["standing"] != "portability" else "returns-other"
    return {"died": "dies", "hung": "hangs", "raised": "raises", "returned": "returns", "not-exported": "not-exported"}[
        status
    ]


def _verb(result: Json, situation: str, case: Json, call: Json) -> str | None:
    plain = _plain(result)
    outcome = result["outcome"]
    if not plain.startswith("returns") or outcome.get("abstract"):
        return plain
    if situation in ("past-the-end", "below-zero", "far-outside"):
        is_told = labels_of(case) and outcome.get("values") is not None
        return (treatment(case, call, outcome) if is_told else result["behaviour"]) or plain
    return _combination(outcome, case, call) if situation.startswith("written-twice") else plain


def _combination(outcome: Json, case: Json, call: Json) -> str | None:
    """Write the updates one after the other, in every way, and see which way gives the elements that were returned."""
    [(index, points)] = case["points"].items()
    lengths = (points["along"], points["into"])
    numbers = [name for name, value in call.items() if isinstance(value, int | float) and name not in lengths]
    into = call[points["into"]]
    shape = target_of(call, index, points)
    assert shape is not None
    [source, *_] = sources_of(case, call, index, points)
    updates = call[source].array
    if (
        outcome.get("values") is None
        or outcome["shape"] != list(shape)
        or numbers
        or max(int(np.prod(shape)), call[index].array.size, updates.size) > 4096
    ):
        return None
    dim = call[points["along"]] if points["along"] else None
    actual = array_of(outcome)
    writes = [
        (where, update)
        for place in writes_of(call[index].array, updates, points, dim, shape)
        for where, update in place
    ]
    times = Counter(where for where, _ in writes)
    twice = [where for where, count in times.items() if count > 1]
    start = into.array if isinstance(into, Tensor) else np.zeros(shape, updates.dtype)
    # A segment is what its slices give, whatever one without slices is.
    before = {} if points.get("labels") else {where: start[where].astype(actual.dtype) for where in twice}
    fits = []
    with np.errstate(all="ignore"):
        for word, write in WRITES.items():
            result = {**before}
            for where, update in writes:
                new = update.astype(actual.dtype)
                result[where] = write(result[where], new) if where in result else new
            fits += [word] if all(is_close(result[where], actual[where]) for where in twice) else []
            counts = {where: times[where] + (where in before) for where in twice}
            if word == "adds" and all(is_close(result[where] / counts[where], actual[where]) for where in twice):
                fits.append("averages")
    first = dict(reversed(writes))
    fits += (
        ["keeps-first"] if all(is_close(first[where].astype(actual.dtype), actual[where]) for where in twice) else []
    )
    if not any(isinstance(value, str) for value in call.values()):
        fits = [word for word in fits if word in ("adds", "keeps-last", "keeps-first")]
    if len(fits) == 1:
        return fits[0]
    if fits:
        return None
    one = all(any(is_close(new.astype(actual.dtype), actual[at]) for to, new in writes if to == at) for at in twice)
    return "keeps-one" if one else "other"

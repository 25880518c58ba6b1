"""What each call did, in a word, computed a second time, from the lines of results.jsonl, in the simplest way that works."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product

import numpy as np

from conformance.specification.literals import Tensor
from tests.findings.naive.elements import WRITES, array_of, is_close
from tests.findings.naive.places import calls_of, dim_of, sources_of, target_of, writes_of
from tests.findings.naive.records import Json, Records
from tests.findings.naive.segments import labels_of, treatment
from tests.findings.naive.wrong import is_other_memory

Key = tuple[str, str, str, str, str]
"""Operation, situation, target, API and verb."""
OUTSIDE = ("past-the-end", "below-zero", "far-outside")


def naive_verbs(records: Records, situations: dict[str, str | None]) -> dict[Key, list[Json]]:
    """The results of each verb."""
    calls = calls_of(records)
    in_place = {(row["target"], row["api"], row["operation"]): row.get("in_place") for row in records.mappings}
    found: dict[Key, list[Json]] = defaultdict(list)
    written: dict[tuple[str, str, str, str], list[tuple[Json, set[str] | None]]] = defaultdict(list)
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
            if isinstance(verb, str):
                found[operation, situation, *where, verb].append(result)
            else:
                written[operation, situation, *where].append((result, verb))
        index = next(iter(case.get("points") or {}), None)
        if situation == "usual" and index and set(claim) <= {index}:
            dtype = (result.get("cast") or {}).get(index) or calls[result["case"]][index].dtype
            found[operation, f"{dtype}-indices", *where, _plain(result)].append(result)
        outcome = result["outcome"]
        is_program = bool(case["variation"].get("program") or case.get("program"))
        tells = not result.get("relation") and (
            not is_program or bool({"input-changed", "wrote-outside"} & {*result["divergence"]})
        )
        if outcome["status"] in ("returned", "raised") and not outcome.get("abstract") and tells:
            own = in_place.get((*where, operation))
            changed = [name for name in outcome.get("changed", []) if name != own]
            changed += [one["argument"] for one in outcome.get("outside", []) if one["access"] == "wrote"]
            verb = "changes-arguments" if changed else "keeps-arguments"
            found[operation, "arguments", *where, verb].append(result)
    for key, result, verb in list(_told_together(written, {key[:4] for key in found})):
        found[(*key, verb)].append(result)
    for of_fills in [of_verb for of_verb in found if of_verb[1] in OUTSIDE and of_verb[4] == "fills"]:
        others, varying, dead = (found.get((*of_fills[:4], verb), []) for verb in ("other", "varies", "dies"))
        memory = [one for one in others if is_other_memory(records.cases[one["case"]], one["outcome"])]
        if len(memory) + len(varying) + len(dead) >= len(found[of_fills]):
            found[(*of_fills[:4], "other")] += found.pop(of_fills)
    return found


def _told_together(
    written: dict[tuple[str, str, str, str], list[tuple[Json, set[str] | None]]], others: set[tuple[str, str, str, str]]
) -> Iterator[tuple[tuple[str, str, str, str], Json, str]]:
    """What calls that wrote positions twice tell: each by itself, else all by the word that they share, else that they returned.

    others: the keys of what did something else.
    """
    for key, of_key in written.items():
        sets = [fits for _, fits in of_key if fits is not None]
        alone = [fits for fits in sets if len(fits) == 1]
        shared = set.intersection(*sets) if sets else set()
        for result, fits in of_key:
            if not alone and len(shared) != 1:
                yield from [(key, result, _plain(result))] if key in others else []
            elif fits is not None:
                [word, *more] = sorted(fits if alone else shared)
                yield from [] if more else [(key, result, word)]


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


def _verb(result: Json, situation: str, case: Json, call: Json) -> str | set[str] | None:
    plain = _plain(result)
    outcome = result["outcome"]
    if not plain.startswith("returns") or outcome.get("abstract"):
        return plain
    if situation in OUTSIDE:
        is_told = labels_of(case) and outcome.get("values") is not None
        return (treatment(case, call, outcome) if is_told else result["behaviour"]) or plain
    if not situation.startswith("written-twice"):
        return plain
    return _fits(outcome, case, call, conforms=result["verdict"] == "conforms")


def _fits(outcome: Json, case: Json, call: Json, *, conforms: bool) -> set[str] | None:
    """Write the updates one after the other, in every way, and see which ways give the elements that were returned."""
    [(index, points)] = case["points"].items()
    lengths = (points["along"], points["into"])
    numbers = [name for name, value in call.items() if isinstance(value, int | float) and name not in lengths]
    into = call.get(points["into"])
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
    dim = dim_of(call, index, points, len(shape))
    actual = array_of(outcome)
    writes = [
        (where, update)
        for place in writes_of(call[index].array, updates, points, dim, shape)
        for where, update in place
    ]
    times = Counter(where for where, _ in writes)
    twice = [where for where, count in times.items() if count > 1]
    start = into.array if isinstance(into, Tensor) else np.zeros(shape, updates.dtype)
    start = start.astype(actual.dtype)
    chooses = any(isinstance(value, str) for value in call.values())
    # A segment is what its slices give, whatever one without slices is; a call may ask for that of a position too.
    is_new = bool(points.get("labels")) or not isinstance(into, Tensor)
    without_start = [True] if is_new else [False, True] if chooses and conforms else [False]
    fits = set()
    with np.errstate(all="ignore"):
        for (word, write), leaves_out in product(WRITES.items(), without_start):
            result = {} if leaves_out else {where: start[where] for where in twice}
            for where, update in writes:
                new = update.astype(actual.dtype)
                result[where] = write(result[where], new) if where in result else new
            fits |= {word} if all(is_close(result[where], actual[where]) for where in twice) else set()
            more = 0 if leaves_out else 1
            if word == "adds" and all(
                is_close(result[where] / (times[where] + more), actual[where]) for where in twice
            ):
                fits.add("averages")
    first = dict(reversed(writes))
    fits |= (
        {"keeps-first"} if all(is_close(first[where].astype(actual.dtype), actual[where]) for where in twice) else set()
    )
    if not chooses:
        fits &= {"adds", "keeps-last", "keeps-first"}
    one = all(any(is_close(new.astype(actual.dtype), actual[at]) for to, new in writes if to == at) for at in twice)
    return fits or {"keeps-one" if one else "other"}

"""The behaviour table computed a second time, from the lines of results.jsonl, in the simplest way that works."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from ml_dtypes import finfo
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.specification.literals import Tensor, argument
from tests.findings.naive.compare import naive_since
from tests.findings.naive.records import Json, Records, sort_of

Key = tuple[str, str, str, str, str]
"""Operation, situation, target, API and verb."""

PLACE = ("target", "api", "operation")

WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "adds": lambda old, new: old + new if old.dtype != bool else old | new,
    "multiplies": lambda old, new: old * new if old.dtype != bool else old & new,
    "keeps-last": lambda _, new: new,
    "keeps-largest": np.maximum,
    "keeps-smallest": np.minimum,
}


def naive_situations(records: Records) -> dict[str, str | None]:
    """Case to its situation."""
    calls = _calls(records)
    roles = _roles(records.cases, calls)
    return {
        name: None
        if records.clauses[case["clause"]]["family"] == "relation" or case.get("transform") or case.get("program")
        else _situation(case, calls[name], roles[case["operation"]])
        for name, case in records.cases.items()
    }


def naive_verbs(records: Records, situations: dict[str, str | None]) -> dict[Key, list[Json]]:
    """The results of each verb."""
    calls = _calls(records)
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
        if outcome["status"] in ("returned", "raised") and not outcome.get("abstract") and not result.get("relation"):
            changed = [*outcome.get("changed", []), *outcome.get("spilled", [])]
            own = in_place.get((*where, operation))
            verb = "changes-arguments" if [name for name in changed if name != own] else "keeps-arguments"
            found[operation, "arguments", *where, verb].append(result)
    for key, result, verb in list(_told_together(written, {key[:4] for key in found})):
        found[(*key, verb)].append(result)
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


def false_behaviours(
    records: Records, verbs: dict[Key, list[Json]], behaviours: Sequence[Json], situations: dict[str, str | None]
) -> Iterator[str]:
    """Every number, verdict, claim, entry of a ledger and link of a behaviour is that of the calls of this API alone.

    situations: that of each case.
    """
    general = {records.cases[name]["clause"] for name, situation in situations.items() if situation == "usual"}
    of: Counter[tuple[str, ...]] = Counter()
    for key, results in verbs.items():
        of[key[:4]] += len(results)
    of_any_operation: dict[tuple[str, ...], list[Key]] = defaultdict(list)
    for of_verb in verbs:
        of_any_operation[of_verb[1:]].append(of_verb)
    keys = [tuple(each[name] for name in ("operation", "situation", "target", "api", "verb")) for each in behaviours]
    if sorted(keys) != sorted(verbs):
        yield f"{len(keys)} behaviours, {len(verbs)} that the results show: {sorted({*keys} ^ {*verbs})[:3]}"
    for key, stated in zip(keys, behaviours, strict=True):
        results = verbs.get(key, [])
        verb = key[-1]
        sorts = [_sort_about(records, verb, result) for result in results]
        known = {
            result["known"]
            for result, sort in zip(results, sorts, strict=True)
            if result["known"] and sort not in ("conforms", "observed")
        }
        framework = records.targets[key[2]]["framework"]
        links = {records.known[framework, name]["link"] for name in known if (framework, name) in records.known}
        claims, of_all_calls = _about(records, key, results, general)
        if not claims and key[1] not in ("usual", "arguments"):
            same = [other for other in of_any_operation[key[1:]] if other != key]
            claims = sorted({claim for other in same for claim in _about(records, other, verbs[other], general)[0]})
            of_all_calls = of_all_calls and not claims
        expected = {
            "cases": [] if verb == "keeps-arguments" else [result["case"] for result in results],
            "of": of[key[:4]],
            "verdicts": dict(Counter(sorts)),
            "claims": claims,
            "of_all_calls": of_all_calls,
            "known": sorted(known),
            "links": sorted(link for link in links if link.startswith("http")),
        }
        given = {
            name: sorted(stated[name]) if name in ("claims", "known", "links") else stated[name] for name in expected
        }
        wrong = {name: (given[name], expected[name]) for name in expected if given[name] != expected[name]}
        if wrong:
            yield f"{key}: {wrong}"


def false_since(records: Records, verbs: dict[Key, list[Json]], behaviours: Sequence[Json]) -> Iterator[str]:
    """A behaviour is new in the version in which a call that an older one made too first did it."""
    configurations: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, target in records.targets.items():
        if not target["blocked"] and target["framework"] != "reference":
            configurations[target["framework"], target["mode"], target["device"]].append(name)
    names = sorted({verb for *_, verb in verbs})
    for each in behaviours:
        target = records.targets[each["target"]]
        of_same = configurations[target["framework"], target["mode"], target["device"]]
        versions = sorted(of_same, key=lambda name: Version(records.targets[name]["version"]))
        versions = versions[: versions.index(each["target"]) + 1] if each["target"] in versions else []
        did: list[dict[str, tuple[str, Json]]] = [
            {
                result["case"]: (verb, result)
                for verb in names
                for result in verbs.get((each["operation"], each["situation"], version, each["api"], verb), ())
            }
            for version in versions
        ]
        expected = naive_since(did, each["verb"], by_word_alone=each["situation"] == "arguments") if did else None
        range_ = expected and {
            "first": records.targets[versions[expected[0]]]["version"],
            "not_in": records.targets[versions[expected[1]]]["version"],
        }
        stated = each["since"] and {name: each["since"][name] for name in ("first", "not_in")}
        if stated != range_:
            yield f"{each['api']} {each['situation']} {each['verb']} on {each['target']}: since {stated}, not {range_}"


def _sort_about(records: Records, verb: str, result: Json) -> str:
    """The verdict on what a verb is about."""
    kinds = {*result["divergence"]}
    if verb == "keeps-arguments":
        return "conforms"
    if verb == "changes-arguments":
        return sort_of(result) if "input-changed" in kinds else "observed"
    if result["verdict"] == "diverges" and kinds <= {"input-changed", "aliased"}:
        return "observed" if "observed" in records.cases[result["case"]]["expectation"] else "conforms"
    return sort_of(result)


def _about(records: Records, key: Key, results: Sequence[Json], general: set[str]) -> tuple[list[str], bool]:
    """What the API's own documentation says of what is unusual about calls; if nothing, whether it speaks of all calls."""
    _, situation, target, api, _ = key
    if situation == "arguments":
        return [], False
    if situation.endswith("-indices") and situation != "no-indices":
        return sorted(_of_index_dtype(records, key, results)), False
    spoken = [claim for claim in records.claims if situation in claim.get("situations", ())]
    found, of_all = _own(records, target, api, spoken), set()
    for result in results:
        if result["standing"] not in ("own", "printed"):
            continue
        clause = result["clause"]
        said = _own(records, target, api, records.clauses[clause]["citations"])
        any_said = situation == "usual" or situation.startswith("written-twice")
        held = [each for each in results if each["clause"] == clause and each["standing"] in ("own", "printed")]
        expected = [records.cases[each["case"]]["expectation"] for each in held]
        wrong = any(each["verdict"] == "diverges" for each in held) or any("raises" in each for each in expected)
        is_open = not [each for each in expected if "observed" not in each]
        if not any_said and (is_open or (clause in general and not wrong)):
            of_all |= said
        else:
            found |= said
    of_choice = _own(records, target, api, _of_choice(records, key[0], situation))
    of_all = of_all if not found else set()
    found = found or of_choice
    others = _of_others(records, key)
    if of_choice & found - others:
        found -= others - of_choice
    return sorted(found), bool(of_all)


def _of_choice(records: Records, operation: str, situation: str) -> list[Json]:
    """What is cited by clauses all whose calls make the choice of a situation, claims about dtypes aside."""
    of_dtypes = [(claim["document"], claim["locator"]) for claim in records.claims if claim.get("dtypes")]
    found = []
    for clause in records.clauses.values():
        cases = [case for case in records.cases.values() if case["clause"] == clause["id"]]
        chosen = {tuple(f"{k}={v}" for k, v in case["call"].items() if isinstance(v, str)) for case in cases}
        names = {"-".join(("written-twice", *of_case)) for of_case in chosen}
        if clause["operation"] == operation and names == {situation} != {"written-twice"}:
            found += [each for each in clause["citations"] if (each["document"], each["locator"]) not in of_dtypes]
    return found


def _of_others(records: Records, key: Key) -> set[str]:
    """The claims on other objects than those that document an API, in documents with claims on these too."""
    operation, _, target, api, _ = key
    [mapping] = [each for each in records.mappings if [each[name] for name in PLACE] == [target, api, operation]]
    objects = {*(mapping.get("documentation") or [mapping.get("follows") or api])}
    resting = {f"{each['document']}#{each['locator']}": each.get("rests", {}).keys() for each in records.claims}
    mine = {name for name, names in resting.items() if names & objects}
    documents = {name.partition("#")[0] for name in mine}
    return {
        name for name, names in resting.items() if names and name not in mine and name.partition("#")[0] in documents
    }


def _of_index_dtype(records: Records, key: Key, results: Sequence[Json]) -> set[str]:
    """The claims that list the dtype of the indices; without one, the first that lists others or a family."""
    operation, situation, target, api, _ = key
    [mapping] = [each for each in records.mappings if [each[name] for name in PLACE] == [target, api, operation]]
    clauses = [clause for clause in records.clauses.values() if clause["operation"] == operation]
    cited = {citation["document"] for clause in clauses for citation in clause["citations"]}
    listing = [
        claim
        for claim in ([] if mapping["composed"] else records.claims)
        if claim["official"] and claim["document"] in cited
    ]
    found = set()
    for result in results:
        if result.get("cast"):
            continue
        if claim := result.get("dtype_claim"):
            found |= {claim["by"]} if "#" in (claim.get("by") or "") else set()
        else:
            [index] = records.cases[result["case"]]["points"]
            about = [claim for claim in listing if claim.get("dtypes", {}).get(index)]
            dtype = situation.removesuffix("-indices")
            of_index = sorted(about, key=lambda claim: dtype not in claim["dtypes"][index])
            found |= next(filter(None, (_own(records, target, api, [claim]) for claim in of_index)), set())
    return found


def _own(records: Records, target: str, api: str, citations: Sequence[Json]) -> set[str]:
    """Those of the claims that the API's own documentation makes in the version of a target."""
    record = records.targets[target]
    names = {api, *(one.get("follows") for one in records.mappings if (one["target"], one["api"]) == (target, api))}
    found = set()
    for citation in citations:
        about = [one for one in records.documents if one["document"] == citation["document"]]
        claim = f"{citation['document']}#{citation['locator']}"
        devices = (None, "gpu" if record["gpu"] else record["device"].partition(":")[0])
        if not any(names & {*one["describes"]} for one in about) or citation.get("device") not in devices:
            continue
        if claim in record.get("unread", {}).get(api, ()):
            continue
        if not citation.get("versions") or Version(record["version"]) in SpecifierSet(citation["versions"]):
            found.add(claim)
    return found


def _calls(records: Records) -> Json:
    return {name: {key: argument(value) for key, value in case["call"].items()} for name, case in records.cases.items()}


def _was_called(result: Json) -> bool:
    outcome = result["outcome"]
    if result["verdict"] == "blocked" or outcome["status"] == "unsupported" or result.get("confirmed") == "no":
        return False
    return bool(outcome["status"] != "raised" or outcome["error"].get("phase", "call") != "arguments")


def _roles(cases: Json, calls: Json) -> dict[str, tuple[set[str], set[str]]]:
    """By operation, the arguments that are indices, and those that are written."""
    roles: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for name, case in cases.items():
        indices, written = roles[case["operation"]]
        declared = case.get("points") or {}
        if len(declared) == 1 and not isinstance(calls[name][next(iter(declared))], Tensor):
            continue
        for index, points in declared.items():
            indices.add(index)
            written.update(_sources(case, calls[name], index, points["into"])[:1])
    return roles


def _sources(case: Json, call: Json, index: str, into: str) -> list[str]:
    return [
        name
        for name, value in call.items()
        if isinstance(value, Tensor) and name in case["axes"] and name not in (index, into)
    ]


def _situation(case: Json, call: Json, roles: tuple[set[str], set[str]]) -> str | None:
    declared = case.get("points") or {}
    if not declared:
        return _violation(case, call, roles)
    [(index, points)] = declared.items()
    into = call[points["into"]]
    if not isinstance(into, Tensor | tuple) or points["into"] not in case["axes"] or call[index].kind != "integer":
        return _violation(case, call, roles)
    shape = list(into.shape if isinstance(into, Tensor) else into)
    dim = call[points["along"]] if points["along"] else None
    if dim is not None and not -len(shape) <= dim < len(shape):
        return _violation(case, call, roles)
    by_vectors = dim is None and points["selects"] != "flat"
    vectors = _vectors(call[index].array, by_vectors)
    depth = call[index].shape[-1] if by_vectors else 1
    bounds = shape[:depth] if by_vectors else [shape[dim]] if dim is not None else [int(np.prod(shape))]
    if (by_vectors and depth > len(shape)) or any(length < 0 for length in shape):
        return _violation(case, call, roles)
    unusual = set()
    flat = [(number, bound) for _, vector in vectors for number, bound in zip(vector, bounds, strict=True)]
    if any(number < -bound or number >= 2 * bound for number, bound in flat):
        unusual.add("far-outside")
    else:
        unusual |= {"past-the-end" for number, bound in flat if number >= bound}
        unusual |= {"below-zero" for number, _ in flat if number < 0}
    batch = call[index].shape[:-1] if by_vectors else call[index].shape
    unusual |= {"no-indices"} if 0 in batch else set()
    unusual |= {"depth-zero"} if depth == 0 else set()
    unusual |= {"empty-axis"} if 0 in shape else set()
    unusual |= {"no-axes"} if not shape else set()
    unusual |= {"negative-axis"} if dim is not None and dim < 0 else set()
    sources = _sources(case, call, index, points["into"])
    places = [_place(where, vector, points, dim) for where, vector in vectors]
    if sources and len(places) != len(set(places)):
        choices = [f"{name}={value}" for name, value in call.items() if isinstance(value, str)]
        unusual.add("-".join(["written-twice", *choices]))
    data = [
        value for name, value in call.items() if isinstance(value, Tensor) and name != index and name in case["axes"]
    ]
    unusual |= {"mixed-dtypes"} if len({value.dtype for value in data}) > 1 else set()
    floats = [float(x) for value in data if value.kind == "float" for x in value.array.reshape(-1).astype(float)]
    unusual |= {"non-finite"} if not np.isfinite(floats).all() else set()
    for value in data:
        if value.kind == "float":
            smallest = float(finfo(value.array.dtype).smallest_normal)  # type: ignore[no-untyped-call]
            exact = [abs(float(x)) for x in value.array.reshape(-1).astype(float)]
            unusual |= {"subnormal"} if any(0 < x < smallest for x in exact) else set()
    if not unusual and "returns" in case["expectation"] and not case.get("control"):
        return "usual"
    return unusual.pop() if len(unusual) == 1 and call[index].dtype in ("int32", "int64") else None


def _vectors(index: Any, by_vectors: bool) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each index vector with its position among the indices."""
    shape = index.shape[:-1] if by_vectors else index.shape
    places = product(*map(range, shape))
    return [(where, tuple(int(x) for x in index[where]) if by_vectors else (int(index[where]),)) for where in places]


def _place(where: tuple[int, ...], vector: tuple[int, ...], points: Json, dim: int | None) -> tuple[int, ...]:
    if dim is None or points["selects"] in ("slices", "flat"):
        return vector
    axis = dim % len(where) if where else 0
    return (*where[:axis], *vector, *where[axis + 1 :])


def _violation(case: Json, call: Json, roles: tuple[set[str], set[str]]) -> str | None:
    control = case.get("control") or {}
    changed = [name for name in case["call"] if case["call"][name] != control.get(name)]
    if len(changed) != 1 or changed[0] not in control:
        return None
    [name] = changed
    wrong, right = call[name], argument(control[name])
    if not isinstance(wrong, Tensor) or not isinstance(right, Tensor):
        return None
    if name in roles[0] and wrong.shape == right.shape and wrong.dtype != right.dtype:
        return f"{wrong.dtype}-indices"
    if name not in roles[1] or wrong.shape == right.shape or wrong.dtype != right.dtype:
        return None
    padded = (1,) * (len(right.shape) - len(wrong.shape)) + wrong.shape
    if len(padded) == len(right.shape) and all(a in (1, b) for a, b in zip(padded, right.shape, strict=True)):
        return "broadcastable-updates"
    more = wrong.array.size - right.array.size
    return "reshaped-updates" if more == 0 else "too-many-updates" if more > 0 else "too-few-updates"


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
    if situation in ("past-the-end", "below-zero", "far-outside"):
        return result["behaviour"] or plain
    if not situation.startswith("written-twice"):
        return plain
    return _fits(outcome, case, call, conforms=result["verdict"] == "conforms")


def _fits(outcome: Json, case: Json, call: Json, *, conforms: bool) -> set[str] | None:
    """Write the updates one after the other, in every way, and see which ways give the elements that were returned."""
    [(index, points)] = case["points"].items()
    numbers = [name for name, value in call.items() if isinstance(value, int | float) and name != points["along"]]
    into = call[points["into"]]
    shape = into.shape if isinstance(into, Tensor) else tuple(into)
    [source, *_] = _sources(case, call, index, points["into"])
    updates = call[source].array
    if (
        outcome.get("values") is None
        or outcome["shape"] != list(shape)
        or numbers
        or max(int(np.prod(shape)), call[index].array.size, updates.size) > 4096
    ):
        return None
    dim = call[points["along"]] if points["along"] else None
    actual = argument({outcome["dtype"]: _numbers(outcome["values"], outcome["dtype"])}).array.reshape(shape)  # type: ignore[union-attr]
    writes = [
        (where, update) for place in _writes(call[index].array, updates, points, dim, shape) for where, update in place
    ]
    times = Counter(where for where, _ in writes)
    twice = [where for where, count in times.items() if count > 1]
    start = into.array if isinstance(into, Tensor) else np.zeros(shape, updates.dtype)
    start = start.astype(actual.dtype)
    chooses = any(isinstance(value, str) for value in call.values())
    without_start = [True] if not isinstance(into, Tensor) else [False, True] if chooses and conforms else [False]
    fits = set()
    with np.errstate(all="ignore"):
        for (word, write), leaves_out in product(WRITES.items(), without_start):
            result = start.copy()
            fresh = {*twice} if leaves_out else set()
            for where, update in writes:
                new = update.astype(actual.dtype)
                result[where] = new if where in fresh else write(result[where], new)
                fresh.discard(where)
            fits |= {word} if all(_close(result[where], actual[where]) for where in twice) else set()
            more = 0 if leaves_out else 1
            if word == "adds" and all(_close(result[where] / (times[where] + more), actual[where]) for where in twice):
                fits.add("averages")
    first = dict(reversed(writes))
    fits |= (
        {"keeps-first"} if all(_close(first[where].astype(actual.dtype), actual[where]) for where in twice) else set()
    )
    if not chooses:
        fits &= {"adds", "keeps-last", "keeps-first"}
    one = all(any(_close(new.astype(actual.dtype), actual[at]) for to, new in writes if to == at) for at in twice)
    return fits or {"keeps-one" if one else "other"}


def _writes(index: Any, updates: Any, points: Json, dim: int | None, shape: tuple[int, ...]) -> Iterator[list[Any]]:
    """For each index, the positions that it writes with the elements."""
    for where, vector in _vectors(index, by_vectors=dim is None and points["selects"] != "flat"):
        if points["selects"] == "flat":
            [number] = vector
            yield [(tuple(int(x) for x in np.unravel_index(number, shape)), updates[where])]
        elif dim is None:
            rest = list(product(*map(range, shape[len(vector) :])))
            yield [((*vector, *inner), updates[(*where, *inner)]) for inner in rest]
        elif points["selects"] == "slices":
            axis = dim % len(shape)
            others = list(product(*(range(length) if at != axis else [0] for at, length in enumerate(shape))))
            number = where[0] if where else 0
            yield [
                ((*at[:axis], *vector, *at[axis + 1 :]), updates[(*at[:axis], number, *at[axis + 1 :])])
                for at in others
            ]
        else:
            yield [(_place(where, vector, points, dim), updates[where])]


def _numbers(values: Any, dtype: str) -> Any:
    if isinstance(values, list):
        return [_numbers(value, dtype) for value in values]
    if isinstance(values, str):
        return int(values) if "int" in dtype else complex(values) if "complex" in dtype else float(values)
    return values


def _close(expected: Any, actual: Any) -> bool:
    if np.asarray(actual).dtype.kind in "biu":
        return bool(expected == actual)
    return bool(np.isclose(complex(expected), complex(actual), rtol=1e-2, atol=0, equal_nan=True))

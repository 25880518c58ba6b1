"""The behaviour table computed a second time, from the lines of results.jsonl, in the simplest way that works."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.findings.naive.compare import naive_since
from tests.findings.naive.records import Json, Records, sort_of
from tests.findings.naive.verbs import Key

PLACE = ("target", "api", "operation")


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
            "first": records.targets[versions[expected[0]]]["version"].partition("+")[0],
            "not_in": records.targets[versions[expected[1]]]["version"].partition("+")[0],
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
        return sort_of(result) if {"input-changed", "wrote-outside"} & {*kinds} else "observed"
    if result["verdict"] == "diverges" and kinds <= {"wrote-outside", "input-changed", "aliased", "mode-dependent"}:
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
    found, of_all = own_claims(records, target, api, spoken), set()
    for result in results:
        if result["standing"] not in ("own", "printed"):
            continue
        clause = result["clause"]
        said = own_claims(records, target, api, records.clauses[clause]["citations"])
        any_said = situation == "usual" or situation.startswith("written-twice")
        held = [each for each in results if each["clause"] == clause and each["standing"] in ("own", "printed")]
        expected = [records.cases[each["case"]]["expectation"] for each in held]
        wrong = any(each["verdict"] == "diverges" for each in held) or any("raises" in each for each in expected)
        is_open = not [each for each in expected if "observed" not in each]
        if not any_said and (is_open or (clause in general and not wrong)):
            of_all |= said
        else:
            found |= said
    of_choice = own_claims(records, target, api, _of_choice(records, key[0], situation))
    of_all = of_all if not found else set()
    found = found or of_choice
    others = _of_others(records, key)
    if of_choice & found - others:
        found -= others - of_choice
    return sorted(found), bool(of_all)


def _of_choice(records: Records, operation: str, situation: str) -> list[Json]:
    """What is cited by clauses all whose calls make the choice of a situation, claims about dtypes aside."""
    if not situation.startswith("written-twice-"):
        return []
    of_dtypes = [(claim["document"], claim["locator"]) for claim in records.claims if claim.get("dtypes")]
    named: dict[str, set[str]] = defaultdict(set)
    for case in records.cases.values():
        if case["operation"] == operation:
            chosen = [f"{name}={value}" for name, value in case["call"].items() if isinstance(value, str)]
            named[case["clause"]].add("-".join(("written-twice", *chosen)))
    cited = [
        each for clause, names in named.items() if names == {situation} for each in records.clauses[clause]["citations"]
    ]
    return [each for each in cited if (each["document"], each["locator"]) not in of_dtypes]


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
            index = next(iter(records.cases[result["case"]]["points"]), None)
            about = [claim for claim in listing if claim.get("dtypes", {}).get(index)]
            dtype = situation.removesuffix("-indices")
            of_index = sorted(about, key=lambda claim: dtype not in claim["dtypes"][index])
            found |= next(filter(None, (own_claims(records, target, api, [claim]) for claim in of_index)), set())
    return found


def own_claims(records: Records, target: str, api: str, citations: Sequence[Json]) -> set[str]:
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

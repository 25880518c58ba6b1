"""Where two APIs do the same, computed a second time, in the simplest way that works."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tests.findings.naive.records import Json, Records


def false_ports(records: Records, ports: Sequence[Json]) -> Iterator[str]:
    """Calls count only if both APIs take them; each condition is shown by calls in which the two differ."""
    results = {(each["target"], each["api"], each["case"]): each for each in records.results}
    for port in ports:
        calls: dict[str, list[str]] = {"same": [], "different": [], "first lacks": [], "second lacks": []}
        for case in records.cases.values():
            if case["operation"] == port["operation"] and records.clauses[case["clause"]]["family"] != "relation":
                of_case = [results.get((side["target"], side["api"], case["id"])) for side in port["sides"]]
                calls.setdefault(_relation(*map(word_of, of_case)), []).append(case["id"])
        first, second = port["sides"]
        stated = [port["same"], port["different"], first["lacks"], second["lacks"]]
        expected = [len(calls["same"]), calls["different"], calls["first lacks"], calls["second lacks"]]
        names = f"{port['operation']}: {first['api']} and {second['api']}"
        if stated != expected:
            yield f"{names}: {stated}, not {expected}"
        counts = port["conditions"].values()
        if bool(counts) != bool(port["different"]) or not all(0 < one <= len(port["different"]) for one in counts):
            yield f"{names} differ under {port['conditions']}"


def _relation(first: str | None, second: str | None) -> str:
    if first is None or second is None or first == second == "lacks":
        return "nothing"
    if "lacks" in (first, second):
        return "first lacks" if first == "lacks" else "second lacks"
    if "depends" in (first, second):
        return "nothing"
    return "same" if first == second and first not in ("died", "hung", "varies") else "different"


def _depends(result: Json) -> bool:
    """Whether it depends on earlier calls, and is no error that only makes later ones fail."""
    control = result.get("control") or {}
    return "contaminated" in result["divergence"] and control.get("after") in (None, "returned")


def word_of(result: Json | None) -> str | None:
    """What an API did; None if nothing is known of it. What depends on earlier calls is taken, and cannot be compared."""
    if result is None or result["verdict"] == "blocked" or result["outcome"].get("abstract"):
        return None
    outcome = result["outcome"]
    if outcome["status"] not in ("died", "hung") and _depends(result):
        return "depends"
    if outcome["status"] in ("unsupported", "not-exported"):
        return "lacks"
    if outcome["status"] != "returned":
        return str(outcome["status"])
    if "unstable" in result["divergence"] or (result.get("determinism") or {}).get("grade") == "varies":
        return "varies"
    values = outcome["digest"] if outcome.get("values") is None else outcome["values"]
    return json.dumps([outcome["dtype"], outcome["shape"], values])

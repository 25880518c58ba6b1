"""The lines of results.jsonl as plain dictionaries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]


class Records:
    """The records of each kind, and those that are looked up by a name."""

    def __init__(self, lines: Iterable[str]) -> None:
        kinds: dict[str, list[Json]] = defaultdict(list)
        for line in lines:
            record = json.loads(line)
            kinds[record["kind"]].append(record)
        self.run: Json = kinds["run"][0]
        self.results = kinds["result"]
        self.mappings = kinds["mapping"]
        self.documents = kinds["document"]
        self.claims = kinds["claim"]
        self.targets: dict[str, Json] = {record["id"]: record for record in kinds["target"]}
        self.cases: dict[str, Json] = {
            record["id"]: {**record, "variation": _variation(record)} for record in kinds["case"]
        }
        self.clauses: dict[str, Json] = {record["id"]: record for record in kinds["clause"]}
        self.known: dict[tuple[str, str], Json] = {(one["framework"], one["id"]): one for one in kinds["known"]}


def _variation(case: Json) -> Json:
    """How a case varies a call. A file of schema 1 says it in several fields; the kinds of what is derived have no names there."""
    if "variation" in case:
        return dict(case["variation"])
    base = {"base": case["derived_from"]} if case.get("derived_from") else {}
    if transform := case.get("transform"):
        mode = transform["kind"]
        return {**transform, **base, "mode": mode, "kind": "batch" if mode == "vmap" else "derivative"}
    kind = next((name for name in ("passed", "program") if case.get(name)), case["provenance"])
    return {**base, "kind": kind}


def sort_of(result: Json) -> str:
    """The verdict, or the standing of a divergence."""
    return str(result["standing"] if result["verdict"] == "diverges" else result["verdict"])


def flat(values: Any) -> list[Any]:
    return [one for value in values for one in flat(value)] if isinstance(values, list) else [values]

"""The data of a page as its JavaScript reads them: columns summed up, numbers of texts replaced by the texts."""

from __future__ import annotations

import base64
import gzip
import json
from itertools import accumulate
from typing import Any


def unpacked(text: str) -> dict[str, Any]:
    """``results``: a list of dictionaries; ``cases`` and ``clauses`` by id; ``packed``: the columns of results; all else as it is packed."""
    data = json.loads(gzip.decompress(base64.b64decode(text)))
    cases = _cases(data)
    return {
        **data,
        "cases": {one["id"]: one for one in cases},
        "clauses": {one["id"]: one for one in data["clauses"]},
        "mappings": [{"target": row[0], "api": row[1], "source": data["texts"][row[-1]]} for row in data["mappings"]],
        "packed": data["results"],
        "results": _results(data, [one["id"] for one in cases]),
    }


def _cases(data: dict[str, Any]) -> list[dict[str, Any]]:
    columns, texts = data["cases"], data["texts"]
    clauses, signatures = list(accumulate(columns["clause"])), list(accumulate(columns["signature"]))
    expects, calls = list(accumulate(columns["expects"])), iter(accumulate(columns["calls"]))
    found = []
    for place, name in enumerate(columns["id"]):
        clause = data["clauses"][clauses[place]]["id"] if clauses[place] >= 0 else None
        names = columns["signatures"][signatures[place]]
        call = {argument: texts[next(calls)] for argument in names}
        changed = columns["controls"].get(str(place), [])
        control = {names[at]: texts[number] for at, number in zip(changed[::2], changed[1::2], strict=True)}
        expected = texts[expects[place]]
        whole = f"{clause}/{name}" if clause else name
        found.append(
            {"id": whole, "call": call, "expects": expected, "control": {**call, **control} if control else None}
        )
    return found


def _results(data: dict[str, Any], ids: list[str]) -> list[dict[str, Any]]:
    columns, texts = data["results"], data["texts"]
    names = ("owner", "case", "told", "got", "remarks")
    expects = list(accumulate(data["cases"]["expects"]))
    found = []
    for place, row in enumerate(zip(*(accumulate(columns[name]) for name in names), strict=True)):
        owner, case, told, got, remarks = row
        sort, word, kinds, why, known = columns["tolds"][told]
        rare = columns["rare"].get(str(place), {})
        found.append({
            "case": ids[case] if case < len(ids) else columns["strangers"][case - len(ids)][0],
            "target": columns["owners"][owner][0], "api": columns["owners"][owner][1],
            "sort": sort, "word": word, "kinds": kinds, "known": known, "why": texts[why] if why >= 0 else None,
            "got": texts[got - 1 if got else expects[case]],
            "remarks": [texts[number] for number in columns["saids"][remarks]],
            "differs": rare.get("differs"), "right": texts[rare["right"]] if "right" in rare else None,
        })  # fmt: skip
    return found

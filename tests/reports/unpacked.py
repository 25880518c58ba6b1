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
        "results": _results(data),
    }


def _description(data: dict[str, Any], number: int) -> str:
    """The text of an expectation or an outcome."""
    head, body, notes, _, _ = data["descriptions"][number]
    return "\n".join(data["texts"][text] for text in (head, body, *notes) if text >= 0)


def _cases(data: dict[str, Any]) -> list[dict[str, Any]]:
    columns, texts = data["cases"], data["texts"]
    clauses, signatures = list(accumulate(columns["clause"])), list(accumulate(columns["signature"]))
    expected, calls = list(accumulate(columns["expected"])), iter(accumulate(columns["calls"]))
    cases = []
    for number, (signature, description) in enumerate(zip(signatures, expected, strict=True)):
        names = columns["signatures"][signature]
        call = {argument: texts[next(calls)] for argument in names}
        changed = columns["controls"].get(str(number), [])
        control = {names[at]: texts[text] for at, text in zip(changed[::2], changed[1::2], strict=True)}
        cases.append({
            "id": columns["id"][number], "clause": columns["clauses"][clauses[number]], "call": call,
            "expected": _description(data, description), "control": {**call, **control} if control else None,
        })  # fmt: skip
    return cases


def _results(data: dict[str, Any]) -> list[dict[str, Any]]:
    columns, texts = data["results"], data["texts"]
    names = ("owner", "case", "judgement", "outcome", "remarks")
    expected = list(accumulate(data["cases"]["expected"]))
    results = []
    for number, row in enumerate(zip(*(accumulate(columns[name]) for name in names), strict=True)):
        owner, case, judgement, outcome, remarks = row
        sort, word, kinds, reason, known, _ = columns["judgements"][judgement]
        rare = columns["rare"].get(str(number), {})
        results.append({
            "case": data["cases"]["id"][case],
            "target": columns["owners"][owner][0], "api": columns["owners"][owner][1],
            "sort": sort, "word": word, "kinds": kinds, "known": known, "reason": texts[reason] if reason >= 0 else None,
            "actual": _description(data, outcome - 1 if outcome else expected[case]),
            "remarks": [texts[text] for text in columns["remark_sets"][remarks]],
            "differs": rare.get("differs"), "right": _description(data, rare["right"]) if "right" in rare else None,
        })  # fmt: skip
    return results

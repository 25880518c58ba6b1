"""Cases as lines of JSON, with their tensors in one npz file, for programs in any language."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from conformance.cases.expectations import Agrees, Compared, Returns, ReturnsAnyWritten, Within, tolerance_of
from conformance.cases.model import Case
from conformance.cases.variation import RareForm
from conformance.export.index import Reason, reason_of
from conformance.judging.asking import Asking
from conformance.judging.compare import allowed_difference
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Citation, Raises
from conformance.worker.arrays import carrier

CASES, TENSORS = "cases.jsonl", "tensors.npz"
SCHEMA = 1
Array = np.ndarray[Any, Any]


@dataclass
class Written:
    """What was written, and how many cases were left out for which reason."""

    cases: int = 0
    left_out: Counter[Reason] = field(default_factory=Counter)


def write_cases(
    folder: Path, cases: Sequence[Case], suite_version: str, spec_digest: str, follows: Sequence[str] = ()
) -> Written:
    """Write the cases to a folder; two exports of the same cases are equal byte by byte.

    follows: only those that the documentation of one of these APIs promises; without any, those that no document contradicts.
    """
    written, tensors = Written(), _Tensors()
    lines: list[dict[str, Any]] = [
        {"schema": SCHEMA, "suite_version": suite_version, "spec_digest": spec_digest, "follows": [*follows]}
    ]
    operations = {case.operation.name: case.operation for case in cases}
    asking = {name: Asking(operation, follows) for name, operation in operations.items()}
    for case in cases:
        asked = _left_out(case) or _asked(case, asking[case.operation.name], follows)
        if isinstance(asked, str):
            written.left_out[asked] += 1
            continue
        lines.append(_line(asked, tensors))
        written.cases += 1
    np.savez(folder / TENSORS, allow_pickle=False, **tensors.by_name)
    text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
    (folder / CASES).write_text(text, encoding="utf-8")  # last, so that a folder without it is incomplete
    return written


class _Tensors:
    """The arrays of all cases, each once."""

    def __init__(self) -> None:
        self.by_name: dict[str, Array] = {}
        self._names: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def name(self, array: Array) -> str:
        """The name of an equal array in the file."""
        digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).digest()
        name = self._names.setdefault((array.dtype.str, array.shape, digest), str(len(self._names)))
        self.by_name.setdefault(name, array)
        return name


def _left_out(case: Case) -> Reason | None:
    """Why a case is written for no API; None if it may be."""
    if isinstance(case.expectation, Agrees):
        return "relation"
    return reason_of(case) or ("device" if case.device is not None else None)


def _asked(case: Case, asking: Asking, follows: Sequence[str]) -> Case | Reason:
    """The case as it is asked of a function that follows these APIs, or why it is not."""
    if not follows:
        return asking.asked(case) or "api"
    return (asking.asked(case) if asking.follows_any else None) or "follows"


def _line(case: Case, tensors: _Tensors) -> dict[str, Any]:
    return {
        "case": case.id,
        "clause": case.clause.id,
        "operation": case.operation.name,
        "states": case.clause.states,
        "claims": [_claim(citation) for citation in case.clause.citations],
        "may_refuse": bool(case.dtypes_tested) or (isinstance(case.variation, RareForm) and case.variation.is_open),
        "arguments": _arguments(case.call, tensors),
        "expected": _expected(case, tensors),
        **({"outside": True} if case.asks_for_memory_alone else {}),
    }


def _claim(citation: Citation) -> dict[str, str | None]:
    document, claim = citation.document, citation.claim
    return {"document": document.id, "locator": claim.locator, "says": claim.says, "url": document.url}


def _arguments(call: Applied, tensors: _Tensors) -> dict[str, Any]:
    return {name: _argument(value, tensors) for name, value in call.arguments.items()}


def _argument(value: Argument, tensors: _Tensors) -> Any:
    if isinstance(value, Tensor):
        return _tensor(value, tensors)
    if isinstance(value, tuple):
        return {"tuple": list(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def _tensor(value: Tensor, tensors: _Tensors) -> dict[str, Any]:
    array = value.array.view(carrier(value.dtype))
    return {"tensor": tensors.name(array), "dtype": value.dtype, "shape": list(value.shape)}


def _expected(case: Case, tensors: _Tensors) -> dict[str, Any]:
    expectation = case.expectation
    if isinstance(expectation, Raises):
        control = _arguments(case.control, tensors) if case.control is not None else None
        return {"raises": expectation.error, "control": control}
    if not isinstance(expectation, Compared):
        return {"observed": getattr(expectation, "reason", "the documents leave it open")}
    returns = {
        **_tensor(expectation.value, tensors),
        "source": expectation.source if isinstance(expectation, Returns) else "reference",
        "accumulates": isinstance(expectation, Returns) and expectation.accumulates,
    }
    tolerance = tolerance_of(expectation)
    if isinstance(tolerance, Within) and tolerance.bounds is not None:
        returns["bounds"] = tensors.name(np.asarray(tolerance.bounds, np.float64))
    else:
        returns["within"] = allowed_difference(expectation) or 0.0
    if isinstance(expectation, ReturnsAnyWritten):
        positions, values = expectation.writes.positions, expectation.writes.values
        values = values.view(carrier(expectation.value.dtype))
        returns["writes"] = {"positions": tensors.name(positions), "values": tensors.name(values)}
    return {"returns": returns}

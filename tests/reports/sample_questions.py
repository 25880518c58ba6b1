"""Results in which ten questions of a reader have an answer: versions, modes, duplicates, deaths, documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.outcomes.model import Died, Outcome
from conformance.results.file import Results
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    DocumentRecord,
    DtypeClaimRecord,
    EndRecord,
    KnownRecord,
    MappingRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
    UntestableRecord,
)
from conformance.results.variations import InDtypeRecord
from tests.findings.test_recorded_call import record
from tests.outcomes import raised, returned

TITLES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "mindspore": "MindSpore"}


def _target(framework: str, version: str, mode: str = "eager") -> TargetRecord:
    name = f"{framework}=={version}" + ("" if mode == "eager" else f"[{mode}]") + "@cpu"
    return TargetRecord(
        name, framework, version, "cpu", mode, title=TITLES[framework], default_mode=mode == "eager",
        issues=f"https://tracker.test/{framework}",
        sentences={"torch.gather": ["aa", "bb", "cc", "dd"]} if framework == "torch" else {},
    )  # fmt: skip


OLD_TORCH, TORCH, COMPILED = (
    _target("torch", "2.1.2"),
    _target("torch", "2.13.0"),
    _target("torch", "2.13.0", "compile"),
)
OLD_TF, TF = _target("tensorflow", "2.12.0"), _target("tensorflow", "2.21.0")
MINDSPORE = _target("mindspore", "2.10.0")
TARGETS = (OLD_TORCH, TORCH, COMPILED, OLD_TF, TF, MINDSPORE)

GATHER, UPDATE, SCATTER = "gather_elements", "tensor_scatter_nd_update", "scatter_nd"
APIS = {
    "torch.gather": GATHER,
    "torch.index_put": UPDATE,
    "tf.tensor_scatter_nd_update": UPDATE,
    "mindspore.ops.scatter_nd": SCATTER,
    "tf.scatter_nd": SCATTER,
}
DOCUMENT = "torch.gather"
CITATION = CitationRecord(DOCUMENT, "out-of-bounds", "An index outside raises.", True, "https://torch.test/gather")
CLAIMS = [
    ClaimRecord(DOCUMENT, "torch.gather", "out-of-bounds", CITATION.says, True, CITATION.url, rests={DOCUMENT: ["aa"]}),
    ClaimRecord(DOCUMENT, "torch.gather", "speed", "It is fast.", True, CITATION.url,
                untestable="Speed is nothing that a call shows.", rests={DOCUMENT: ["bb"]}),
]  # fmt: skip
DOCUMENTS = [
    DocumentRecord(DOCUMENT, "torch", [DOCUMENT], [UntestableRecord("links", "It only refers to other pages.", {DOCUMENT: ["cc"]})])
]  # fmt: skip
CLAUSES = {
    one.id: one
    for one in [
        ClauseRecord(f"{GATHER}.behaviour.outside", GATHER, "behaviour", "An index outside raises.", [CITATION], "it.yaml:1"),
        ClauseRecord(f"{UPDATE}.behaviour.order", UPDATE, "behaviour", "The last update remains.", [], "it.yaml:2"),
        ClauseRecord(f"{SCATTER}.behaviour.sums", SCATTER, "behaviour", "Updates to one position are added.", [], "it.yaml:3"),
    ]
}  # fmt: skip
KNOWN = KnownRecord("mindspore", "ends", "After five calls it aborts.", "https://tracker.test/mindspore/7", "it.yaml:9")


def _case(name: str, clause: str, call: dict[str, Any], **more: Any) -> CaseRecord:
    operation = CLAUSES[clause].operation
    return replace(record(operation, **call), id=f"{clause}/{name}", clause=clause, **more)


def _gather(dtype: str = "int64", index: int = 1) -> dict[str, Any]:
    return {"input": {"float32": [5, 6, 7]}, "dim": 0, "index": {dtype: [index, 0]}}


def _update(index: int = 1, second: int = 0, dtype: str = "int32") -> dict[str, Any]:
    return {"tensor": {dtype: [1, 2, 3]}, "indices": {"int64": [[index], [second]]}, "updates": {dtype: [10, 20]}}


def _scatter(index: int = 1, second: int = 0, dtype: str = "int32") -> dict[str, Any]:
    return {"indices": {"int64": [[index], [second]]}, "updates": {dtype: [10, 20]}, "shape": [3]}


OUTSIDE, ORDER, SUMS = CLAUSES
PLAIN: dict[str, Any] = {"expectation": {"returns": {}}}
CASES = {
    "gathered": _case("in-range", OUTSIDE, _gather(), **PLAIN),
    "in int32": _case("in-int32", OUTSIDE, _gather("int32"), **PLAIN),
    "gathered outside": _case("past", OUTSIDE, _gather(index=3)),
    "updated": _case("in-range", ORDER, _update(), **PLAIN),
    "updated twice": _case("twice", ORDER, _update(1, 1), **PLAIN),
    "updated outside": _case("past", ORDER, _update(3)),
    "updated below zero": _case("below", ORDER, _update(-1)),
    "scattered": _case("in-range", SUMS, _scatter(), **PLAIN),
    "scattered twice": _case("twice", SUMS, _scatter(1, 1), **PLAIN),
    "scattered outside": _case("past", SUMS, _scatter(3)),
    "scattered in int8": _case("in-range.int8", SUMS, _scatter(dtype="int8"), **PLAIN,
                               variation=InDtypeRecord(f"{SUMS}/in-range")),
}  # fmt: skip

LAST, FIRST, SUM = returned([1, 20, 3]), returned([1, 10, 3]), returned([0, 30, 0])
UPDATED, GATHERED, SCATTERED = returned([20, 10, 3]), returned([6.0, 5.0], "float32"), returned([20, 10, 0])


def _outcomes() -> Iterator[tuple[TargetRecord, str, dict[str, Outcome]]]:
    """What each API of each target did."""
    for target in (OLD_TORCH, TORCH, COMPILED):
        int32 = raised("RuntimeError") if target is OLD_TORCH else GATHERED
        outside = GATHERED if target is COMPILED else raised()
        yield target, "torch.gather", {"gathered": GATHERED, "in int32": int32, "gathered outside": outside}
        yield target, "torch.index_put", {
            "updated": UPDATED, "updated twice": LAST, "updated outside": raised(), "updated below zero": LAST,
        }  # fmt: skip
    for target in (OLD_TF, TF):
        twice = FIRST if target is OLD_TF else LAST
        yield target, "tf.tensor_scatter_nd_update", {
            "updated": UPDATED, "updated twice": twice, "updated outside": raised(), "updated below zero": raised(),
        }  # fmt: skip
        yield target, "tf.scatter_nd", {"scattered": SCATTERED, "scattered twice": SUM, "scattered outside": raised()}
    yield MINDSPORE, "mindspore.ops.scatter_nd", {
        "scattered": SCATTERED, "scattered twice": SUM, "scattered outside": Died(signal="SIGABRT"),
        "scattered in int8": raised("TypeError"),
    }  # fmt: skip


def _result(target: TargetRecord, api: str, name: str, outcome: Outcome) -> ResultRecord:
    case = CASES[name]
    died = isinstance(outcome, Died)
    wrong = name == "gathered outside" and target is COMPILED
    return ResultRecord(
        case.id, target.id, api, case.clause, outcome,
        "died" if died else "diverges" if wrong else "observed" if name.endswith(("zero", "int8")) else "conforms",
        "own" if wrong else "portability",
        divergence=["accepted"] if wrong else [],
        explanation="The process ended." if died else "An error is documented." if wrong else None,
        known=KNOWN.id if died else None,
        script="print('it ends')\n" if died else "print('complete')\n" if name == "updated" else None,
        dtype_claim=DtypeClaimRecord({"updates": "int8"}, "yes", "a-page#dtypes") if name == "scattered in int8" else None,
    )  # fmt: skip


def results_to_ask() -> Results:
    """Six targets of three frameworks."""
    rows = list(_outcomes())
    return Results(
        run=RunRecord("2026-01-09T08:07:06+00:00", "conformance run", 7, "f00d", "0.1.0"),
        targets=list(TARGETS),
        clauses=CLAUSES,
        cases={case.id: case for case in CASES.values()},
        mappings=[
            MappingRecord(target.id, api, APIS[api], False, f"def call():\n    {api}", documentation=[api])
            for target, api, _ in rows
        ],
        results=[_result(target, api, name, outcome) for target, api, by in rows for name, outcome in by.items()],
        end=EndRecord(True, {}),
        claims=CLAIMS,
        documents=DOCUMENTS,
        known={(KNOWN.framework, KNOWN.id): KNOWN},
    )

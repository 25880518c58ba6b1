"""Small runs of a framework called mine, in versions, with results that are made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.outcomes.model import Outcome, Returned
from conformance.results.file import Results
from conformance.results.order import in_order, verdicts
from conformance.results.records import (
    CaseRecord,
    ClauseRecord,
    EndRecord,
    MappingRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)

API = "mine.gather"
CLAUSES = ("gather_nd.rule.depth", "gather_nd.rule.range")
CASES = ("gather_nd.rule.depth/keep.one", "gather_nd.rule.range/break.one", "gather_nd.rule.range/break.two")


def returned(values: list[Any] | None = None, dtype: str = "int32", **more: Any) -> Returned:
    values = [1, 2] if values is None else values
    return Returned(dtype, (len(values),), **{"digest": repr((dtype, values)), "values": values, **more})


def result(case: str, outcome: Outcome, *, version: str = "1.0", api: str = API, **more: Any) -> ResultRecord:
    made: dict[str, Any] = {"verdict": "conforms", "standing": "portability", **more}
    return ResultRecord(case, name(version), api, case.partition("/")[0], outcome, **made)


def name(version: str) -> str:
    return f"mine=={version}@cpu"


def target(version: str = "1.0", **more: Any) -> TargetRecord:
    made: dict[str, Any] = {"asked": f"mine=={version}", "seconds": 1.5, "memory": 100, **more}
    return TargetRecord(name(version), "mine", version, "cpu", "eager", title="Mine", **made)


def blocked(version: str) -> TargetRecord:
    asked = f"mine=={version}"
    return TargetRecord(asked, "mine", None, "cpu", "eager", blocked="no index has it", asked=asked, requested=version)


def case(number: int, digest: str = "same") -> CaseRecord:
    clause = CASES[number].partition("/")[0]
    return CaseRecord(CASES[number], clause, "gather_nd", {}, {"raises": True}, {}, digest, "s.yaml:9", number=number)


def run(
    outcomes: Mapping[str, Outcome] | None = None,
    version: str = "1.0",
    *,
    cases: tuple[int, ...] = (0, 1, 2),
    complete: bool = True,
    records: list[TargetRecord] | None = None,
    **about: Any,
) -> Results:
    """One version's run over some of the cases: each gives what ``outcomes`` says, or returns the same as ever."""
    outcomes = outcomes or {}
    given = [result(CASES[one], outcomes.get(CASES[one], returned()), version=version) for one in cases]
    records = [target(version)] if records is None else records
    given = given if any(record.blocked is None for record in records) else []
    record = RunRecord(
        "2026-01-01T00:00:00Z", "a test", 0, "digest", "0.1", targets=[one.asked or "" for one in records]
    )
    results = Results(
        replace(record, **about),
        records,
        {
            one: ClauseRecord(one, "gather_nd", "rule", "Says it.", [], "s.yaml:3", file="s.yaml", line=3)
            for one in CLAUSES
        },
        {CASES[one]: case(one) for one in cases},
        [MappingRecord(name(version), API, "gather_nd", composed=False, source="") for _ in given[:1]],
        given,
        EndRecord(complete, verdicts(given), None if complete else "interrupted"),
    )
    return in_order(results)

"""Results of three versions of a framework, generated: anything that results can be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import (
    CaseRecord,
    ClauseRecord,
    ControlRecord,
    EndRecord,
    MappingRecord,
    RelationRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from tests.outcomes import ABORT, HUNG, NOT_EXPORTED, SEGFAULT, UNSUPPORTED, abstract, raised, returned

TARGETS = tuple(f"mine=={version}@cpu" for version in ("1.9", "1.10", "2.0"))
APIS = ("mine.gather", "mine.take")
CLAUSES = ("gather_nd.rule.a", "gather_nd.rule.b")
CASES = (f"{CLAUSES[0]}/1", f"{CLAUSES[1]}/1")

OUTCOMES: tuple[Outcome, ...] = (
    *(returned((1, 2)), returned((1, 2)), returned((1, 3)), returned((1, 2), "int64"), returned((1, 2, 3))),
    *(replace(returned((1, 2)), values=None), abstract(), abstract("int64")),
    *(raised(), raised(), raised("ValueError"), raised("TypeError", phase="arguments")),
    *(SEGFAULT, ABORT, HUNG, UNSUPPORTED, NOT_EXPORTED),
)
RIGHT = (None, returned((1, 2)), returned((1, 3)), raised())
VARIES, SAME_BITS = Determinism(4, 2, "varies", permitted=True), Determinism(4, 1, "same-bits", permitted=True)
FIELDS: tuple[dict[str, Any], ...] = (
    *({"verdict": verdict} for verdict in ("blocked", "unsupported", "observed")),
    *({"behaviour": behaviour} for behaviour in ("clamps", "ignores")),
    *({"determinism": determinism} for determinism in (VARIES, SAME_BITS)),
    *({"verdict": "diverges", "divergence": ["value", kind]} for kind in ("input-changed", "aliased", "unstable")),
    *(
        {"verdict": "diverges", "divergence": ["contaminated"], "control": control}
        for control in (None, ControlRecord("returned"), ControlRecord("returned", "raised"))
    ),
    *({"relation": RelationRecord({}, right), **more} for right in RIGHT for more in ({}, {"determinism": VARIES})),
    {"cast": {"indices": "int64"}},
    {"confirmed": "no"},
    {"behaviour": "clamps", "determinism": VARIES},
)
"""What a result may have besides an outcome."""


@st.composite
def results(draw: st.DrawFn) -> Results:
    """Each version made some of the calls. Half of the results have nothing unusual, since these hide each other."""
    made: list[ResultRecord] = []
    for target in TARGETS:
        for case in CASES:
            for api in APIS:
                number = draw(st.integers(-1, 2 * len(FIELDS) - 1))
                if number >= 0:
                    fields = FIELDS[number] if number < len(FIELDS) else {}
                    made.append(result(target, case, api, draw(st.sampled_from(OUTCOMES)), **fields))
    return Results(
        RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0"),
        [TargetRecord(name, "mine", name[6:-4], "cpu", "eager") for name in TARGETS],
        {name: ClauseRecord(name, "gather_nd", "rule", "It does.", [], "s.yaml:1") for name in CLAUSES},
        {name: CaseRecord(name, name[:-2], "gather_nd", {}, {"raises": True}, {}, "1", "s.yaml:1") for name in CASES},
        [MappingRecord(target, api, "gather_nd", composed=False, source="") for target in TARGETS for api in APIS],
        made,
        EndRecord(complete=True, counts={}),
    )


def result(target: str, case: str, api: str, outcome: Outcome, **fields: Any) -> ResultRecord:
    given = {"verdict": "conforms", "standing": "portability", **fields}
    return ResultRecord(case, target, api, case[:-2], outcome, **given)

"""Small files of known divergences, and results to match with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cases.facts import CaseFacts
from conformance.known.ledger import Ledger
from conformance.known.load import load_known
from conformance.known.model import KnownDivergences
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ClauseRecord, MappingRecord, ResultRecord, RunRecord, TargetRecord
from conformance.results.variations import DrawnRecord, FoundRecord, VariationRecord, WrittenRecord
from tests.outcomes import returned

TARGET = TargetRecord(
    "torch==2.13.0@cpu", "torch", "2.13.0+cpu", "cpu", "eager", "3.11.7", "2.4.6", os="Linux", arch="x86_64"
)
API = "torch.gather"


def case_facts(case: str, *dtypes: str, generated: bool = False, device: str | None = None) -> CaseFacts:
    clause = case.partition("/")[0]
    return CaseFacts(case, clause, clause.partition(".")[0], frozenset(dtypes), generated, device)


CASES = [
    case_facts("gather_elements.rule.rank/first", "float32", "int64"),
    case_facts("gather_elements.rule.rank/second", "int32", "int64"),
    case_facts("gather_elements.rule.rank/on-a-gpu", "int32", "int64", device="gpu"),
    case_facts("gather_elements.rule.range/first", "float32", "int64"),
    case_facts("scatter_nd.rule.rank/first", "float32", "int64"),
    CaseFacts(
        "gather_elements.rule.rank/first.constant.index",
        "gather_elements.rule.rank",
        "gather_elements",
        frozenset({"float32", "int64"}),
        generated=False,
        original="gather_elements.rule.rank/first",
        needs=frozenset({"constants"}),
        constants=frozenset({"index"}),
    ),
]
ENTRY = """\
divergences:
  rank:
    cases: gather_elements.rule.rank/*
    api: torch.gather
    kind: accepted
    reason: A shape of another rank is accepted.
    link: unreported
"""


def known_divergences(folder: Path, text: str = ENTRY) -> KnownDivergences:
    file = folder / "divergences.yaml"
    file.write_text(text)
    return load_known(file)


def entry(**changes: str) -> str:
    """The entry above with lines changed, added, or left out where they are empty."""
    lines = {line.partition(":")[0].strip(): line.partition(": ")[2] for line in ENTRY.splitlines()[2:]} | changes
    written = [f"    {key}: {value}" for key, value in lines.items() if value]
    return "\n".join(["divergences:", "  rank:", *written]) + "\n"


def mapping(api: str = API, operation: str = "gather_elements", target: TargetRecord = TARGET) -> MappingRecord:
    return MappingRecord(target.id, api, operation, composed=False, source="")


def ledger(of: KnownDivergences, target: TargetRecord = TARGET) -> Ledger:
    mappings = [mapping(target=target), mapping("torch.Tensor.put_", "scatter_nd", target)]
    return Ledger(of, target, CASES, mappings)


def result(case: str = "rank/first", *kinds: Any, **given: Any) -> ResultRecord:
    """What torch.gather did with a case, which conforms where no kind is given."""
    verdict = given.pop("verdict", "diverges" if kinds else "conforms")
    whole = f"gather_elements.rule.{case}"
    made = {"api": API, "standing": "own", "outcome": returned(), **given}
    return ResultRecord(
        case=whole,
        target=TARGET.id,
        clause=whole.partition("/")[0],
        verdict=verdict,
        divergence=list(kinds),
        **made,
    )


def clause(name: str) -> ClauseRecord:
    return ClauseRecord(
        f"gather_elements.rule.{name}", "gather_elements", "rule", "It holds.", [], "x.yaml:1", name=name
    )


def results(
    *written: ResultRecord,
    generated: Sequence[ResultRecord] = (),
    counterexamples: Sequence[ResultRecord] = (),
    target: TargetRecord = TARGET,
) -> Results:
    run = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    groups: dict[VariationRecord, Sequence[ResultRecord]] = {
        WrittenRecord(): written, DrawnRecord(): generated, FoundRecord(): counterexamples
    }  # fmt: skip
    cases = {
        one.case: CaseRecord(
            one.case, one.clause, "gather_elements", {}, {"raises": True}, {}, "", "x.yaml:1", variation=variation
        )
        for variation, group in groups.items()
        for one in group
    }
    mine = [replace(one, target=target.id) for group in groups.values() for one in group]
    mapping = MappingRecord(target.id, API, "gather_elements", composed=False, source="")
    clauses = {each.id: each for each in map(clause, ("rank", "range"))}
    return Results(run, [target], clauses, cases, [mapping], mine)

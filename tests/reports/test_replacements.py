"""Which API of another framework takes the place of one, on the pages about porting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.conclusions import Conclusions
from conformance.reports.site.facts import Facts
from conformance.reports.site.port_page import Ports
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, MappingRecord, ResultRecord, RunRecord, TargetRecord
from tests.findings.test_recorded_call import record
from tests.outcomes import UNSUPPORTED, raised, returned

TORCH, TENSORFLOW = (TargetRecord(f"{name}==1@cpu", name, "1", "cpu", "eager") for name in ("torch", "tensorflow"))
CALLS = [
    replace(record("gather_nd", params={"float32": [5, 6, 7]}, indices={"int64": [[number % 3]]}), id=f"it/{number}")
    for number in range(20)
]


def replacement(**takes: tuple[int, int]) -> str | None:
    """What takes the place of torch.get. takes: of each API of TensorFlow, how many calls it does alike, and how many not."""

    def outcome(number: int, alike: int, other: int) -> ResultRecord:
        done = returned() if number < alike else raised() if number < alike + other else UNSUPPORTED
        verdict: Any = "unsupported" if done is UNSUPPORTED else "observed"
        return ResultRecord(f"it/{number}", TENSORFLOW.id, "", "it", done, verdict, "own")

    results = [ResultRecord(case.id, TORCH.id, "torch.get", "it", returned(), "observed", "own") for case in CALLS]
    for api, counts in takes.items():
        results += [replace(outcome(number, *counts), api=api) for number in range(len(CALLS))]
    mappings = [MappingRecord(TORCH.id, "torch.get", "gather_nd", False, "...")]
    mappings += [MappingRecord(TENSORFLOW.id, api, "gather_nd", False, "...") for api in takes]
    facts = Facts(
        Conclusions(
            Results(
                RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
                targets=[TORCH, TENSORFLOW],
                clauses={"it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", [], "it.yaml:1")},
                cases={case.id: replace(case, clause="it") for case in CALLS},
                mappings=mappings,
                results=results,
            )
        )
    )
    found = Ports(facts).closest(facts.apis["torch.get"], "gather_nd", "tensorflow")
    return found.api.name if found else None


@pytest.mark.parametrize(
    ("takes", "chosen"),
    [
        ({"common": (19, 1), "rare": (20, 0)}, "common"),
        ({"common": (15, 5), "rare": (20, 0)}, "rare"),
        ({"one": (1, 0), "most": (18, 2)}, "most"),
        ({"one": (0, 0)}, None),
    ],
)
def test_what_does_the_same_in_most_calls_takes_the_place_and_of_nearly_equal_apis_the_first_of_the_adapter(
    takes: dict[str, tuple[int, int]], chosen: str | None
) -> None:
    assert replacement(**takes) == chosen

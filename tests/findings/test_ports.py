"""What a port from one API to another meets."""

from __future__ import annotations

from dataclasses import replace

from conformance.findings.conclusions import Conclusions
from conformance.findings.evidence import Implementation
from conformance.outcomes.model import Returned, Unsupported
from conformance.reports.porting import porting_lines
from tests.reports.sample_porting import NAMES, OTHER_API, TARGETS, results_to_port

TORCH, TENSORFLOW, MINDSPORE = (Implementation(TARGETS[name], NAMES[name]) for name in NAMES)


def names(cases: tuple[str, ...]) -> list[str]:
    return [case.rpartition("/")[2] for case in cases]


def test_a_port_is_told_in_terms_of_the_calls_that_both_take() -> None:
    ports = {(port.first, port.second): port for port in Conclusions(results_to_port()).ports}
    assert {*ports} == {(TORCH, TENSORFLOW), (TORCH, MINDSPORE), (TENSORFLOW, MINDSPORE)}
    port = ports[TORCH, MINDSPORE]
    assert names(port.same) == ["plain", "twice", "at-the-length", "in-int64", "in-uint8"]
    assert names(port.different) == ["below-zero", "past-the-length"]
    assert (names(port.first_lacks), names(port.second_lacks)) == ([], ["in-int16"])
    shown = {case for cases in port.conditions.values() for case in cases}
    assert shown == {*port.different}


def test_the_file_for_programs_pairs_the_same_apis_as_the_terminal() -> None:
    results = results_to_port()
    other = [
        replace(one, outcome=Returned("int32", (2,), one.case, [3, 4]))
        if one.api == NAMES["torch"] and isinstance(one.outcome, Returned) else one
        for one in results.results
    ]  # fmt: skip
    same = [replace(one, api=OTHER_API, outcome=Unsupported("no int16")) if one.case.endswith("in-int16")
            else replace(one, api=OTHER_API) for one in results.results if one.api == NAMES["torch"]]  # fmt: skip
    kept = [one for one in other if one.api != OTHER_API]
    changed = replace(results, targets=results.targets[::-1], results=[*kept, *same])
    mindspore, torch = TARGETS["mindspore"], TARGETS["torch"]
    lines = [*porting_lines(changed, [mindspore, torch], 200)]
    ports = {(port.first.target, port.second.target): port for port in Conclusions(changed).ports}
    assert lines[1:3] == [f"  {one.target}  {one.api}" for one in (MINDSPORE, ports[mindspore, torch].second)]
    assert ports[mindspore, torch].second.api == OTHER_API

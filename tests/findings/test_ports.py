"""What a port from one API to another meets."""

from __future__ import annotations

from conformance.findings.conclusions import Conclusions
from conformance.findings.evidence import Implementation
from tests.reports.sample_porting import NAMES, TARGETS, results_to_port

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

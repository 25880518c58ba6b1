"""A process that something outside has ended is no death of the call that it was making."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.events import TargetNotice
from conformance.outcomes.model import Died
from conformance.results.exit_status import OK, exit_status
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from tests.execution.harness import Heard, fake_cases, run_adapters

ADAPTER = """
import os
import signal
from pathlib import Path

import numpy as np

from conformance.adapter import api

CALLS = []


def describe():
    return {{"framework": "interrupted", "version": "1.0"}}


@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    CALLS.append(None)
    mark = Path({folder!r}) / f"{{input.tolist()}}{{index.tolist()}}"
    if {dies}:
        mark.touch()
        os.kill(os.getpid(), signal.{signal})
    if index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    return np.take_along_axis(input, index, dim)
"""
ONCE = "13 in input and not mark.exists()"
OFTEN = "not mark.exists()"
ALWAYS = "13 in input"
AFTER_ANOTHER = "13 in input and len(CALLS) > 1"


def _run(folder: Path, dies: str, signal: str = "SIGKILL") -> tuple[Results, list[str]]:
    """The results, and the notices."""
    adapter, heard = folder / "interrupted.py", Heard()
    adapter.write_text(ADAPTER.format(folder=str(folder), dies=dies, signal=signal))
    results = run_adapters(folder, [adapter], cases=fake_cases(), listeners=[heard])
    return results, [event.message for event in heard.events if isinstance(event, TargetNotice)]


def _unlucky(results: Results) -> ResultRecord:
    [found] = [result for result in results.results if result.clause == "gather_elements.example.unlucky"]
    return found


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_call_in_a_process_that_was_killed_once_has_the_result_of_its_repetition(tmp_path: Path, signal: str) -> None:
    results, notices = _run(tmp_path, ONCE, signal)
    found = _unlucky(results)
    assert (found.verdict, found.divergence, found.outcome.status) == ("conforms", [], "returned")
    assert exit_status(results, "any") == OK
    assert notices == [
        f"a process was ended from outside ({signal}) in fake.gather with {found.case}, which conforms when it is repeated"
    ]


def test_if_that_happens_often_memory_may_be_short(tmp_path: Path) -> None:
    results, notices = _run(tmp_path, OFTEN)
    assert {result.verdict for result in results.results} == {"conforms"}
    assert [notice.endswith("; the memory of this machine may be short") for notice in notices] == [False, False, True]


@pytest.mark.parametrize(
    ("dies", "signal", "kinds"),
    [(ONCE, "SIGSEGV", ["unstable"]), (ALWAYS, "SIGKILL", []), (AFTER_ANOTHER, "SIGKILL", ["contaminated"])],
    ids=["a fault", "every time", "after another call"],
)
def test_a_death_that_the_calls_cause_is_one(tmp_path: Path, dies: str, signal: str, kinds: list[str]) -> None:
    results, notices = _run(tmp_path, dies, signal)
    found = _unlucky(results)
    assert (found.verdict, found.divergence, found.outcome) == ("died", kinds, Died(signal=signal))
    assert notices == []

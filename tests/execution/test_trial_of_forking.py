"""A framework that does not stand forking is detected at the start, and its workers are started as new processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.events import TargetNotice
from conformance.execution.client import Client
from conformance.processes import worker_starter
from tests.execution.harness import FAKES, Heard, fake_cases, run_adapters

ADAPTER = FAKES / "does_not_stand_forking.py"
REASONS = {
    "dies": "the worker was killed by SIGSEGV while starting",
    "hangs": "the worker did not answer within 1 s and was killed while starting",
    "raises": "the device was initialized before the fork",
    "tensor": "no tensor can be created and read",
}


@pytest.mark.parametrize("how", REASONS)
def test_workers_are_then_started_as_new_processes_and_a_notice_says_why_once(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AFTER_FORK", how)
    monkeypatch.setattr(worker_starter, "TRIAL_LIMIT", 1.0)
    listener = Heard()
    results = run_adapters(tmp_path, [ADAPTER], listeners=[listener], client=Client)
    assert [result.verdict for result in results.results] == ["conforms"] * len(fake_cases())
    [notice] = [event for event in listener.events if isinstance(event, TargetNotice)]
    assert notice.target == "does_not_stand_forking"
    assert REASONS[how] in notice.message


def test_a_framework_that_stands_it_needs_no_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFTER_FORK", "works")
    listener = Heard()
    results = run_adapters(tmp_path, [ADAPTER], listeners=[listener], client=Client)
    assert {result.verdict for result in results.results} == {"conforms"}
    assert not [event for event in listener.events if isinstance(event, TargetNotice)]


def test_with_fork_the_target_is_blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFTER_FORK", "raises")
    [target] = run_adapters(tmp_path, [ADAPTER], start="fork", client=Client).targets
    assert target.blocked is not None
    assert "try --start=spawn: the device was initialized before the fork" in target.blocked


def test_with_spawn_nothing_is_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFTER_FORK", "dies")
    listener = Heard()
    results = run_adapters(tmp_path, [ADAPTER], start="spawn", listeners=[listener], client=Client)
    assert {result.verdict for result in results.results} == {"conforms"}
    assert not [event for event in listener.events if isinstance(event, TargetNotice)]

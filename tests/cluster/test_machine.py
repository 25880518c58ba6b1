"""What a machine does: an order is a process of the suite, which ends with what started it."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from conformance.cluster import content
from conformance.cluster.machine import perform
from conformance.cluster.messages import Ended
from conformance.cluster.unit import Attempt, Order, Unit
from conformance.results.file import Results, read_results
from tests.cli.command import REPOSITORY
from tests.cluster.test_units import order
from tests.execution.harness import FAKES

PATIENCE = 60.0
ADAPTER = """
import os, pathlib, time

import numpy as np

from conformance.adapter import api

HERE = pathlib.Path(os.environ["HERE"])

@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    (HERE / f"called.{os.getpid()}").touch()
    while (HERE / "hold").exists():
        time.sleep(0.01)
    return np.take_along_axis(input, index, dim)
"""


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Order:
    """An order whose adapter does not return from a call while a file named hold is there."""
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    (tmp_path / "hold").touch()
    own = content.Content({"held.py": ADAPTER.encode(), **_specs()})
    content.store(own.digest, own.packed())
    words = ("--here", "--specs", "specs", "-k", "lucky and not again")
    return order(Attempt(Unit("./held.py", "1/1", content.suite_content().digest, own.digest, words)))


def _specs() -> dict[str, bytes]:
    return {f"specs/{file.name}": file.read_bytes() for file in (FAKES / "specs").iterdir() if file.is_file()}


def performed(order: Order, folder: Path, **other: Any) -> Ended | None:
    environment = {**os.environ, "HERE": str(folder)}
    asked = {"tell": lambda _: None, "announce": lambda _: None, "wish": lambda: "go on", **other}
    return perform(order, "a", folder, environment, **asked)


def results_of(ended: Ended | None, folder: Path) -> Results:
    assert ended is not None
    assert ended.results is not None, ended.errors
    (folder / "read.jsonl").write_bytes(gzip.decompress(ended.results))
    return read_results(folder / "read.jsonl")


def calls(folder: Path) -> list[int]:
    """The processes that have made a call."""
    return [int(path.suffix[1:]) for path in folder.glob("called.*")]


def eventually_gone(processes: list[int]) -> None:
    end = time.monotonic() + PATIENCE
    while running := [process for process in processes if _state(process) not in (None, "Z")]:
        assert time.monotonic() < end, f"still running: {running}"
        time.sleep(0.02)


def _state(process: int) -> str | None:
    """``Z`` for one that has ended, and that its parent has not asked about."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def test_an_order_gives_its_results_file_and_announces_its_calls(held: Order, tmp_path: Path) -> None:
    (tmp_path / "hold").unlink()
    announced: list[Any] = []
    told: list[Any] = []
    ended = performed({**held, "announces": True}, tmp_path, announce=announced.append, tell=told.append)
    results = results_of(ended, tmp_path)
    assert results.complete
    assert {(case, api) for case, api, _ in announced} == {(one.case, one.api) for one in results.results}
    assert ended is not None
    assert ended.calling is not None
    assert told[-1]["expected"] == len(results.results)


def test_a_unit_that_is_asked_to_end_gives_what_it_has(held: Order, tmp_path: Path) -> None:
    ended = performed(held, tmp_path, wish=lambda: "end" if calls(tmp_path) else "go on")
    results = results_of(ended, tmp_path)
    assert results.end is not None
    assert (results.complete, results.end.reason) == (False, "interrupted")
    eventually_gone(calls(tmp_path))


def test_a_unit_that_nobody_wants_ends_without_results(held: Order, tmp_path: Path) -> None:
    assert performed(held, tmp_path, wish=lambda: "drop" if calls(tmp_path) else "go on") is None
    assert calls(tmp_path)
    eventually_gone(calls(tmp_path))


def test_a_unit_ends_when_what_started_it_was_killed(held: Order, tmp_path: Path) -> None:
    """It would run on beside its own repetition."""
    program = f"""if True:
        import os, pathlib
        from conformance.cluster.machine import perform
        perform({held!r}, "a", pathlib.Path({str(tmp_path)!r}), dict(os.environ), print, print, lambda: "go on")
    """
    environment = {**os.environ, "HERE": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.DEVNULL) as process:
        end = time.monotonic() + PATIENCE
        while not calls(tmp_path):
            assert time.monotonic() < end
            time.sleep(0.02)
        [worker] = calls(tmp_path)
        units = [worker, *_children(process.pid)]
        process.kill()
    eventually_gone(units)


def _children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]

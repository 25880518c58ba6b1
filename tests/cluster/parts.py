"""Runs in units without machines: a cluster that answers from a script, with the files that real units write."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from conformance.cases.shards import parse_shard
from conformance.cluster.distributing import Distribution, distribute
from conformance.cluster.messages import Calling, Emit, Ended, Message
from conformance.cluster.unit import Attempt, Needs, Unit
from conformance.events import Listener
from conformance.execution.plan import FailureLimit
from conformance.execution.resume import resumed
from conformance.execution.runner import run
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.order import write_results
from tests.execution.sharded import SHORT, plan

SHARDS = 3
TARGET = SHORT.stem
UNITS = [Unit(TARGET, f"{number}/{SHARDS}", data="data", files=None) for number in range(1, SHARDS + 1)]
DISTRIBUTION = Distribution({TARGET: UNITS}, {TARGET: Needs()})

Script = Callable[[Attempt], Sequence[Message]]
Lines = list[dict[str, Any]]


@cache
def _written(shard: str, fatal: tuple[tuple[str, str], ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        run(plan(parse_shard(shard), fatal=frozenset(fatal)), Path(folder) / FILE_NAME, [])
        return (Path(folder) / FILE_NAME).read_bytes()


def lines(attempt: Attempt) -> Lines:
    """The results file of an attempt."""
    return [json.loads(line) for line in _written(attempt.unit.shard, attempt.fatal).splitlines()]


def packed(content: Lines) -> bytes:
    return gzip.compress("".join(json.dumps(line) + "\n" for line in content).encode())


def part_of(content: Lines, results: int, reason: str) -> Lines:
    """The file of an attempt that ended after so many results, for a reason."""
    kept = [line for line in content if line["kind"] == "result"][:results]
    end = {"kind": "end", "complete": False, "counts": Counter(line["verdict"] for line in kept), "reason": reason}
    return [line for line in content if line["kind"] not in ("result", "end") or line in kept] + [end]


def ended(attempt: Attempt, machine: str = "a", content: Lines | None = None, **more: Any) -> Ended:
    """How an attempt ended that wrote this, by default without incidents."""
    results = packed(lines(attempt) if content is None else content)
    return Ended(**{"attempt": attempt.name, "machine": machine, "status": 0, "results": results, **more})


def carried_out(attempt: Attempt) -> list[Message]:
    """The messages of an attempt without incidents."""
    return [ended(attempt)]


def calling(call: tuple[str, str], results: int = 0) -> Calling:
    return Calling(*call, results)


@dataclass
class Scripted:
    """A cluster that emits what a script says for each attempt."""

    emit: Emit
    script: Script
    reason: str | None = None
    """Why nothing suits it."""
    on_stop: Script = lambda _: []
    machines: int = 2
    attempts: list[Attempt] = field(default_factory=list)

    def slots(self, needs: Needs) -> int:
        return SHARDS

    def unsuited(self, attempt: Attempt) -> str | None:
        return self.reason

    def submit(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        for message in self.script(attempt):
            self.emit(message)

    def stop(self) -> None:
        for attempt in self.attempts:
            for message in self.on_stop(attempt):
                self.emit(message)


@dataclass
class Distributed:
    """A run, and the attempts that it made."""

    results: Results
    attempts: list[Attempt]


def run_units(
    folder: Path,
    script: Script = carried_out,
    listeners: Sequence[Listener] = (),
    *,
    resume: bool = False,
    failure_limit: FailureLimit | None = None,
    **cluster: Any,
) -> Distributed:
    """A run in three units."""
    made: list[Scripted] = []

    @contextmanager
    def start(emit: Emit) -> Iterator[Scripted]:
        made.append(Scripted(emit, script, **cluster))
        yield made[0]

    planned = plan(failure_limit=failure_limit)
    if resume:
        planned = resumed(planned, read_results(folder))
    results = distribute(planned, DISTRIBUTION, start, folder / FILE_NAME, listeners)
    write_results(results, folder / FILE_NAME)
    return Distributed(read_results(folder), made[0].attempts if made else [])

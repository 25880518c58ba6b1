"""Runs in units without machines: an engine that answers from a script, with the lines that real units print."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from conformance.cases.shards import parse_shard
from conformance.cli.streaming import Lines, stream_unit
from conformance.cluster.distributing import Distribution, distribute
from conformance.cluster.journal import Kept, complete_units
from conformance.cluster.messages import Begun, Emit, Ended, Message, Output
from conformance.cluster.unit import Attempt, Needs, Unit
from conformance.events import Listener
from conformance.execution.resume import resumed
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.order import in_order
from tests.execution.sharded import SHORT, plan

SHARDS = 3
TARGET = SHORT.stem
UNITS = [Unit(TARGET, f"{number}/{SHARDS}", suite="0", data="data", files=None) for number in range(1, SHARDS + 1)]
DISTRIBUTION = Distribution({TARGET: UNITS}, {TARGET: Needs()})

Script = Callable[[Attempt], Sequence[Message]]


@cache
def _printed(shard: str, fatal: tuple[tuple[str, str], ...]) -> list[str]:
    buffer = io.BytesIO()
    stream_unit(plan(parse_shard(shard), fatal=frozenset(fatal)), Lines(buffer))
    return buffer.getvalue().decode().splitlines(keepends=True)


def printed(attempt: Attempt) -> list[str]:
    """What the process of an attempt prints."""
    return _printed(attempt.unit.shard, attempt.fatal)


def begun(attempt: Attempt, machine: str = "a") -> Begun:
    return Begun(attempt.name, machine)


def output(attempt: Attempt, lines: Sequence[str]) -> Output:
    return Output(attempt.name, [line.removesuffix("\n") + "\n" for line in lines])


def carried_out(attempt: Attempt, machine: str = "a") -> list[Message]:
    """The messages of an attempt without incidents."""
    return [begun(attempt, machine), output(attempt, printed(attempt)), Ended(attempt.name, 0)]


@dataclass
class Scripted:
    """An engine that emits what a script says for each attempt."""

    emit: Emit
    script: Script
    machines: int = 2
    attempts: list[Attempt] = field(default_factory=list)

    def start(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        for message in self.script(attempt):
            self.emit(message)

    def close(self) -> None:
        pass


@dataclass
class Distributed:
    """A run, and the attempts that it made."""

    results: Results
    attempts: list[Attempt]


def run_units(
    folder: Path, script: Script = carried_out, listeners: Sequence[Listener] = (), *, resume: bool = False
) -> Distributed:
    """A run in three units."""
    engines: list[Scripted] = []

    @contextmanager
    def engine(emit: Emit) -> Iterator[Scripted]:
        engines.append(Scripted(emit, script))
        yield engines[0]

    planned, distribution = plan(), DISTRIBUTION
    if resume:
        existing, complete = read_results(folder), complete_units(folder)
        planned = resumed(planned, existing, Kept(complete, existing))
        distribution = replace(distribution, complete=complete)
    distribute(planned, distribution, engine, folder / FILE_NAME, listeners)
    return Distributed(in_order(read_results(folder)), engines[0].attempts)

"""Where a run on many machines is limited: `python -m benchmarks.scale_model [--targets N] [--machines N...]`.

Measures what the progress of a unit costs the scheduler, and a result the process that merges, in CPU time, and simulates a run
from these costs: machines carry out units, as fast as the scheduler takes their progress.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from distributed import Client
from distributed.worker import get_worker

from conformance.cluster.distributing import distribute
from conformance.cluster.messages import Emit
from conformance.cluster.unit import Attempt
from conformance.results.file import FILE_NAME
from conformance.results.order import write_results
from tests.cluster.machines import cluster
from tests.cluster.parts import DISTRIBUTION, UNITS, Scripted, carried_out, ended
from tests.execution.sharded import plan

SLOTS = 4
"""Units at the same time on a machine."""
START = 6.0
"""Seconds to start a unit, on a machine that has the environment."""
SECONDS, SPREAD = 120.0, 0.9
"""Median duration of a target without draws, and the standard deviation of its logarithm."""
MESSAGES = 400
PROGRESS = {"machine": "tcp://127.0.0.1:1", "attempt": "a" * 26, "counts": {"conforms": 1_000, "own": 3}, "notices": []}


@dataclass(frozen=True)
class Costs:
    """CPU seconds."""

    message: float
    """Of the scheduler, for the progress of a unit, which is told once a second."""
    result: float
    """Of the process that merges, for a result: reading, merging, sorting and writing it."""


def measured_costs() -> Costs:
    """What this machine needs."""
    for unit in UNITS:
        ended(Attempt(unit))  # runs it, and keeps its file
    with tempfile.TemporaryDirectory() as temporary:
        begun = time.process_time()
        file = Path(temporary) / FILE_NAME
        results = distribute(plan(), DISTRIBUTION, _Answering, file, [])
        write_results(results, file)
        result = (time.process_time() - begun) / len(results.results)
    return Costs(_message_cost(), result)


class _Answering(Scripted):
    """A cluster that answers at once."""

    def __init__(self, emit: Emit) -> None:
        super().__init__(emit, carried_out)

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _message_cost() -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster(Path(folder), 1, own_homes=False) as started,
        Client(started.address, set_as_default=False) as client,
    ):
        client.wait_for_workers(1)
        client.subscribe_topic("progress", lambda _: None)
        before: float = client.run_on_scheduler(time.process_time)
        client.submit(_tell).result()
        after: float = client.run_on_scheduler(time.process_time)
    return (after - before) / MESSAGES


def _tell() -> None:
    worker = get_worker()
    for _ in range(MESSAGES):
        worker.log_event("progress", {"progress": PROGRESS})
        time.sleep(0.005)  # as those of many units, rather than all in one batch


@dataclass
class Unit:
    """A unit of the simulation: what is left of it."""

    seconds: float
    """With its start."""


@dataclass(frozen=True)
class Outcome:
    """A simulated run."""

    seconds: float
    scheduler: float
    """The share of its time that the scheduler is busy; at 1 it is the limit."""
    merging: float
    """CPU seconds for all results."""
    ideal: float
    """Seconds if nothing but targets took any time and all machines ended together."""


def simulate(machines: int, durations: Sequence[float], results: int, costs: Costs) -> Outcome:
    """Simulate a run in steps of a second. durations: seconds of each target in one unit; results: of each target."""
    slots = machines * SLOTS
    ideal = sum(durations) / slots
    size = max(10 * START, ideal / 3)
    waiting = []
    for seconds in sorted(durations, reverse=True):
        count = max(1, round(seconds / size))
        waiting += [Unit(START + seconds / count) for _ in range(count)]
    waiting.reverse()
    running: list[Unit] = []
    clock, busy = 0, 0.0
    while waiting or running:
        while waiting and len(running) < slots:
            running.append(waiting.pop())
        busy += min(1.0, len(running) * costs.message)
        for unit in running:
            unit.seconds -= 1
        running = [unit for unit in running if unit.seconds > 0]
        clock += 1
    return Outcome(clock, busy / clock, results * len(durations) * costs.result, ideal)


def main() -> None:
    """Print a line for each number of machines and of results."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--targets", type=int, default=1_000)
    parser.add_argument("--machines", type=int, nargs="+", default=[20, 50, 100, 200, 500, 1000])
    parser.add_argument("--results", type=int, nargs="+", default=[4_000, 40_000, 400_000], help="of each target")
    options = parser.parse_args()
    costs = measured_costs()
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    print(
        f"CPU time: scheduler {costs.message * 1e6:.0f} us for the progress of a unit, once a second; the process that merges "
        f"{costs.result * 1e6:.0f} us per result"
    )
    print(f"{'results':>9}{'machines':>10}{'minutes':>9}{'ideal':>7}{'merging':>9}{'scheduler':>11}")
    for results in options.results:
        generator = random.Random(0)  # noqa: S311 - nothing secret
        scale = 1 + (results - options.results[0]) * 100e-6 / SECONDS
        durations = [generator.lognormvariate(0, SPREAD) * SECONDS * scale for _ in range(options.targets)]
        for machines in options.machines:
            run = simulate(machines, durations, results, costs)
            print(
                f"{results:>9}{machines:>10}{run.seconds / 60:>9.1f}{run.ideal / 60:>7.1f}{run.merging / 60:>9.1f}"
                f"{run.scheduler:>11.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()

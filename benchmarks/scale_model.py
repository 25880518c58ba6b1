"""Where a run on many machines is limited: `python -m benchmarks.scale_model [--targets N] [--machines N...]`.

Measures what a result costs the writing process and what a message costs the scheduler, in CPU time, and simulates a run
from these costs: machines start units and produce results, as fast as the scheduler and the writing process take them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from distributed import Client, Queue

from conformance.cluster.messages import Output, message_text, read_message
from conformance.cluster.unit import Attempt
from conformance.results.file import ResultsWriter, read_results, record_adapter
from conformance.results.order import in_order, write_results
from conformance.results.records import ResultRecord
from tests.cluster.machines import cluster
from tests.cluster.parts import UNITS, printed, run_units

GATHERING = 1.0
"""Seconds of output in one message."""
SLOTS = 4
"""Units at the same time on a machine."""
START = 6.0
"""Seconds to start a unit, on a machine that has the environment."""
SECONDS, SPREAD = 120.0, 0.9
"""Median duration of a target without draws, and the standard deviation of its logarithm."""
MESSAGES = 400


@dataclass(frozen=True)
class Costs:
    """CPU seconds."""

    message: float
    """Of the scheduler, for a message."""
    result: float
    """Of the writing process, while units run."""
    finishing: float
    """Of the writing process, for a result, after the last unit: sorting the file."""


def measured_costs() -> Costs:
    """What this machine needs."""
    lines = [line for line in printed(Attempt(UNITS[0])) if json.loads(line)["kind"] == "result"] * 20
    packed = zlib.compress(message_text(Output("attempt", lines)).encode(), 1)
    validate = record_adapter().validate_json
    with tempfile.TemporaryDirectory() as temporary:
        begun = time.process_time()
        message = read_message(zlib.decompress(packed).decode())
        assert isinstance(message, Output)
        with ResultsWriter(Path(temporary) / "results.jsonl") as writer:
            for line in message.lines:
                if json.loads(line)["kind"] == "result":
                    record = validate(line)
                    assert isinstance(record, ResultRecord)
                    writer.write(record)
        result = (time.process_time() - begun) / len(lines)
        folder = Path(temporary) / "run"
        folder.mkdir()
        run_units(folder)
        begun = time.process_time()
        results = in_order(read_results(folder))
        write_results(results, folder / "results.jsonl")
        finishing = (time.process_time() - begun) / len(results.results)
    return Costs(_message_cost(packed[:2_000]), result, finishing)


def _message_cost(data: bytes) -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster(Path(folder), 0, own_homes=False) as started,
        Client(started.address, set_as_default=False) as client,
    ):
        queue = Queue("messages", client=client, maxsize=MESSAGES)
        before = client.run_on_scheduler(time.process_time)
        for number in range(MESSAGES):
            queue.put(data)
            if number % 50 == 0:
                queue.get(batch=True)
        after: float = client.run_on_scheduler(time.process_time)
        return (after - before) / MESSAGES


@dataclass
class Unit:
    """A unit of the simulation: what is left of it."""

    start: float
    results: float
    rate: float
    """Results per second."""


@dataclass(frozen=True)
class Outcome:
    """A simulated run."""

    seconds: float
    finishing: float
    scheduler: float
    """The share of its time that the scheduler is busy; at 1 it is the limit."""
    writer: float
    ideal: float
    """Seconds if neither took any time and all machines ended together."""


def simulate(machines: int, durations: Sequence[float], results: int, costs: Costs) -> Outcome:
    """Simulate a run in steps of a second. durations: seconds of each target in one unit; results: of each target."""
    slots = machines * SLOTS
    ideal = sum(durations) / slots
    size = max(10 * START, ideal / 3)
    waiting = []
    for seconds in sorted(durations, reverse=True):
        count = max(1, round(seconds / size))
        waiting += [Unit(START, results / count, results / seconds) for _ in range(count)]
    waiting.reverse()
    running: list[Unit] = []
    clock, busy_scheduler, busy_writer = 0, 0.0, 0.0
    while waiting or running:
        while waiting and len(running) < slots:
            running.append(waiting.pop())
        producing = [unit for unit in running if unit.start <= 0]
        wanted = sum(min(unit.rate, unit.results) for unit in producing)
        messages = len(running) / GATHERING
        # Nothing is lost: where one cannot follow, all wait.
        share = min(1.0, 1 / (messages * costs.message or 1), 1 / (wanted * costs.result or 1))
        for unit in running:
            if unit.start > 0:
                unit.start -= 1
            else:
                unit.results -= unit.rate * share
        running = [unit for unit in running if unit.results > 0]
        busy_scheduler += min(1.0, messages * share * costs.message)
        busy_writer += min(1.0, wanted * share * costs.result)
        clock += 1
    finishing = results * len(durations) * costs.finishing
    return Outcome(clock, finishing, busy_scheduler / clock, busy_writer / clock, ideal)


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
        f"CPU time: scheduler {costs.message * 1e6:.0f} us per message; writing process {costs.result * 1e6:.0f} us per "
        f"result while units run, {costs.finishing * 1e6:.0f} us after the last one"
    )
    print(f"{'results':>9}{'machines':>10}{'minutes':>9}{'ideal':>7}{'finishing':>11}{'scheduler':>11}{'writer':>8}")
    for results in options.results:
        generator = random.Random(0)  # noqa: S311 - nothing secret
        scale = 1 + (results - options.results[0]) * 100e-6 / SECONDS
        durations = [generator.lognormvariate(0, SPREAD) * SECONDS * scale for _ in range(options.targets)]
        for machines in options.machines:
            run = simulate(machines, durations, results, costs)
            print(
                f"{results:>9}{machines:>10}{run.seconds / 60:>9.1f}{run.ideal / 60:>7.1f}{run.finishing / 60:>11.1f}"
                f"{run.scheduler:>11.0%}{run.writer:>8.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""A unit of ``conformance run --on``: a run on another machine, which writes a results file and prints what it does.

Each line of standard output is JSON: the progress, or a call that is made once the answer to it has come on standard input.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from conformance.app.loading import kept_to_the_end
from conformance.app.options import RunOptions
from conformance.app.run import load_inputs, plan
from conformance.cases.model import ApiCall
from conformance.cli.streams import for_commands
from conformance.events import Event, ResultReady, StillRunning, TargetNotice, TargetPreparing, TargetStarted
from conformance.execution.runner import run
from conformance.processes.early_starts import EarlyStarts
from conformance.results.exit_status import OK
from conformance.results.file import FILE_NAME
from conformance.results.records import ResultRecord
from conformance.results.table import sort_of

_GRACE = 20.0
"""Seconds in which a unit that nobody waits for may end by itself."""


def unit_command(early: EarlyStarts, unit: str, *, output: Path, **parameters: Any) -> int:
    """Run a part of the cases on a target, for a machine that reads standard output.

    unit: whether to announce calls, and the calls that are not made, as JSON.
    """
    near = _NearEnd(for_commands(), sys.stdin)
    settings: dict[str, Any] = json.loads(unit)
    options = RunOptions(output=output, **parameters)
    with kept_to_the_end():
        inputs = load_inputs(options)
    fatal = frozenset((case, api) for case, api in settings["fatal"])
    # A call that is only tried would take a machine down without an account of it.
    run_plan = replace(plan(options, inputs, inputs.words, early), fatal=fatal, tries=False)
    limit = run_plan.failure_limit
    progress = Progress(near.tell, limit.fails if limit is not None else lambda _: False)
    if settings["announces"]:
        run_plan = replace(run_plan, before_call=Announcing(near.permitted, progress))
    run(run_plan, output / FILE_NAME, [progress])
    return OK


class Progress:
    """A listener that tells what a unit has done so far: when it does something else, and once a second."""

    def __init__(self, tell: Callable[[dict[str, Any]], None], fails: Callable[[ResultRecord], bool]) -> None:
        self._tell = tell
        self._fails = fails
        self._counts: Counter[str] = Counter()
        self._content: dict[str, Any] = {"failures": 0, "notices": []}

    @property
    def results(self) -> int:
        return self._counts.total()

    def handle(self, event: Event) -> None:
        """Note what an event says."""
        match event:
            case ResultReady(_, result):
                self._counts[sort_of(result)] += 1
                self._content["failures"] += self._fails(result)
                return
            case TargetPreparing(_, message):
                self._content["preparing"] = message
            case TargetNotice(_, message):
                self._content["notices"].append(message)
            case TargetStarted(_, record, results):
                versions = ("framework", "version", "python", "numpy")
                self._content["started"] = {name: getattr(record, name) for name in versions}
                self._content["expected"] = results
            case StillRunning(waiting):
                call = next(iter(waiting), None)
                self._content["waiting"] = [call.api, call.case, call.seconds] if call is not None else None
            case _:
                return
        self._tell({**self._content, "counts": dict(self._counts)})


class Announcing:
    """Announces each call; before the first of a case and API it waits until the announcement cannot be lost any more.

    Repetitions are not announced: there are many times as many, and they are of calls that have returned.
    """

    def __init__(self, permitted: Callable[[dict[str, Any]], None], progress: Progress) -> None:
        self._permitted = permitted
        self._progress = progress
        self._lock = threading.Lock()
        self._announced: set[tuple[str, str]] = set()

    def __call__(self, call: ApiCall) -> None:
        with self._lock:
            if (call.case, call.api) not in self._announced:
                self._announced.add((call.case, call.api))
                self._permitted({"calling": [call.case, call.api, self._progress.results]})


class _NearEnd:
    """What started this process, at the other ends of its standard streams."""

    def __init__(self, output: TextIO, answers: TextIO) -> None:
        self._output = output
        self._lock = threading.Lock()
        self._permits = threading.Semaphore(0)
        threading.Thread(target=self._read, args=(answers,), daemon=True).start()

    def tell(self, content: dict[str, Any]) -> None:
        with self._lock:
            print(json.dumps(content), file=self._output, flush=True)

    def permitted(self, content: dict[str, Any]) -> None:
        """Tell something, and wait until that is acknowledged."""
        self.tell(content)
        self._permits.acquire()

    def _read(self, answers: TextIO) -> None:
        for _ in answers:
            self._permits.release()
        # Nobody waits for this unit any more: it would run beside its own repetition.
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_GRACE)
        os.killpg(0, signal.SIGKILL)  # it leads a group of its own

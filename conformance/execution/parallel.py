"""Distributes the calls of a target among several workers, for a mode that waits more than it computes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence

from conformance.cases.shards import part_of
from conformance.execution.worker_calls import Output, Pair, WorkerCalls

_Queue = queue.SimpleQueue["Output | Exception | None"]


def in_parallel(workers: Sequence[WorkerCalls], pairs: Sequence[Pair]) -> Iterator[Output]:
    """The results of all pairs, in the order in which the workers produce them.

    One worker runs a case on all its APIs. An exception in a worker is raised after all workers have ended.
    """
    if len(workers) == 1:
        yield from workers[0].results(pairs)
        return
    outputs: _Queue = queue.SimpleQueue()
    for worker, part in zip(workers, _parts(pairs, len(workers)), strict=True):
        threading.Thread(target=_work, args=(worker, part, outputs), daemon=True).start()
    errors: list[Exception] = []
    running = len(workers)
    while running:
        output = outputs.get()
        if isinstance(output, Exception):
            errors.append(output)
        elif output is None:
            running -= 1
        else:
            yield output
    if errors:
        raise errors[0]


def _work(worker: WorkerCalls, pairs: Sequence[Pair], outputs: _Queue) -> None:
    try:
        for output in worker.results(pairs):
            outputs.put(output)
    except Exception as error:
        outputs.put(error)
    finally:
        worker.close()
        outputs.put(None)


def _parts(pairs: Sequence[Pair], number: int) -> list[list[Pair]]:
    parts: list[list[Pair]] = [[] for _ in range(number)]
    for case, api in pairs:
        parts[part_of(case, number, "workers")].append((case, api))
    return parts

"""Results without anything that differs between equal runs, so that a results file can be committed and compared as text."""

from __future__ import annotations

from dataclasses import replace

from conformance.results.file import Results

STARTED = "1970-01-01T00:00:00Z"
"""In place of the time at which a run began."""


def without_times(results: Results) -> Results:
    """The same results without times, memory and numbers of processes."""
    run = results.run
    merged = [replace(part, started=STARTED) for part in run.merged]
    targets = [replace(target, seconds=None, memory=None, imports=None, forks=None) for target in results.targets]
    return replace(
        results,
        run=replace(run, started=STARTED, merged=merged),
        targets=targets,
        results=[replace(result, seconds=0.0) for result in results.results],
    )

"""The options of a request to run cases, and their limits. Light: every command line imports them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from conformance.app.errors import ConformanceError

if TYPE_CHECKING:
    from conformance.cases.shards import Shard
    from conformance.results.exit_status import FailOn
    from conformance.targets.worker_starter import StartMethod

DEFAULT_TARGETS = ("reference", "torch", "tensorflow", "mindspore")
QUICK_TARGETS = ("jax",)
"""The default of ``--quick``: the framework whose environment is the smallest."""
OUTPUT = Path("conformance-report")
"""The default output of a run: a link to the folder of the last one that is whole."""
RUNS = Path("conformance-results")
"""The folder that has a folder for each run without --output."""
STREAM = Path("-")
"""The output folder that stands for standard output."""
MOST_DRAWS = 100_000
LEAST_TIMEOUT = 0.1
"""Seconds."""


@dataclass(frozen=True)
class Options:
    """The options of a command line."""

    words: tuple[str, ...]
    output: Path
    operations: tuple[str, ...] = ()
    keyword: str | None = None
    specs: Path | None = None
    quick: bool = False
    """Only the worked examples as they are printed."""
    last_failed: bool = False
    python: Path | None = None
    here: bool = False
    offline: bool = False
    maxfail: int | None = None
    fail_on: FailOn = "own"
    timeout: float = 30.0
    start: StartMethod = "auto"
    start_limit: float = 180.0
    parallel: int | None = None
    seed: int = 0
    draws: int = 0
    case_files: tuple[Path, ...] = ()
    shard: Shard | None = None
    quiet: bool = False
    verbose: bool = False
    gzip: bool = False
    only: Path | None = None
    """A file with the ids of cases that another machine has selected."""
    at_least: int = 0


def check_fail_on(fail_on: str) -> None:
    """ConformanceError unless it is ``own``, ``any`` or ``never``."""
    from conformance.results.exit_status import FailOn

    if fail_on not in (allowed := get_args(FailOn)):
        raise ConformanceError(f"fail_on={fail_on!r} is unknown; allowed: {', '.join(allowed)}")

"""Starts to import the frameworks before the rest of the suite is imported, which takes as long as some of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.app.early import started_early
from conformance.app.errors import ConformanceError
from conformance.app.selecting import check_targets
from conformance.environments.name import parse_target
from conformance.environments.prepared_target import START_LIMIT
from conformance.environments.target_toml import FILE_NAME
from conformance.processes.early_starts import EarlyStarts
from conformance.reports.text import visible


@contextlib.contextmanager
def starting(config: pytest.Config) -> Iterator[EarlyStarts | None]:
    """Start the targets of a session; UsageError for a target that does not exist."""
    targets = target_names(config)
    with failures_of_usage():
        check_targets(targets)
    # Adapters without a target.toml are quickly imported later; xdist's controller only collects the reports of others.
    names = [name for name in targets if not is_plain_adapter(name)]
    if not names or _is_controller(config):
        yield None
        return
    python = config.getoption("--conformance-python")
    early = started_early(
        names,
        (),
        python=None if python is None else Path(python),
        here=config.getoption("--conformance-here"),
        parallel=None,
        start="auto",
        start_limit=START_LIMIT,
        fresh_compile=config.getoption("--conformance-fresh-compile"),
    )
    with contextlib.ExitStack() as stack:
        with failures_of_usage():
            started = stack.enter_context(early)
        yield started


def target_names(config: pytest.Config) -> tuple[str, ...]:
    """The targets of the settings, and those of the command line."""
    return tuple(dict.fromkeys([*config.getini("conformance"), *config.getoption("--conformance")]))


def is_plain_adapter(target: str) -> bool:
    """Whether it is an adapter file without a target.toml: what it imports is installed where pytest runs."""
    path = parse_target(target).path
    return path is not None and not (path.expanduser().absolute().parent / FILE_NAME).is_file()


@contextlib.contextmanager
def failures_of_usage() -> Iterator[None]:
    """Raise what would end the command line as the error that pytest shows without a traceback."""
    try:
        yield
    except ConformanceError as error:
        raise pytest.UsageError(visible(str(error))) from None


def _is_controller(config: pytest.Config) -> bool:
    """Whether xdist's workers run the items."""
    return not hasattr(config, "workerinput") and config.getoption("dist", "no") != "no"

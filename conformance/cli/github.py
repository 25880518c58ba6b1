"""The option ``--github``: annotations and the step summary of a GitHub workflow."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.cli.streams import for_commands
from conformance.environments.errors import TargetError
from conformance.environments.name import parse_target
from conformance.environments.packages import target_folders
from conformance.files import read_regular
from conformance.judging.vocabulary import FailOn
from conformance.reports.document import Document
from conformance.reports.github import Place, commands, step_summary
from conformance.results.file import Results
from conformance.results.records import ResultRecord

_VARIABLE = "GITHUB_STEP_SUMMARY"


def summary_file() -> Path:
    """The file for the step summary; ConformanceError outside a step of a workflow."""
    path = os.environ.get(_VARIABLE)
    if not path:
        raise ConformanceError(f"--github: {_VARIABLE} is not set; use this option in a step of a GitHub workflow")
    return Path(path)


def write_to_github(results: Results, fail_on: FailOn, changes: Document | None = None) -> None:
    """Print annotations, and append to the step summary; ``changes`` are those between versions."""
    file = summary_file()
    for line in commands(results, fail_on, partial(_place, results)):
        click.echo(line, file=for_commands())
    size = file.stat().st_size if file.exists() else 0
    with file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(step_summary(results, changes, size))


def _place(results: Results, result: ResultRecord) -> Place | None:
    """The line of the adapter's function for the API, if the adapter is in this folder as it was in the run."""
    sources = [each.source for each in results.mappings if (each.target, each.api) == (result.target, result.api)]
    frameworks = {target.id: target.framework for target in results.targets}
    with suppress(TargetError, OSError, ValueError):
        path = parse_target(result.target).path
        suites = target_folders().get(frameworks[result.target])
        if path is None and suites is not None:
            path = suites.adapter
        if path is None or not sources or not sources[0]:
            return None
        file = path.expanduser().resolve().relative_to(Path.cwd().resolve())  # ValueError outside of it
        before, found, _ = read_regular(file).decode().partition(sources[0])
        return (file.as_posix(), before.count("\n") + 1) if found else None
    return None

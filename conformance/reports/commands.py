"""Commands for the reader of a report to copy."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from conformance.findings.behaviour import depends_on_other_calls, varies
from conformance.reports.text import one_line
from conformance.results.records import CaseRecord, ResultRecord, RunRecord
from conformance.results.variations import DrawnProgramRecord, DrawnRecord, FoundRecord

ANY_FOLDER = "DIR"
"""Stands for the folder of the results in what does not know where it will lie."""


def command(*words: str) -> str:
    """A command, quoted for the shell."""
    return one_line(shlex.join(["conformance", *words]), 1000)


def options_of(run: RunRecord, target: str | None) -> list[str]:
    """The options of a run that say where a target and the specs are; of a merged one, those of the part with the target."""
    parts = [part.command for part in run.merged if target in part.targets]
    try:
        words = shlex.split(parts[0] if parts else run.command)
    except ValueError:  # a file from elsewhere
        return []
    return [*_with_values(iter(words))]


def _with_values(words: Iterator[str]) -> Iterator[str]:
    for word in words:
        flag, given, value = word.partition("=")
        if flag == "--here":
            yield flag
        elif flag in ("--python", "--specs"):
            yield from (flag, value if given else next(words, ""))


def repro_command(
    result: ResultRecord,
    case: CaseRecord | None,
    target: str | None = None,
    options: Sequence[str] = (),
    folder: str = ANY_FOLDER,
) -> str:
    """The command that prints a script for a result.

    target: as the user named it, by default its id. options: others of the run. folder: of the run's results, without which a
    drawn call is unknown, and another call or chance may not make the result wrong again.
    """
    generated = case is not None and isinstance(case.variation, DrawnRecord | DrawnProgramRecord | FoundRecord)
    needed = generated or varies(result) or depends_on_other_calls(result)
    results = ("--results", folder) if needed else ()
    return command("repro", result.case, "--target", target or result.target, "--api", result.api, *results, *options)

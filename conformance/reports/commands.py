"""Commands for the reader of a report to copy. Each runs as it is printed in the folder in which the run was started."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from conformance.findings.behaviour import depends_on_other_calls, varies
from conformance.reports.text import one_line
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord, RunRecord
from conformance.results.variations import DrawnProgramRecord, DrawnRecord, FoundRecord

ANY_FOLDER = "DIR"
"""Stands for the folder of the results where only the reader knows it: a run of ``conformance.run`` has none."""
DEFAULT_FOLDER = "conformance-report"
"""Of a run that names none."""
_REPEATED = ("--here", "--python", "--specs", "--timeout")
"""The options of a run that decide where a target and the specs are, and when a call counts as hung."""
_IN_PYTEST = "--conformance-"
_IN_PYTHON = "conformance.run("


def command(*words: str) -> str:
    """A command, quoted for the shell."""
    return one_line(shlex.join(["conformance", *words]), 1000)


def repro_command(results: Results, result: ResultRecord, folder: str | None = None, *, exact: bool = False) -> str:
    """The command that prints a script for a result.

    folder: that of the results, if it is not the one that the run names. exact: names the version that the result is of, for
    readers who may come when the name that the user gave means a later one.
    """
    asked = _asked(results, result)
    place = (
        ("--results", folder or folder_of(results.run)) if needs_results(result, results.cases.get(result.case)) else ()
    )
    more = options_of(results.run, asked)
    target = result.target if exact else asked
    return command("repro", result.case, "--target", target, "--api", result.api, *place, *more)


def needs_results(result: ResultRecord, case: CaseRecord | None) -> bool:
    """Whether a script needs the results: a drawn call is unknown without, and another call or chance made the result wrong."""
    generated = case is not None and isinstance(case.variation, DrawnRecord | DrawnProgramRecord | FoundRecord)
    return generated or varies(result) or depends_on_other_calls(result)


def rerun_command(results: Results, result: ResultRecord) -> str:
    """The command that makes the call of a result again in a run, for one that no fresh process has confirmed."""
    asked = _asked(results, result)
    return command("run", asked, result.case, "--api", result.api, *options_of(results.run, asked))


def update_command(results: Results, failing: Sequence[ResultRecord], folder: str, *options: str) -> str:
    """The command that records what failed in the ledgers beside the adapters."""
    adapters = {_asked(results, result).partition("@")[0] for result in failing}
    first = PurePath(min(adapters, default=""))
    elsewhere = first.suffix == ".py" and (first.is_absolute() or ".." in first.parts or str(first).startswith("~"))
    # Results do not choose a file outside the folder that the reader is in, but the reader may.
    known = ("--known", str(first.parent / "divergences.yaml")) if elsewhere and len(adapters) == 1 else ()
    return command("known", "update", folder, *options, *known)


def _asked(results: Results, result: ResultRecord) -> str:
    """The target of a result as the user named it."""
    asked = (target.asked for target in results.targets if target.id == result.target)
    return next(asked, None) or result.target


def folder_of(run: RunRecord) -> str:
    """The folder of a run's results, as its command names it."""
    if run.command.startswith(_IN_PYTHON):
        return ANY_FOLDER
    return _options(run.command).get("--output", DEFAULT_FOLDER)


def options_of(run: RunRecord, target: str) -> list[str]:
    """The options of a run that its target needs again; of a merged one, those of the part with the target."""
    parts = [part.command for part in run.merged if target in part.targets]
    command = parts[0] if parts else run.command
    options = _options(command)
    if command.startswith("pytest") and "--python" not in options and target.endswith(".py"):
        options = {"--here": "", **options}  # pytest runs the file of an adapter in its own interpreter
    given = [(name, options[name]) for name in _REPEATED if name in options]
    return [word for name, value in given for word in ([name] if name == "--here" else [name, value])]


def _options(command: str) -> Mapping[str, str]:
    """The options of a command line of ``conformance`` or pytest, or of a call of ``conformance.run``, with their values."""
    if command.startswith(_IN_PYTHON):
        return dict(_of_call(command))
    try:
        return dict(_of_words(iter(shlex.split(command))))
    except ValueError:  # a file from elsewhere
        return {}


def _of_words(words: Iterator[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        flag, given, value = word.partition("=")
        name = f"--{flag.removeprefix(_IN_PYTEST)}" if flag.startswith(_IN_PYTEST) else flag
        if name == "--here":
            yield name, ""
        elif name in (*_REPEATED, "--output"):
            yield name, value if given else next(words, "")


def _of_call(command: str) -> Iterator[tuple[str, str]]:
    try:
        call = ast.parse(command, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a file from elsewhere
        return
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        name = f"--{keyword.arg}"
        if name in _REPEATED and isinstance(keyword.value, ast.Constant):
            yield name, "" if name == "--here" else str(keyword.value.value)

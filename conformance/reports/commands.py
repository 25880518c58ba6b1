"""Commands for the reader of a report to copy. Each runs as it is printed in the folder in which the run was started."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from conformance.findings.behaviour import depends_on_other_calls, varies
from conformance.reports.counterexamples import FOLDER, file_name
from conformance.reports.text import one_line
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ProgramRecord, ResultRecord, RunRecord, TargetRecord
from conformance.results.variations import DrawnProgramRecord, DrawnRecord, FoundRecord

ANY_FOLDER = "DIR"
"""Stands for the folder of the results where only the reader knows it: a run of ``conformance.run`` has none."""
KNOWN = "divergences.yaml"
"""The file of known divergences beside an adapter, or in the user's folder for a program without one."""
DEFAULT_FOLDER = "conformance-report"
"""Of a run that names none."""
_REPEATED = ("--here", "--python", "--specs", "--timeout", "--memory", "--known")
"""The options of a run that decide where a target, the specs and the known divergences are, and when a call counts as hung or as too large."""
_IN_PYTEST = "--conformance-"
_IN_PYTHON = "conformance.run("


def command_line(*words: str) -> str:
    """A command, quoted for the shell."""
    return one_line(shlex.join(["conformance", *words]), 1000)


def repeat_command(results: Results, result: ResultRecord, folder: str | None = None, *, exact: bool = False) -> str:
    """The command that shows a result again: by a script, if one can be written, and else by a run of its call.

    folder: that of the results, if it is not the one that the run names. exact: names the version that the result is of, for
    readers who may come when the name that the user gave means a later one.
    """
    if not has_script(results, result):
        return rerun_command(results, result, folder or folder_of(results.run))
    case = results.cases.get(result.case)
    place = ("--results", folder or folder_of(results.run)) if needs_results(result, case) else ()
    target = result.target if exact else _asked(results, result)
    words = (result.case, "--target", target, "--api", result.api)
    return command_line("repro", *words, *place, *options_of(results.run, _target(results, result)))


def has_script(results: Results, result: ResultRecord) -> bool:
    """Whether a script can show it: not of a call that the adapter does not make, and not without an adapter."""
    target = _target(results, result)
    return "missing" not in result.divergence and (target is None or target.program is None)


def needs_results(result: ResultRecord, case: CaseRecord | None) -> bool:
    """Whether a script needs the results: a drawn call is unknown without, and another call or chance made the result wrong."""
    generated = case is not None and isinstance(case.variation, DrawnRecord | DrawnProgramRecord | FoundRecord)
    return generated or varies(result) or depends_on_other_calls(result)


def rerun_command(results: Results, result: ResultRecord, folder: str) -> str:
    """The command that makes the call of a result again in a run, for one that no fresh process has confirmed or without a script.

    folder: that of the results.
    """
    target = _target(results, result)
    if target is not None and target.program is not None:
        return _program_command(target, target.program, result.case, options_of(results.run, target))
    chosen = _chosen(results, result, folder)
    more = options_of(results.run, _target(results, result))
    return command_line("run", _asked(results, result), *chosen, "--api", result.api, *more)


def _program_command(target: TargetRecord, program: ProgramRecord, case: str, options: Sequence[str]) -> str:
    release = ("--release", target.version) if target.version is not None else ()
    words = (program.models, "--only", case, "--name", target.framework, *release, *options)
    return command_line("onnx-run", *words, "--", *program.command)


def _chosen(results: Results, result: ResultRecord, folder: str) -> Sequence[str]:
    """The words of a run that choose a call: its id, with what draws it if it is drawn, or the file that has it."""
    case, run = results.cases.get(result.case), results.run
    if case is None:
        return [result.case]
    if case.is_counterexample:
        return ["--case", str(PurePath(folder, FOLDER, file_name(case)))]
    match case.variation:
        case DrawnRecord():
            return [case.id, "--draws", str(run.draws), "--seed", str(run.seed)]
        case DrawnProgramRecord():
            return [case.id, "--programs", str(run.programs), "--seed", str(run.seed)]
        case FoundRecord() if files := _files_of(run):
            return [word for file in files for word in ("--case", file)]
        case _:
            return [case.id]


def update_command(results: Results, folder: str, *options: str) -> str | None:
    """The command that records what failed in the ledgers beside the adapters; None if these are in several places elsewhere."""
    files = {PurePath(target.file) if target.file else None for target in results.targets if target.blocked is None}
    # Results do not choose a file outside the folder that the reader is in, but the reader may.
    elsewhere = [file for file in files if file is not None and _is_elsewhere(file)]
    if elsewhere and len(files) > 1:
        return None
    if any(target.program is not None for target in results.targets):
        known = dict(_options(results.run.command)).get("--known", KNOWN)
        return command_line("known", "update", folder, *options, "--known", known)
    ledgers = [word for file in elsewhere for word in ("--known", str(file.parent / KNOWN))]
    return command_line("known", "update", folder, *options, *ledgers)


def _is_elsewhere(file: PurePath) -> bool:
    return file.is_absolute() or ".." in file.parts or str(file).startswith("~")


def _target(results: Results, result: ResultRecord) -> TargetRecord | None:
    return next((target for target in results.targets if target.id == result.target), None)


def _asked(results: Results, result: ResultRecord) -> str:
    """The target of a result as the user named it."""
    target = _target(results, result)
    return (target.asked if target else None) or result.target


def folder_of(run: RunRecord) -> str:
    """The folder of a run's results, as the run says or its command names it."""
    if run.folder is not None:
        return run.folder
    if run.command.startswith(_IN_PYTHON):
        return ANY_FOLDER
    return dict(_options(run.command)).get("--output", DEFAULT_FOLDER)


def options_of(run: RunRecord, target: TargetRecord | None) -> list[str]:
    """The options of a run that a target needs again; of a merged one, those of the part with the target."""
    parts = [part.command for part in run.merged if target is not None and target.asked in part.targets]
    options = dict(_options(parts[0] if parts else run.command))
    if target is not None and target.here and "--python" not in options:
        options["--here"] = ""  # pytest runs in its own interpreter what needs no environment
    given = [(name, options[name]) for name in _REPEATED if name in options]
    return [word for name, value in given for word in ([name] if name == "--here" else [name, value])]


def _files_of(run: RunRecord) -> list[str]:
    """The case files that a run was given."""
    commands = [part.command for part in run.merged] or [run.command]
    return [value for command in commands for name, value in _options(command) if name == "--case"]


def _options(command: str) -> Sequence[tuple[str, str]]:
    """The options of a command line of ``conformance`` or pytest, or of a call of ``conformance.run``, with their values."""
    if command.startswith(_IN_PYTHON):
        return list(_of_call(command))
    try:
        return list(_of_words(iter(shlex.split(command))))
    except ValueError:  # a file from elsewhere
        return []


def _of_words(words: Iterator[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        flag, given, value = word.partition("=")
        name = f"--{flag.removeprefix(_IN_PYTEST)}" if flag.startswith(_IN_PYTEST) else flag
        if name == "--here":
            yield name, ""
        elif name in (*_REPEATED, "--output", "--case"):
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

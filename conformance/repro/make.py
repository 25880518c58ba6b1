"""Writes a script of the calls that reproduce a result, and runs it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.cases.expectations import Agrees
from conformance.cases.model import LARGE
from conformance.cases.wire import keys_of
from conformance.environments.prepared_target import START_LIMIT, Prepared
from conformance.outcomes.reply import digest
from conformance.reports.text import visible
from conformance.repro.errors import NoScript
from conformance.repro.header import MOST_ELEMENTS, documented_lines, header, inline_metadata
from conformance.repro.interpreter import Interpreter, ScriptRun
from conformance.repro.mismatch import mismatch
from conformance.repro.script import RESULTS, Step, comment, counted, joined, printed, repeated
from conformance.repro.source import AdapterSource
from conformance.repro.steps import StepWriter
from conformance.repro.values import forms
from conformance.results.observed import CaseResult, ObservedCall, Reproduction
from conformance.specification.model import Around, around_of

_LARGE = 100
"""The number of elements from which frameworks abbreviate the tensors that they print."""


@dataclass(frozen=True)
class Script:
    """A script, and what it did when it ran."""

    text: str
    run: ScriptRun
    mismatch: str | None
    """How it differs from what the suite observed; None if it does not."""


def reproduce(case_result: CaseResult, reproductions: Iterable[Reproduction], interpreter: Interpreter) -> Script:
    """The first script that reproduces a result, or else the last one that was tried; NoScript if there is none."""
    script = None
    for reproduction in reproductions:
        script = make(case_result, reproduction, interpreter)
        if script.mismatch is None:
            return script
    if script is None:
        raise NoScript(_without_calls(case_result))
    return script


def make(case_result: CaseResult, reproduction: Reproduction, interpreter: Interpreter) -> Script:
    """Write a script of these calls and run it; NoScript if they cannot be written without the suite.

    Tensors without a readable representation are printed as arrays.
    """
    if case_result.result.company:
        number = len(case_result.result.company)
        raise NoScript(f"it is wrong only if it is compiled together with {number} other calls, which the record names")
    if case_result.case.size >= LARGE:
        raise NoScript("its arrays have gigabytes; `conformance run --large` with its id makes the call again")
    for call in reproduction.calls:
        _refuse_ending(call)
    target = interpreter.prepared.target
    source = AdapterSource(target.adapter.read_text(encoding="utf-8")).for_mode(target.mode)
    keys = {key.text: key for call in reproduction.calls for key in keys_of(call.call.call)}
    if keys:
        in_program = any(around_of(call.call.call.manner) for call in reproduction.calls)
        source = source.with_keys([*keys.values()], is_given=in_program or len(keys) > 1)
    script = _made(case_result, reproduction, interpreter, source, "{}")
    if script.run.is_unreadable(reproduction.calls[-1].name):
        return _made(case_result, reproduction, interpreter, source, source.in_host_memory("{}"))
    return script


def _made(
    case_result: CaseResult, reproduction: Reproduction, interpreter: Interpreter, source: AdapterSource, shown: str
) -> Script:
    calls = reproduction.calls
    started = time.monotonic()
    forms = _forms(calls, source, interpreter)
    writer = StepWriter(case_result, source, interpreter.prepared, forms, shown=shown)
    steps = [writer.step(call) for call in calls]
    body = list(_body(case_result, steps, reproduction.repetitions, shown))
    if "mode-dependent" in case_result.result.divergence:
        body.append(writer.uncompiled(steps[-1], calls[-1]).text())
    text = _text(case_result, body, source, interpreter.prepared)
    names = [*(call.name for call in calls), *calls[-1].tensors, *steps[-1].shows, RESULTS]
    # choosing the forms of the tensors took one import of the framework, so this allows for two
    spare = 5 + 2 * (time.monotonic() - started)
    hangs = any(call.status == "hung" for call in calls)
    run = interpreter.run(text, calls[-1].name, names, interpreter.limit + (spare if hangs else START_LIMIT))
    return Script(text, run, mismatch(case_result, reproduction, run))


def _without_calls(case_result: CaseResult) -> str:
    polluter = case_result.result.polluter
    if polluter is not None:
        return f"it is not wrong after {polluter.api} with {polluter.case} in a new process"
    return "it is wrong only after other calls, which the run did not narrow down to one"


def _refuse_ending(call: ObservedCall) -> None:
    if call.exceeds_memory:
        raise NoScript("the call needs too much memory to run a script for it")
    if call.status == "died" and call.ending is None:
        raise NoScript("the process did not die; only its connection to the suite closed")


def _body(case_result: CaseResult, steps: Sequence[Step], repetitions: int, shown: str) -> Iterator[str]:
    """The calls, and how their results are printed."""
    first, *others = steps
    if case_result.is_flaky:
        yield counted(first, repetitions, _shown(case_result, shown))
        return
    yield repeated(first, repetitions) if repetitions > 1 else first.text()
    yield from (step.text() for step in others)
    if statements := list(_elements(case_result, steps[-1].name, shown)):
        yield "\n".join(statements)


def _text(case_result: CaseResult, calls: Sequence[str], source: AdapterSource, prepared: Prepared) -> str:
    version = f"{source.version}, " if source.version else ""
    title = visible(case_result.target.title or case_result.target.framework)
    preload = prepared.target.definition.preload if prepared.target.definition is not None else None
    start = [
        *([f"exec({preload.strip()!r}, {{}})"] if preload else []),
        *_setup(source, prepared),
        f'print({title!r}, {version}"on Python", platform.python_version(), platform.platform())',
        *map(printed, documented_lines(case_result)),
    ]
    body = ["\n".join(start), *calls]
    definitions = source.definitions(body)
    imports = [*_replacing(prepared), *source.imports([*definitions, *body])]
    metadata = inline_metadata(prepared)
    start_comment = comment(header(case_result, prepared))
    return joined(f"{metadata}\n\n{start_comment}" if metadata else start_comment, imports, definitions, body)


def _replacing(prepared: Prepared) -> list[str]:
    """The modules that a derived target gets in place of others."""
    definition = prepared.target.definition
    replaced = definition.replaces.items() if definition is not None else ()
    modules = [f'sys.modules[{name!r}] = importlib.import_module("{other}")' for name, other in replaced]
    return ["import importlib", "import sys", "", *modules] if modules else []


def _setup(source: AdapterSource, prepared: Prepared) -> list[str]:
    target = prepared.target
    if (not prepared.mode.compiled and target.device == "cpu") or not source.defines("setup"):
        return []
    backend = target.definition.backend if target.definition is not None else None
    return [f"setup({', '.join(map(repr, (target.device, target.mode, *([backend] if backend else []))))})"]


def _elements(case_result: CaseResult, name: str, shown: str) -> Iterator[str]:
    """Statements that print the differing elements of a result that is too large to print in full."""
    for result, index in _large_indices(case_result):
        one = name if result is None else f"{name}[{_number_of(case_result, result)}]"
        place = f"{name} at {index}" if result is None else f"{name}, {result} at {index}"
        yield f'print("{place}:", {shown.format(one)}{index})'


def _number_of(case_result: CaseResult, result: str) -> int:
    """The position of a result among those of the program around the call."""
    manner = case_result.case.call.manner
    return manner.program.names_of_results.index(result) if isinstance(manner, Around) else 0


def _shown(case_result: CaseResult, shown: str) -> str:
    """An expression for what is printed of a ``result``: all of it, or the differing elements if it is too large."""
    indices = _large_indices(case_result)
    result = shown.format("result")
    is_one = all(name is None for name, _ in indices)
    return (
        f"repr([{', '.join(f'{result}{index}' for _, index in indices)}])" if indices and is_one else f"repr({result})"
    )


def _large_indices(case_result: CaseResult) -> list[tuple[str | None, list[int]]]:
    """The indices of the differing elements to print of a result that is too large to print in full, with the name of one of several."""
    differences = case_result.result.differences
    if differences is None or differences.total < _LARGE or isinstance(case_result.case.expectation, Agrees):
        return []
    return [(row.result, row.index) for row in differences.first[:MOST_ELEMENTS]]


def _forms(calls: Sequence[ObservedCall], source: AdapterSource, interpreter: Interpreter) -> dict[str, str]:
    """By digest, an expression in the framework's own terms for each tensor that has one."""
    values = {digest(value): value for call in calls for value in call.tensors.values()}
    candidates = [(value, list(forms(value, source.modules))) for value in values.values()]
    code = [form for _, value_forms in candidates for form in value_forms]
    chosen = interpreter.choose(source.imports(code), candidates) if code else []
    return {key: form for key, form in zip(values, chosen, strict=False) if form is not None}

"""A script of the calls that show a result, run before it is shown."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.cases.model import Agrees
from conformance.outcomes.reply import digest
from conformance.repro.errors import NoScript
from conformance.repro.header import MOST_ELEMENTS, documented_lines, head
from conformance.repro.interpreter import Interpreter, ScriptRun
from conformance.repro.mismatch import mismatch
from conformance.repro.script import Step, comment, joined, printed
from conformance.repro.source import AdapterSource
from conformance.repro.steps import StepWriter
from conformance.repro.values import forms
from conformance.results.observed import CaseResult, ObservedCall
from conformance.targets.prepared import START_LIMIT, Prepared

_LARGE = 100
"""Elements from which what a framework prints of a tensor leaves some out."""


@dataclass(frozen=True)
class Script:
    """A script, and what it did when it was run."""

    text: str
    run: ScriptRun
    mismatch: str | None
    """In what it differs from what the suite saw; None where it shows the same."""


def make(shown: CaseResult, calls: Sequence[ObservedCall], interpreter: Interpreter) -> Script:
    """Write a script of these calls and run it; NoScript where they cannot be written without the suite."""
    for call in calls:
        _refuse_ending(call)
    started = time.monotonic()
    source = AdapterSource(interpreter.prepared.target.adapter.read_text(encoding="utf-8"))
    writer = StepWriter(shown, source, interpreter.prepared, _forms(calls, source, interpreter))
    steps = [writer.step(call) for call in calls]
    text = _text(shown, steps, source, interpreter.prepared)
    names = [*(call.name for call in calls), *calls[-1].tensors, *steps[-1].shows]
    # as long as it took to try the tensors, the framework's import among it, and to spare
    spare = 5 + 2 * (time.monotonic() - started)
    hangs = any(call.status == "hung" for call in calls)
    run = interpreter.run(text, calls[-1].name, names, interpreter.limit + (spare if hangs else START_LIMIT))
    return Script(text, run, mismatch(shown, calls, run))


def _refuse_ending(call: ObservedCall) -> None:
    if call.exceeds_memory:
        raise NoScript("the call takes more memory than can be spared, so no script of it is run")
    if call.status == "died" and call.ending is None:
        raise NoScript("its process went on, and only its answers to the suite ended")


def _text(shown: CaseResult, steps: Sequence[Step], source: AdapterSource, prepared: Prepared) -> str:
    version = f"{source.version}, " if source.version else ""
    title = shown.target.title or shown.target.framework
    start = [
        *_setup(source, prepared),
        f'print("{title}", {version}"on Python", platform.python_version(), platform.platform())',
        *map(printed, documented_lines(shown)),
    ]
    elements = list(_elements(shown, steps[-1].name))
    body = ["\n".join(start), *(step.text() for step in steps), *(["\n".join(elements)] if elements else [])]
    definitions = source.definitions(body)
    return joined(comment(head(shown, prepared)), source.imports([*definitions, *body]), definitions, body)


def _setup(source: AdapterSource, prepared: Prepared) -> list[str]:
    default = not prepared.mode.compiled and prepared.target.device == "cpu"
    return (
        []
        if default or not source.defines("setup")
        else [f"setup({prepared.target.device!r}, {prepared.target.mode!r})"]
    )


def _elements(shown: CaseResult, name: str) -> Iterator[str]:
    """Where a large result differs, as what is printed of it leaves most out."""
    differences = shown.result.differences
    if differences is not None and differences.total >= _LARGE and not isinstance(shown.case.expectation, Agrees):
        for one in differences.first[:MOST_ELEMENTS]:
            yield f'print("{name} at {one["index"]}:", {name}{one["index"]})'


def _forms(calls: Sequence[ObservedCall], source: AdapterSource, interpreter: Interpreter) -> dict[str, str]:
    """By digest, the tensors of the calls for which the framework has a plain form."""
    values = {digest(value): value for call in calls for value in call.tensors.values()}
    wanted = [(value, list(forms(value, source.modules))) for value in values.values()]
    code = [form for _, some in wanted for form in some]
    chosen = interpreter.choose(source.imports(code), wanted) if code else []
    return {key: form for key, form in zip(values, chosen, strict=False) if form is not None}

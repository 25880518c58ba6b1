"""From a spec file's content to an operation: expressions compiled, literals read, citations followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from conformance.spec import file_format as form
from conformance.spec.documents import CitationError, find_citation
from conformance.spec.expressions import Expression, ExpressionError, compile_expression
from conformance.spec.literals import Argument, LiteralError, argument
from conformance.spec.model import (
    ArgumentSpec,
    Call,
    Citation,
    Clause,
    Device,
    Document,
    Expected,
    Family,
    Kind,
    Observed,
    Operation,
    Printed,
    Raises,
    Rule,
    Trial,
)
from conformance.spec.parse import parse
from conformance.spec.problems import Lines, Path_, Problem, SpecError, nearest

_NOTHING = compile_expression("None", [])


def load_operation(path: Path, documents: Mapping[str, Document]) -> Operation:
    """The operation of one spec file; SpecError with all its problems."""
    content, lines = parse(path, form.SpecFile)
    builder = _Builder(content, lines, documents)
    operation = builder.operation()
    if builder.problems:
        raise SpecError(builder.problems)
    return operation


class _Builder:
    """Builds one operation, collecting problems instead of stopping at the first."""

    def __init__(self, content: form.SpecFile, lines: Lines, documents: Mapping[str, Document]) -> None:
        self.content = content
        self.lines = lines
        self.documents = documents
        self.problems: list[Problem] = []

    def operation(self) -> Operation:
        content = self.content
        clauses = [
            *(self._example(name, part) for name, part in content.examples.items()),
            *(self._rule(name, part) for name, part in content.rules.items()),
            *(self._behaviour(name, part) for name, part in content.behaviours.items()),
        ]
        return Operation(
            name=content.operation,
            summary=content.summary,
            arguments={name: self._argument(name, part) for name, part in content.arguments.items()},
            result_shape=self._expression(content.result.shape, ("result", "shape")),
            result_dtype=self._expression(content.result.dtype, ("result", "dtype")),
            result_sums=self._expression(content.result.sums, ("result", "sums")),
            clauses=tuple(clauses),
            place=self.lines.place(()),
        )

    def _problem(self, path: Path_, message: str) -> None:
        where = ".".join(map(str, path))
        self.problems.append(Problem(self.lines.place(path), f"{where}: {message}"))

    def _argument(self, name: str, part: form.ArgumentPart) -> ArgumentSpec:
        kinds: list[Kind] = []
        kinds += ["tensor"] if part.tensor else []
        kinds += ["vector"] if part.vector else []
        kinds += ["scalar"] if part.scalar else []
        kinds += ["choice"] if part.choice else []
        if not kinds:
            self._problem(("arguments", name), "says nothing of what it may be: tensor, vector, scalar or choice")
        return ArgumentSpec(name, tuple(kinds), part.tensor == "integer", tuple(part.choice), part.optional)

    def _expression(self, text: str, path: Path_, *more: str) -> Expression:
        try:
            return compile_expression(text, [*self.content.arguments, *more])
        except ExpressionError as error:
            self._problem(path, str(error))
            return _NOTHING

    def _citations(self, cited: Iterable[str], path: Path_) -> tuple[Citation, ...]:
        found = []
        for number, text in enumerate(cited):
            try:
                found.append(find_citation(text, self.documents))
            except CitationError as error:
                self._problem((*path, "cite", number), str(error))
        return tuple(found)

    def _clause(
        self, family: Family, path: Path_, states: str, cite: list[str], trials: list[Trial], rule: Rule | None = None
    ) -> Clause:
        return Clause(
            id=f"{self.content.operation}.{family}.{path[1]}",
            operation=self.content.operation,
            family=family,
            states=states,
            citations=self._citations(cite, path),
            trials=tuple(trials),
            rule=rule,
            place=self.lines.place(path),
        )

    def _example(self, name: str, part: form.ExamplePart) -> Clause:
        path = ("examples", name)
        return self._clause("example", path, part.states, part.cite, self._trials("as-printed", part, path))

    def _behaviour(self, name: str, part: form.BehaviourPart) -> Clause:
        path = ("behaviours", name)
        trials = [
            trial for case, call in part.cases.items() for trial in self._trials(case, call, (*path, "cases", case))
        ]
        return self._clause("behaviour", path, part.states, part.cite, trials)

    def _rule(self, name: str, part: form.RulePart) -> Clause:
        path = ("rules", name)
        if (part.require is None) == (part.ensure is None):
            self._problem(path, "has require (for calls) or ensure (for results), one of the two")
        if part.require is not None and not part.break_:
            self._problem(path, "has no call that breaks it")
        for number, other in enumerate(part.entails):
            if other not in self.content.rules:
                self._problem(
                    (*path, "entails", number), f"undefined rule {other!r}{nearest(other, self.content.rules)}"
                )
        rule = Rule(
            name,
            self._expression(part.require, (*path, "require")) if part.require else None,
            self._expression(part.ensure, (*path, "ensure"), "result") if part.ensure else None,
            self._broken(part.otherwise),
            tuple(part.entails),
        )
        trials: list[Trial] = []
        for case, call in part.keep.items():
            trials += self._trials(f"keep.{case}", call, (*path, "keep", case))
        for case, call in part.break_.items():
            trials += self._trials(f"break.{case}", call, (*path, "break", case), rule.broken)
        return self._clause("rule", path, part.states, part.cite, trials, rule)

    def _broken(self, otherwise: str | form.RaisesPart) -> Raises | Observed:
        if isinstance(otherwise, form.RaisesPart):
            return Raises(None if otherwise.raises is True else str(otherwise.raises))
        return Raises() if otherwise == "raises" else Observed("no document says what follows")

    def _trials(self, name: str, part: form.CallPart, path: Path_, otherwise: Expected = None) -> list[Trial]:
        """One call's trials: one, or one for each kind of device that the spec tells apart."""
        call = self._call(part, path)
        mended = call.with_arguments(self._arguments(part.mend, (*path, "mend"))) if part.mend else None
        both = part.model_fields_set & form.OutcomePart.model_fields.keys() if part.on else ()
        if both:
            self._problem(path, f"has on and {', '.join(sorted(both))}; say under on what comes of it on each device")
        outcomes: list[tuple[Device | None, form.OutcomePart]] = [*part.on.items()] or [(None, part)]
        trials = []
        for device, outcome in outcomes:
            place = (*path, "on", device) if device else path
            expected = self._expected(outcome, place) or otherwise
            if device and expected is None:
                self._problem(place, "says nothing of what comes of it there; give returns, raises or observed")
            twin = self._twin(expected, mended, path, always=device is None)
            shown = f"{name}.{device}" if device else name
            trials.append(Trial(shown, call, expected, twin, part.note, self.lines.place(place), device))
        return trials

    def _twin(self, expected: Expected, mended: Call | None, path: Path_, *, always: bool) -> Call | None:
        if isinstance(expected, Raises) and mended is None:
            self._problem(path, "should raise but has no valid twin; say under mend which arguments make it valid")
        return mended if always or isinstance(expected, Raises) else None

    def _call(self, part: form.CallPart, path: Path_) -> Call:
        for name, what in self.content.arguments.items():
            if not what.optional and name not in part.call:
                self._problem((*path, "call"), f"argument {name!r} is missing")
        return Call(self._arguments(part.call, (*path, "call")))

    def _expected(self, part: form.OutcomePart, path: Path_) -> Expected:
        given = [key for key in ("returns", "raises", "observed") if getattr(part, key) is not None]
        if len(given) > 1:
            self._problem(path, f"has {' and '.join(given)}; at most one of them")
        if part.returns is not None:
            return Printed(part.returns, part.digits)
        if part.raises is not None:
            return Raises(None if part.raises is True else str(part.raises))
        return Observed(part.observed) if part.observed is not None else None

    def _arguments(self, written: dict[str, Any], path: Path_) -> dict[str, Argument]:
        arguments: dict[str, Argument] = {}
        for name, value in written.items():
            if name not in self.content.arguments:
                self._problem((*path, name), f"undefined argument {name!r}{nearest(name, self.content.arguments)}")
                continue
            try:
                arguments[name] = argument(value)
            except LiteralError as error:
                self._problem((*path, name), str(error))
        return arguments

"""From a spec file's content to an operation: expressions compiled, literals read, citations followed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.specification import file_format as form
from conformance.specification.documents import CitationError, find_citation
from conformance.specification.expressions import Expression, ExpressionError, compile_expression
from conformance.specification.extending import resolved
from conformance.specification.indexing import Indexing
from conformance.specification.layout import build_layout
from conformance.specification.literals import Argument, LiteralError, Tensor, argument
from conformance.specification.model import (
    ArgumentSpec,
    Behaves,
    Call,
    Citation,
    Clause,
    Document,
    Expected,
    Family,
    Gaps,
    Kind,
    MetamorphicRelation,
    Observed,
    OneRemains,
    Operation,
    Printed,
    Raises,
    Rule,
    WrittenCall,
)
from conformance.specification.parse import parse_sound
from conformance.specification.problems import Lines, Path_, Problem, SpecError, nearest
from conformance.specification.relations import compile_side, names_of
from conformance.specification.vocabulary import Device

_NOTHING = compile_expression("None", [])


@dataclass(frozen=True)
class Built:
    """What of a spec file is sound."""

    operation: Operation | None
    problems: list[Problem]
    gaps: Gaps


def load_operation(path: Path, documents: Mapping[str, Document], unread: Collection[str] | None) -> Built:
    """The operation of one spec file, as far as it is sound, with every problem of the rest.

    unread: documents and citations that cannot be read, and are reported where they stand; None for all.
    """
    try:
        parsed = parse_sound(path, form.SpecFile)
    except SpecError as error:
        return Built(None, error.problems, Gaps())
    if parsed.content is None:
        return Built(None, parsed.problems, Gaps())
    builder = _Builder(parsed.content, parsed.lines, documents, unread, parsed.left_out)
    operation = builder.operation()
    problems = parsed.problems + builder.problems
    if any(path[:1] in (("arguments",), ("operation",)) for path in builder.unsound):
        return Built(None, problems, Gaps())
    return Built(*_sound(operation, builder.unsound, problems))


def _sound(
    operation: Operation, unsound: Collection[Path_], problems: list[Problem]
) -> tuple[Operation, list[Problem], Gaps]:
    """The operation without the clauses and calls that have problems."""
    clauses = []
    incomplete = set()
    for clause in operation.clauses:
        wrong = [path[2:] for path in unsound if path[:2] == clause.path]
        if wrong:
            incomplete.add(clause.id)
        if all(path[:1] in _BESIDE for path in wrong):
            calls = tuple(call for call in clause.written_calls if not any(call.path[2:] == path[:2] for path in wrong))
            clauses.append(replace(clause, written_calls=calls))
    gaps = Gaps(
        operations=frozenset({operation.name} if unsound else ()),
        results=frozenset({operation.name} if any(path[:1] == ("result",) for path in unsound) else ()),
        clauses=frozenset(incomplete),
    )
    return replace(operation, clauses=tuple(clauses)), problems, gaps


_BESIDE = (("states",), ("cite",), ("keep",), ("break",), ("cases",))
"""Keys of a clause in which a problem leaves the clause itself, or its other calls, sound."""


def build_written_calls(
    operation: Operation, clause: Clause, name: str, part: form.CallPart, path: Path_, lines: Lines
) -> list[WrittenCall]:
    """The written calls of a call of a clause that stands in another file than the clause; SpecError with all problems.

    A call of a rule that has a valid control is one that breaks it.
    """
    given = {one.name: one.optional for one in operation.arguments.values()}
    arguments = {one: form.ArgumentPart.model_construct(optional=optional) for one, optional in given.items()}
    result = form.ResultPart(shape=operation.result_shape.text, dtype=operation.result_dtype.text)
    content = form.SpecFile.model_construct(
        operation=operation.name, summary=operation.summary, arguments=arguments, result=result
    )
    builder = _Builder(content, lines, {})
    if clause.relation is not None:
        for spare in sorted(part.model_fields_set - {"case", "call", "note"}):
            builder._problem((*path, spare), "a case of a relation has call and note alone")
        relation_part = form.RelationCasePart.model_construct(call=part.call, note=part.note)
        written_calls = [builder._relation_call(clause.relation, name, relation_part, path)]
    else:
        breaks = clause.rule is not None and clause.rule.require is not None and part.fix is not None
        written_calls = builder._written_calls(name, part, path, clause.rule.broken if clause.rule and breaks else None)
    if builder.problems:
        raise SpecError(builder.problems)
    return written_calls


class _Builder:
    """Builds one operation, collecting problems instead of stopping at the first."""

    def __init__(
        self,
        content: form.SpecFile,
        lines: Lines,
        documents: Mapping[str, Document],
        unread: Collection[str] | None = (),
        left_out: Collection[Path_] = (),
    ) -> None:
        self.content = content
        self.lines = lines
        self.documents = documents
        self.unread = unread
        self.left_out = left_out
        self.problems: list[Problem] = []
        self.unsound: set[Path_] = set(left_out)

    def operation(self) -> Operation:
        content = self.content
        arguments = {name: self._argument(name, part) for name, part in content.arguments.items()}
        clauses = [
            *(self._example(name, part) for name, part in content.examples.items()),
            *(self._rule(name, part) for name, part in content.rules.items()),
            *(self._behaviour(name, part) for name, part in content.behaviours.items()),
            *(self._relation(name, part) for name, part in content.relations.items()),
        ]
        return Operation(
            name=content.operation,
            summary=content.summary,
            arguments=arguments,
            result_shape=self._expression(content.result.shape, ("result", "shape")),
            result_dtype=self._expression(content.result.dtype, ("result", "dtype")),
            result_accumulates=self._expression(content.result.accumulates, ("result", "accumulates")),
            clauses=tuple(clauses),
            location=self.lines.location(()),
            layout=build_layout(
                content,
                {name: spec.indexing for name, spec in arguments.items() if spec.index or spec.indexing},
                self._problem,
            ),
        )

    def _problem(self, path: Path_, message: str) -> None:
        # What is missing where something was left out is not missing: that is reported already.
        if not any(left_out[: len(path)] == path for left_out in self.left_out):
            self.unsound.add(path)
            self.problems.append(Problem(self.lines.location(path), f"{'.'.join(map(str, path))}: {message}"))

    def _argument(self, name: str, part: form.ArgumentPart) -> ArgumentSpec:
        kinds: list[Kind] = []
        kinds += ["tensor"] if part.tensor else []
        kinds += ["vector"] if part.vector else []
        kinds += ["scalar"] if part.scalar else []
        kinds += ["choice"] if part.choice else []
        if not kinds:
            self._problem(("arguments", name), "says nothing of what it may be: tensor, vector, scalar or choice")
        index = part.tensor == "integer"
        return ArgumentSpec(
            name,
            tuple(kinds),
            index,
            tuple(part.choice),
            part.optional,
            self._indexing(("arguments", name), part),
            number=part.scalar == "number",
        )

    def _indexing(self, path: Path_, part: form.ArgumentPart) -> Indexing | None:
        for key, other in (("into", part.into), ("along", part.along)):
            if other is not None and other not in self.content.arguments:
                allowed = nearest(other, self.content.arguments)
                self._problem((*path, key), f"undefined argument {other!r}{allowed}")
        for key, needed in (("along", part.into), ("selects", part.along)):
            if getattr(part, key) is not None and needed is None:
                other = "into" if key == "along" else "along"
                self._problem(
                    (*path, key), f"needs {other}; write {{tensor: integer, into: ARGUMENT, along: ARGUMENT}}"
                )
        return Indexing(part.into, part.along, part.selects or "elements") if part.into else None

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
                if self.unread is not None and text not in self.unread and error.document not in self.unread:
                    self._problem((*path, "cite", number), str(error))
        return tuple(found)

    def _clause(
        self,
        family: Family,
        path: Path_,
        states: str,
        cite: list[str],
        written_calls: list[WrittenCall],
        rule: Rule | None = None,
    ) -> Clause:
        return Clause(
            id=f"{self.content.operation}.{family}.{path[1]}",
            name=str(path[1]),
            operation=self.content.operation,
            family=family,
            states=states,
            citations=self._citations(cite, path),
            written_calls=tuple(written_calls),
            rule=rule,
            location=self.lines.location(path),
            path=path,
        )

    def _example(self, name: str, part: form.ExamplePart) -> Clause:
        path = ("examples", name)
        written_calls = [replace(call, printed=True) for call in self._written_calls("as-printed", part, path)]
        return self._clause("example", path, part.states, part.cite, written_calls)

    def _behaviour(self, name: str, part: form.BehaviourPart) -> Clause:
        path = ("behaviours", name)
        cases = self._calls(part.cases, (*path, "cases"))
        written_calls = [
            written_call
            for case, call in cases.items()
            for written_call in self._written_calls(case, call, (*path, "cases", case))
        ]
        return self._clause("behaviour", path, part.states, part.cite, written_calls)

    def _rule(self, name: str, part: form.RulePart) -> Clause:
        path = ("rules", name)
        if (part.require is None) == (part.ensure is None):
            self._problem(path, "has require (for calls) or ensure (for results), one of the two")
        if part.require is not None and not part.break_:
            self._problem(path, "has no call that breaks it")
        for number, other in enumerate(part.implies):
            if other not in self.content.rules and ("rules", other) not in self.left_out:
                self._problem(
                    (*path, "implies", number), f"undefined rule {other!r}{nearest(other, self.content.rules)}"
                )
        rule = Rule(
            name,
            self._expression(part.require, (*path, "require")) if part.require else None,
            self._expression(part.ensure, (*path, "ensure"), "result") if part.ensure else None,
            self._broken(part.otherwise),
            tuple(part.implies),
        )
        written_calls: list[WrittenCall] = []
        for case, call in self._calls(part.keep, (*path, "keep")).items():
            written_calls += self._written_calls(f"keep.{case}", call, (*path, "keep", case))
        for case, call in self._calls(part.break_, (*path, "break")).items():
            written_calls += self._written_calls(f"break.{case}", call, (*path, "break", case), rule.broken)
        return self._clause("rule", path, part.states, part.cite, written_calls, rule)

    def _relation(self, name: str, part: form.RelationPart) -> Clause:
        path = ("relations", name)
        given = {argument for case in part.cases.values() for argument in case.call}
        relation = MetamorphicRelation(
            self._side(part.left, given, (*path, "left")), self._side(part.right, given, (*path, "right"))
        )
        written_calls = [
            self._relation_call(relation, case, call, (*path, "cases", case)) for case, call in part.cases.items()
        ]
        return replace(self._clause("relation", path, part.states, part.cite, written_calls), relation=relation)

    def _side(self, text: str, names: Iterable[str], path: Path_) -> Expression:
        try:
            return compile_side(text, names)
        except ExpressionError as error:
            self._problem(path, str(error))
            return _NOTHING

    def _relation_call(
        self, relation: MetamorphicRelation, name: str, part: form.RelationCasePart, path: Path_
    ) -> WrittenCall:
        wanted = names_of(relation)
        for missing in sorted(wanted - part.call.keys()):
            self._problem((*path, "call"), f"argument {missing!r} is missing")
        for spare in sorted(part.call.keys() - wanted):
            self._problem((*path, "call", spare), f"neither side speaks of {spare!r}{nearest(spare, wanted)}")
        arguments = self._literals(part.call, (*path, "call"))
        return WrittenCall(name, Call(arguments), None, None, part.note, self.lines.location(path), path=path)

    def _broken(self, otherwise: str | form.RaisesPart) -> Raises | Observed:
        if isinstance(otherwise, form.RaisesPart):
            return Raises(None if otherwise.raises is True else str(otherwise.raises))
        return Raises() if otherwise == "raises" else Observed("no document says what follows")

    def _calls(self, parts: Mapping[str, form.CallPart], path: Path_) -> dict[str, form.CallPart]:
        """Calls by name, each with what it has from the one that it extends."""
        return resolved(parts, lambda name, message: self._problem((*path, name, "extends"), message))

    def _written_calls(self, name: str, part: form.CallPart, path: Path_, broken: Expected = None) -> list[WrittenCall]:
        """One call, or one for each kind of device that the spec tells apart.

        broken: what follows of breaking the clause's rule, where the call is to break it.
        """
        call = self._call(part, path)
        fixed = call.with_arguments(self._arguments(part.fix, (*path, "fix"))) if part.fix else None
        self._check_about(part, call, path)
        both = part.model_fields_set & form.OutcomePart.model_fields.keys() if part.on else ()
        if both:
            self._problem(path, f"has on and {', '.join(sorted(both))}; say under on what comes of it on each device")
        outcomes: list[tuple[Device | None, form.OutcomePart]] = [*part.on.items()] or [(None, part)]
        written_calls = []
        for device, outcome in outcomes:
            place = (*path, "on", device) if device else path
            expected = self._expected(outcome, place) or broken
            if device and expected is None:
                self._problem(place, "says nothing of what comes of it there; give returns, raises or observed")
            control = self._control(expected, fixed, path, always=device is None)
            shown = f"{name}.{device}" if device else name
            written_calls.append(
                WrittenCall(
                    name=shown,
                    call=call,
                    expected=expected,
                    fixed=control,
                    note=part.note,
                    location=self.lines.location(place),
                    device=device,
                    about_dtype=tuple(part.about_dtype),
                    breaks=broken is not None,
                    path=path,
                )
            )
        return written_calls

    def _check_about(self, part: form.CallPart, call: Call, path: Path_) -> None:
        tensors = [name for name, value in call.arguments.items() if isinstance(value, Tensor)]
        for number, name in enumerate(part.about_dtype):
            if name not in tensors:
                said = f"{name!r} is no tensor of this call{nearest(name, tensors)}"
                self._problem((*path, "about-dtype", number), said)

    def _control(self, expected: Expected, fixed: Call | None, path: Path_, *, always: bool) -> Call | None:
        if isinstance(expected, Raises) and fixed is None:
            self._problem(path, "should raise but has no valid control; say under fix which arguments make it valid")
        return fixed if always or isinstance(expected, Raises | Observed) else None

    def _call(self, part: form.CallPart, path: Path_) -> Call:
        for name, what in self.content.arguments.items():
            if not what.optional and name not in part.call:
                self._problem((*path, "call"), f"argument {name!r} is missing")
        return Call(self._arguments(part.call, (*path, "call")))

    def _expected(self, part: form.OutcomePart, path: Path_) -> Expected:
        outcomes = ("returns", "raises", "observed", "behaviour", "remains")
        given = [key for key in outcomes if getattr(part, key) is not None]
        if len(given) > 1:
            self._problem(path, f"has {' and '.join(given)}; at most one of them")
        if part.within is not None and (part.returns is None or part.digits is not None):
            self._problem((*path, "within"), "is a bound on the difference from returns, where there are no digits")
        if part.returns is not None:
            return Printed(part.returns, part.digits, part.within)
        if part.remains is not None:
            return OneRemains()
        if part.raises is not None:
            return Raises(None if part.raises is True else str(part.raises))
        if part.behaviour is not None:
            return Behaves(part.behaviour)
        return Observed(part.observed) if part.observed is not None else None

    def _arguments(self, written: dict[str, Any], path: Path_) -> dict[str, Argument]:
        for name in written:
            if name not in self.content.arguments:
                self._problem((*path, name), f"undefined argument {name!r}{nearest(name, self.content.arguments)}")
        defined = {name: value for name, value in written.items() if name in self.content.arguments}
        return self._literals(defined, path)

    def _literals(self, written: dict[str, Any], path: Path_) -> dict[str, Argument]:
        arguments: dict[str, Argument] = {}
        for name, value in written.items():
            try:
                arguments[name] = argument(value)
            except LiteralError as error:
                self._problem((*path, name), str(error))
        return arguments

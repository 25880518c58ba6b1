"""Builds an operation from the content of a spec file: compiles expressions, reads literals and resolves citations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.specification import file_format as form
from conformance.specification.applied import Applied
from conformance.specification.calls import CallBuilder
from conformance.specification.documents import CitationError, find_citation
from conformance.specification.dtypes import NAMES
from conformance.specification.expressions import EVALUATION_ERRORS, Expression, ExpressionError, compile_expression
from conformance.specification.indices.declarations import declared, problems_of
from conformance.specification.indices.keys import key_of
from conformance.specification.indices.kinds import Declaration, Indexing
from conformance.specification.layout import build_layout
from conformance.specification.literals import Tensor, shortened
from conformance.specification.model import (
    ArgumentSpec,
    Call,
    Citation,
    Clause,
    Document,
    Gaps,
    Kind,
    MetamorphicRelation,
    Observed,
    Operation,
    Raises,
    Rule,
    WrittenCall,
)
from conformance.specification.parse import parse_sound
from conformance.specification.problems import Lines, Path_, Problem, SpecError, nearest
from conformance.specification.relations import compile_side
from conformance.specification.vocabulary import UNDOCUMENTED, Family

_NOTHING = compile_expression("None", [])


@dataclass(frozen=True)
class Built:
    """The valid part of a spec file."""

    operation: Operation | None
    problems: list[Problem]
    gaps: Gaps


def load_operation(path: Path, documents: Mapping[str, Document], unread: Collection[str] | None) -> Built:
    """The valid part of the operation of a spec file, and the problems of the rest.

    unread: documents and citations that could not be read and are already reported; None for all.
    """
    try:
        parsed = parse_sound(path, form.SpecFile)
    except SpecError as error:
        return Built(None, error.problems, Gaps())
    if parsed.content is None:
        return Built(None, parsed.problems, Gaps())
    builder = _Builder(parsed.content, parsed.lines, documents, unread, parsed.omitted)
    operation = builder.operation()
    problems = parsed.problems + builder.problems
    if any(path[:1] in (("arguments",), ("operation",)) for path in builder.unsound):
        return Built(None, problems, Gaps())
    return Built(*_without_unsound(operation, builder.unsound, problems))


def _without_unsound(
    operation: Operation, unsound: Collection[Path_], problems: list[Problem]
) -> tuple[Operation, list[Problem], Gaps]:
    """The operation without the clauses and calls that have problems."""
    clauses = []
    incomplete = set()
    by_clause: dict[Path_, list[Path_]] = {}
    for path in unsound:
        by_clause.setdefault(path[:2], []).append(path[2:])
    for clause in operation.clauses:
        paths = by_clause.get(clause.path, [])
        if paths:
            incomplete.add(clause.id)
        if all(path[:1] in _INDEPENDENT for path in paths):
            invalid = {path[:2] for path in paths}
            calls = tuple(call for call in clause.written_calls if call.path[2:] not in invalid)
            clauses.append(replace(clause, written_calls=calls))
    gaps = Gaps(
        operations=frozenset({operation.name} if unsound else ()),
        results=frozenset({operation.name} if any(path[:1] == ("result",) for path in unsound) else ()),
        clauses=frozenset(incomplete),
    )
    return replace(operation, clauses=tuple(clauses)), problems, gaps


def _no_shape(value: object) -> str | None:
    """What was expected instead of a value that is no shape; None if it is one."""
    if isinstance(value, tuple) and all(type(length) is int for length in value):
        return None
    return "a shape, which is a tuple: (n,) if it has one length n"


def _no_dtype(value: object) -> str | None:
    """What was expected instead of a value that is no dtype; None if it is one."""
    return None if value in NAMES else "the name of a dtype, such as that of an argument: ARGUMENT.dtype"


_INDEPENDENT = (("states",), ("cite",), ("keep",), ("break",), ("cases",))
"""Keys of a clause in which a problem does not affect the clause itself or its other calls."""


class _Builder:
    """Builds one operation, collecting problems instead of stopping at the first."""

    def __init__(
        self,
        content: form.SpecFile,
        lines: Lines,
        documents: Mapping[str, Document],
        unread: Collection[str] | None = (),
        omitted: Collection[Path_] = (),
    ) -> None:
        self.content = content
        self.lines = lines
        self.documents = documents
        self.unread = unread
        self.omitted = omitted
        self._around_omitted = {path[:length] for path in omitted for length in range(len(path) + 1)}
        self.problems: list[Problem] = []
        self.unsound: set[Path_] = set(omitted)
        self._calls = CallBuilder(content.arguments, lines, self._problem)

    def operation(self) -> Operation:
        content = self.content
        arguments = {name: self._argument(name, part) for name, part in content.arguments.items()}
        clauses = [
            *(self._example(name, part) for name, part in content.examples.items()),
            *(self._rule(name, part) for name, part in content.rules.items()),
            *(self._behaviour(name, part) for name, part in content.behaviours.items()),
            *(self._relation(name, part) for name, part in content.relations.items()),
        ]
        operation = Operation(
            name=content.operation,
            summary=content.summary,
            arguments=arguments,
            result_shape=self._expression(content.result.shape, ("result", "shape")),
            result_dtype=(
                None
                if content.result.dtype == UNDOCUMENTED
                else self._expression(content.result.dtype, ("result", "dtype"))
            ),
            result_accumulates=self._expression(content.result.accumulates, ("result", "accumulates")),
            shares=frozenset(content.result.shares),
            clauses=tuple(clauses),
            location=self.lines.location(()),
            layout=build_layout(
                content,
                {name: spec.indexing for name, spec in arguments.items() if spec.index or spec.indexing},
                self._problem,
            ),
            renamed=self._renamed(clauses),
        )
        self._check_results(operation)
        return operation

    def _check_results(self, operation: Operation) -> None:
        """The result of each call that should return, and of each control, can be evaluated."""
        calls = (
            written_call for clause in operation.clauses if not clause.relation for written_call in clause.written_calls
        )
        for written_call in calls:
            raises = isinstance(written_call.expected, Raises | Observed)
            for call in filter(None, (None if raises else written_call.call, written_call.fixed)):
                if self._is_complete(call):
                    self._check_result(Applied(operation, call), written_call.path)

    def _is_complete(self, call: Call) -> bool:
        """Whether no argument is missing, as one with a problem of its own is."""
        return all(spec.optional or name in call.arguments for name, spec in self.content.arguments.items())

    def _check_result(self, call: Applied, path: Path_) -> None:
        values = call.values
        for key, expression in (("shape", call.operation.result_shape), ("dtype", call.operation.result_dtype)):
            if expression is None:
                continue
            try:
                value = expression.value(values)
            except EVALUATION_ERRORS as error:
                self._problem(path, f"result.{key} cannot be evaluated for it: {expression.text!r}: {error}")
                return
            except SpecError:  # it exceeds a limit, which is reported where the case is built
                return
            expected = _no_shape(value) if key == "shape" else _no_dtype(value)
            if expected is not None and ("result", key) not in self.unsound:
                found = "a tensor" if isinstance(value, Tensor) else shortened(value)
                call_name = ".".join(map(str, path))
                self._problem(("result", key), f"{expression.text!r} is {found} for {call_name}; expected {expected}")

    def _renamed(self, clauses: Sequence[Clause]) -> Mapping[str, str]:
        ids = {clause.id for clause in clauses}
        ids |= {f"{clause.id}/{written_call.name}" for clause in clauses for written_call in clause.written_calls}
        for earlier, now in self.content.renamed.items():
            if now not in ids:
                self._problem(("renamed", earlier), f"no clause or written case has the id {now!r}{nearest(now, ids)}")
            if earlier in ids:
                self._problem(
                    ("renamed", earlier), f"{earlier!r} is the id of another clause or case now; remove this line"
                )
        return self.content.renamed

    def _problem(self, path: Path_, message: str) -> None:
        # Omitted parts are already reported, so they are not reported as missing.
        if path not in self._around_omitted:
            self.unsound.add(path)
            self.problems.append(self.lines.problem(path, message))

    def _argument(self, name: str, part: form.ArgumentPart) -> ArgumentSpec:
        kinds: list[Kind] = []
        kinds += ["tensor"] if part.tensor else []
        kinds += ["vector"] if part.vector else []
        kinds += ["scalar"] if part.scalar else []
        kinds += ["choice"] if part.choice else []
        kinds += ["key"] if part.key else []
        if not kinds:
            self._problem(("arguments", name), "needs one of tensor, vector, scalar, choice, key")
        for number, text in enumerate(part.key):
            self._check_key(text, ("arguments", name, "key", number))
        index = part.tensor in ("integer", "bool")
        return ArgumentSpec(
            name,
            tuple(kinds),
            index,
            (*part.choice, *part.key),
            part.optional,
            self._indexing(name, part),
            number=part.scalar == "number",
            repeats=self._repeated(name, part),
        )

    def _repeated(self, name: str, part: form.ArgumentPart) -> str | None:
        if part.repeats is not None and part.repeats not in self.content.arguments:
            others = [other for other in self.content.arguments if other != name]
            message = f"repeats: undefined argument {part.repeats!r}{nearest(part.repeats, others)}"
            self._problem(("arguments", name), message)
        return part.repeats

    def _check_key(self, text: str, path: Path_) -> None:
        try:
            names = key_of(text).names
        except ValueError as error:
            self._problem(path, str(error))
            return
        for undefined in [each for each in names if each not in self.content.arguments]:
            self._problem(path, f"{text!r} has {undefined!r}, which is no argument")

    def _indexing(self, name: str, part: form.ArgumentPart) -> Indexing | None:
        declaration = Declaration(name, part, self.content.arguments)
        for path, message in problems_of(declaration):
            self._problem(path, message)
        return declared(declaration)

    def _expression(self, text: str, path: Path_, *more: str) -> Expression:
        try:
            return compile_expression(text, [*self.content.arguments, *more], location=self.lines.location(path))
        except ExpressionError as error:
            self._problem(path, str(error))
            return _NOTHING

    def _citations(self, cited: Mapping[str, Sequence[str]], path: Path_) -> tuple[Citation, ...]:
        citations = []
        for document, locators in cited.items():
            for number, locator in enumerate(locators):
                try:
                    citations.append(find_citation(document, locator, self.documents))
                except CitationError as error:
                    if self.unread is not None and {document, f"{document}#{locator}"}.isdisjoint(self.unread):
                        self._problem((*path, "cite", document, number), str(error))
        return tuple(citations)

    def _clause(
        self,
        family: Family,
        path: Path_,
        states: str,
        cite: Mapping[str, Sequence[str]],
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
        case = "as-printed" if part.printed else "inferred"
        written_calls = [replace(call, printed=part.printed) for call in self._calls.written(case, part, path)]
        return self._clause("example", path, part.states, part.cite, written_calls)

    def _behaviour(self, name: str, part: form.BehaviourPart) -> Clause:
        path = ("behaviours", name)
        cases = self._calls.completed(part.cases, (*path, "cases"))
        written_calls = [
            written_call
            for case, call in cases.items()
            for written_call in self._calls.written(case, call, (*path, "cases", case))
        ]
        clause = self._clause("behaviour", path, part.states, part.cite, written_calls)
        decided_by = part.decided_by
        if decided_by is not None and decided_by not in self.content.behaviours:
            known = nearest(decided_by, self.content.behaviours)
            self._problem((*path, "decided-by"), f"undefined behaviour {decided_by!r}{known}")
        return replace(
            clause,
            only_documented=part.only_documented,
            require=self._expression(part.require, (*path, "require")) if part.require else None,
            decided_by=decided_by and f"{self.content.operation}.behaviour.{decided_by}",
        )

    def _rule(self, name: str, part: form.RulePart) -> Clause:
        path = ("rules", name)
        if (part.require is None) == (part.ensure is None):
            self._problem(path, "needs either require (for calls) or ensure (for results)")
        for number, other in enumerate(part.implies):
            if other not in self.content.rules and ("rules", other) not in self.omitted:
                self._problem(
                    (*path, "implies", number), f"undefined rule {other!r}{nearest(other, self.content.rules)}"
                )
        require = self._expression(part.require, (*path, "require")) if part.require else None
        if require is not None and require is not _NOTHING and not part.break_:
            self._problem(path, "break is missing; add at least one call that breaks the rule")
        rule = Rule(
            name,
            require,
            self._expression(part.ensure, (*path, "ensure"), "result") if part.ensure else None,
            self._broken(part, path),
            tuple(part.implies),
            part.only_documented,
        )
        written_calls: list[WrittenCall] = []
        for case, call in self._calls.completed(part.keep, (*path, "keep")).items():
            written_calls += [
                replace(kept, about_dtype=kept.about_dtype or self._indices_by_dtype(rule))
                for kept in self._calls.written(f"keep.{case}", call, (*path, "keep", case))
            ]
        for case, call in self._calls.completed(part.break_, (*path, "break")).items():
            written_calls += self._calls.written(f"break.{case}", call, (*path, "break", case), rule.broken)
        clause = self._clause("rule", path, part.states, part.cite, written_calls, rule)
        return replace(clause, only_documented=part.only_documented)

    def _indices_by_dtype(self, rule: Rule) -> tuple[str, ...]:
        """The index arguments of whose dtype a rule speaks, so that calls that keep it are about it."""
        indices = [name for name, spec in self.content.arguments.items() if spec.tensor in ("integer", "bool")]
        terms = rule.require.terms if rule.require is not None else frozenset()
        return tuple(name for name in indices if f"{name}.dtype" in terms)

    def _relation(self, name: str, part: form.RelationPart) -> Clause:
        path = ("relations", name)
        names = {argument for case in part.cases.values() for argument in case.call}
        relation = MetamorphicRelation(
            self._side(part.left, names, (*path, "left")), self._side(part.right, names, (*path, "right"))
        )
        is_read = relation.left is not _NOTHING and relation.right is not _NOTHING
        written_calls = [
            self._calls.of_relation(relation, case, call, (*path, "cases", case), is_read=is_read)
            for case, call in part.cases.items()
        ]
        return replace(self._clause("relation", path, part.states, part.cite, written_calls), relation=relation)

    def _side(self, text: str, names: Iterable[str], path: Path_) -> Expression:
        try:
            return compile_side(text, names, self.lines.location(path))
        except ExpressionError as error:
            self._problem(path, str(error))
            return _NOTHING

    def _broken(self, part: form.RulePart, path: Path_) -> Raises | Observed:
        if part.otherwise == "raises":
            return Raises()
        if part.otherwise == "observed":
            return Observed(f"no document says what follows if this does not hold: {part.states}")
        return self._calls.raises(part.otherwise, (*path, "otherwise"))

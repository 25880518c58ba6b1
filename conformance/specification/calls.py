"""Builds the written calls of a spec file: reads literals, completes calls that extend another one, and pairs each with its control."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from conformance.specification import file_format as form
from conformance.specification.literals import MOST_LENGTHS, Argument, LiteralError, Tensor, argument, shortened
from conformance.specification.model import (
    Around,
    Behaves,
    Call,
    Clause,
    Expected,
    KeptProgram,
    MetamorphicRelation,
    Observed,
    OneRemains,
    Operation,
    Printed,
    Raises,
    WrittenCall,
)
from conformance.specification.problems import LONGEST_NAME, Lines, Path_, Problem, SpecError, closest, nearest
from conformance.specification.programs.reading import NotAProgram, read_program
from conformance.specification.relations import names_of
from conformance.specification.vocabulary import Device

MOST_IN_FILE = 2**25
"""The maximum number of elements of all tensors of a file."""
_PYTHONS_ERRORS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)
)
Report = Callable[[Path_, str], None]
_OUTCOMES = frozenset({*form.OutcomePart.model_fields, "on"})


def build_written_calls(
    operation: Operation, clause: Clause, name: str, part: form.CallPart, path: Path_, lines: Lines
) -> list[WrittenCall]:
    """The written calls of a call in another file than its clause; SpecError with all problems.

    A call of a rule that has a control is one that breaks the rule.
    """
    problems: list[Problem] = []

    def report(path: Path_, message: str) -> None:
        problems.append(lines.problem(path, message))

    builder = CallBuilder(_declared(operation), lines, report)
    if clause.relation is not None:
        for key in sorted(part.model_fields_set - {"case", "call", "note"}):
            report((*path, key), "a case of a relation may only have call and note")
        relation_part = form.RelationCasePart.model_construct(call=part.call, note=part.note)
        written_calls = [builder.of_relation(clause.relation, name, relation_part, path)]
    else:
        breaks = clause.rule is not None and clause.rule.require is not None and part.fix is not None
        written_calls = builder.written(name, part, path, clause.rule.broken if clause.rule and breaks else None)
    if problems:
        raise SpecError(problems)
    return written_calls


def build_program(
    operation: Operation, name: str, text: str, part: form.FoundPart, path: Path_, lines: Lines
) -> KeptProgram:
    """The program of a call in another file than its clause; SpecError with all problems."""
    problems: list[Problem] = []

    def report(path: Path_, message: str) -> None:
        problems.append(lines.problem(path, message))

    for key in sorted(part.model_fields_set - {"case", "call", "note", "program", "apis"}):
        report(
            (*path, key),
            "a program may only have call, apis and note, since what it returns is computed by the reference",
        )
    try:
        program = read_program(text)
    except NotAProgram as error:
        report((*path, "program"), str(error))
        raise SpecError(problems) from None
    declared = dict.fromkeys(program.parameters, form.ArgumentPart.model_construct(optional=False))
    changes = operation.main_argument if part.apis == "changing" else None
    call = CallBuilder(declared, lines, report).program(part, path)
    if problems:
        raise SpecError(problems)
    return KeptProgram(name, replace(call, manner=Around(program, part.apis, changes)), lines.location(path))


def _declared(operation: Operation) -> dict[str, form.ArgumentPart]:
    return {
        name: form.ArgumentPart.model_construct(optional=spec.optional) for name, spec in operation.arguments.items()
    }


class CallBuilder:
    """Builds calls, and reports problems instead of stopping at the first."""

    def __init__(self, arguments: Mapping[str, form.ArgumentPart], lines: Lines, report: Report) -> None:
        self._declared = arguments
        self._lines = lines
        self._problem = report
        self._elements = 0

    def of_relation(
        self,
        relation: MetamorphicRelation,
        name: str,
        part: form.RelationCasePart,
        path: Path_,
        *,
        is_read: bool = True,
    ) -> WrittenCall:
        """A call of a relation, of which one side could not be read unless ``is_read``."""
        expected = names_of(relation)
        for missing in sorted(expected - part.call.keys()):
            self._problem((*path, "call"), f"argument {missing!r} is missing")
        for unused in sorted(part.call.keys() - expected) if is_read else ():
            self._problem((*path, "call", unused), f"neither side uses {unused!r}{nearest(unused, expected)}")
        arguments = self._literals(part.call, (*path, "call"))
        return WrittenCall(name, Call(arguments), None, None, part.note, self._lines.location(path), path=path)

    def completed(self, parts: Mapping[str, form.CallPart], path: Path_) -> dict[str, form.CallPart]:
        """Calls by name, completed with the keys of the call that they extend."""
        return _resolved(parts, lambda name, message: self._problem((*path, name, "extends"), message))

    def written(self, name: str, part: form.CallPart, path: Path_, broken: Expected = None) -> list[WrittenCall]:
        """A written call, or one for each kind of device if the spec distinguishes them.

        broken: for a call that breaks the rule of the clause, the expected outcome.
        """
        call = self._call(part, path)
        fixed = call.with_arguments(self._arguments(part.fix, (*path, "fix"))) if part.fix else None
        self._check_about(part, call, path)
        conflicting = part.model_fields_set & form.OutcomePart.model_fields.keys() if part.on else ()
        if conflicting:
            keys = ", ".join(sorted(conflicting))
            self._problem(path, f"has on and {keys}; put the expectation of each device under on")
        outcomes: list[tuple[Device | None, form.OutcomePart]] = [*part.on.items()] or [(None, part)]
        written_calls = []
        for device, outcome in outcomes:
            outcome_path = (*path, "on", device) if device else path
            expected = self._expected(outcome, outcome_path) or broken
            if device and expected is None:
                self._problem(outcome_path, "needs returns, raises or observed")
            control = self._control(expected, fixed, path, always=device is None)
            written_calls.append(
                WrittenCall(
                    name=f"{name}.{device}" if device else name,
                    call=call,
                    expected=expected,
                    fixed=control,
                    note=part.note,
                    location=self._lines.location(outcome_path),
                    device=device,
                    about_dtype=tuple(part.about_dtype),
                    breaks=broken is not None,
                    path=path,
                )
            )
        return written_calls

    def program(self, part: form.CallPart, path: Path_) -> Call:
        """The arguments of a program."""
        return self._call(part, path)

    def _check_about(self, part: form.CallPart, call: Call, path: Path_) -> None:
        tensors = [name for name, value in call.arguments.items() if isinstance(value, Tensor)]
        for number, name in enumerate(part.about_dtype):
            if name not in tensors:
                message = f"{name!r} is not a tensor of this call{nearest(name, tensors)}"
                self._problem((*path, "about-dtype", number), message)

    def _control(self, expected: Expected, fixed: Call | None, path: Path_, *, always: bool) -> Call | None:
        if isinstance(expected, Raises) and fixed is None:
            self._problem(path, "should raise but has no control; add fix with the arguments that make it valid")
        return fixed if always or isinstance(expected, Raises | Observed) else None

    def _call(self, part: form.CallPart, path: Path_) -> Call:
        for name, spec in self._declared.items():
            if not spec.optional and name not in part.call:
                self._problem((*path, "call"), f"argument {name!r} is missing")
        return Call(self._arguments(part.call, (*path, "call")))

    def _expected(self, part: form.OutcomePart, path: Path_) -> Expected:
        outcomes = ("returns", "raises", "observed", "behaviour", "remains")
        keys = [key for key in outcomes if getattr(part, key) is not None]
        if len(keys) > 1:
            self._problem(path, f"has {' and '.join(keys)}; only one of them is allowed")
        if part.within is not None and (part.returns is None or part.digits is not None):
            self._problem((*path, "within"), "needs returns, and excludes digits")
        if isinstance(part.returns, dict):
            elements = shortened(next(iter(part.returns.values()), []))
            self._problem((*path, "returns"), f"result gives the dtype, so returns has only elements; write {elements}")
        if part.returns is not None:
            return Printed(part.returns, part.digits, part.within)
        if part.remains is not None:
            return OneRemains()
        if part.raises is not None:
            return self.raises(part.raises, (*path, "raises"))
        if part.behaviour is not None:
            return Behaves(part.behaviour)
        return Observed(part.observed) if part.observed is not None else None

    def raises(self, type_name: str | Literal[True], path: Path_) -> Raises:
        if type_name is True:
            return Raises()
        # A framework may define a type of any name, but hardly one that is a letter away from Python's.
        meant = closest(type_name[:LONGEST_NAME], _PYTHONS_ERRORS, similarity=0.9)
        if meant is not None and type_name not in _PYTHONS_ERRORS:
            self._problem(path, f"undefined type of error {type_name!r}; did you mean {meant!r}?")
        return Raises(type_name)

    def _arguments(self, written: dict[str, Any], path: Path_) -> dict[str, Argument]:
        for name in written:
            if name not in self._declared:
                self._problem((*path, name), f"undefined argument {name!r}{nearest(name, self._declared)}")
        defined = {name: value for name, value in written.items() if name in self._declared}
        arguments = self._literals(defined, path)
        for name, value in [*arguments.items()]:
            reason = _unlike(self._declared[name], value, written[name])
            if reason is not None:
                self._problem((*path, name), reason)
                del arguments[name]
            # As a shape, it becomes a tuple in expressions.
            if self._declared[name].vector and isinstance(value, Tensor) and value.array.size > MOST_LENGTHS:
                message = f"a shape of {value.array.size} lengths; at most {MOST_LENGTHS} are allowed"
                self._problem((*path, name), message)
        return arguments

    def _literals(self, written: dict[str, Any], path: Path_) -> dict[str, Argument]:
        arguments: dict[str, Argument] = {}
        for name, value in written.items():
            if self._elements > MOST_IN_FILE:
                message = (
                    f"the tensors before this one have {self._elements} elements; at most {MOST_IN_FILE} are allowed"
                )
                self._problem((*path, name), f"{message} in a file")
                continue
            try:
                literal = argument(value)
            except LiteralError as error:
                self._problem((*path, name), str(error))
                continue
            arguments[name] = literal
            self._elements += literal.array.size if isinstance(literal, Tensor) else 0
        return arguments


def _unlike(part: form.ArgumentPart, value: Argument, written: Any) -> str | None:
    """Why a value cannot be that of an argument, with what to write; None if it can."""
    if part.choice or value is None or (part.key and isinstance(value, str)):
        return None
    if part.tensor and not part.vector and not isinstance(value, Tensor):
        if part.scalar and isinstance(value, int | float):
            return None
        dtype = {"integer": "int64", "bool": "bool"}.get(part.tensor, "float32")
        return f"a tensor needs its dtype, as in {{{dtype}: {shortened(written)}}}; found {shortened(written)}"
    if part.scalar and not (part.tensor or part.vector) and not isinstance(value, int | float | Tensor):
        return f"expected a number; found {shortened(written)}"
    return None


def _resolved(parts: Mapping[str, form.CallPart], report: Callable[[str, str], None]) -> dict[str, form.CallPart]:
    """The completed calls by name; a call with an invalid ``extends`` is left unchanged.

    report: takes the name of a call and a message about its ``extends``.
    """
    bases = {name: part for name, part in parts.items() if part.extends is None}
    return {
        name: part if part.extends is None else _extended(name, part, part.extends, bases, parts, report)
        for name, part in parts.items()
    }


def _extended(
    name: str,
    part: form.CallPart,
    base: str,
    bases: Mapping[str, form.CallPart],
    parts: Mapping[str, form.CallPart],
    report: Callable[[str, str], None],
) -> form.CallPart:
    if base not in bases:
        reason = "itself extends another call" if base in parts else "is not a call of this clause"
        report(name, f"{base!r} {reason}{nearest(base, bases)}")
        return part
    return _merged(bases[base], part)


def _merged(base: form.CallPart, part: form.CallPart) -> form.CallPart:
    """The keys of ``part``, completed from ``base``: arguments individually, the expected outcome as a whole."""
    own = part.model_fields_set
    excluded = {"extends", "note", *(_OUTCOMES if own & _OUTCOMES else ())}
    inherited = base.model_fields_set - excluded
    values = {key: getattr(base, key) for key in inherited} | {key: getattr(part, key) for key in own}
    return form.CallPart.model_construct(_fields_set=inherited | own, **values | {"call": {**base.call, **part.call}})

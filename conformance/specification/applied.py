"""A call of an operation: what its arguments mean, and which rules it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from conformance.specification.expressions import EVALUATION_ERRORS
from conformance.specification.indices.geometry import IndexGeometry, geometry_of
from conformance.specification.indices.keys import Filled, key_of
from conformance.specification.indices.kinds import InKey
from conformance.specification.literals import Argument, LiteralError, Tensor, tensor
from conformance.specification.model import Call, Clause, Manner, NotATuple, Operation, Raises


@dataclass(frozen=True)
class BrokenRules:
    """The rules that do not hold for a call."""

    clauses: tuple[Clause, ...]
    """Those that it breaks."""
    senseless: frozenset[str]
    """Those that cannot be evaluated, such as one on an axis that an argument lacks."""


@dataclass(frozen=True, eq=False)
class Applied:
    """An operation applied to the arguments of a call, compared by identity. What follows from both is computed once."""

    operation: Operation = field(repr=False)
    call: Call

    def __reduce__(self) -> tuple[type[Applied], tuple[Operation, Call]]:
        # What was computed is not stored with a case.
        return Applied, (self.operation, self.call)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        # Hypothesis prints all fields of a dataclass otherwise, and an operation has megabytes of text.
        printer.text(repr(self))

    @property
    def arguments(self) -> Mapping[str, Argument]:
        return self.call.arguments

    @property
    def tensors(self) -> dict[str, Tensor]:
        """As those of the call."""
        return self.call.tensors

    @property
    def manner(self) -> Manner:
        """How the call is made."""
        return self.call.manner

    def with_arguments(self, changed: Mapping[str, Argument]) -> Applied:
        """The operation applied to other arguments."""
        return Applied(self.operation, self.call.with_arguments(changed))

    def made(self, manner: Manner) -> Applied:
        """The operation applied to the same arguments in another manner."""
        return Applied(self.operation, replace(self.call, manner=manner))

    @cached_property
    def values(self) -> Mapping[str, object]:
        """The arguments as values for expressions.

        An omitted optional argument is None; a shape passed as a list or a tensor is a ``NotATuple`` of its lengths.
        """
        values: dict[str, object] = {**dict.fromkeys(self.operation.arguments), **self.call.arguments}
        for name, spec in self.operation.arguments.items():
            value = values[name]
            if "vector" in spec.kinds and isinstance(value, list | Tensor):
                values[name] = NotATuple(value.array.tolist() if isinstance(value, Tensor) else value)
        return values

    @cached_property
    def geometries(self) -> Mapping[str, IndexGeometry]:
        """By index argument, the positions that it means; undefined ones are omitted."""
        declared = {name: spec.indexing for name, spec in self.operation.arguments.items() if spec.indexing}
        geometries = {name: geometry_of(indexing, name, self.values) for name, indexing in declared.items()}
        return {name: geometry for name, geometry in geometries.items() if geometry}

    @property
    def accumulates(self) -> bool:
        """Whether elements are added or multiplied, rather than only copied."""
        return bool(self.operation.result_accumulates.value(self.values))

    @property
    def result_shape(self) -> Any:
        """The value of the expression of its shape; one of ``EVALUATION_ERRORS`` if the arguments do not fit it."""
        return self.operation.result_shape.value(self.values)

    @property
    def result_dtype(self) -> str | None:
        """As ``result_shape``; None if no document says it."""
        expression = self.operation.result_dtype
        return None if expression is None else str(expression.value(self.values))

    def result_written(self, written: Any) -> Tensor:
        """A result as a spec or a document has it; LiteralError if it is invalid.

        Where no document says its dtype it is of int64 if its elements are whole numbers, or else of float64.
        """
        dtype = self.result_dtype
        if dtype is not None:
            return tensor(dtype, written)
        if _has_truths(written):
            return tensor("bool", written)
        try:
            return tensor("int64", written)
        except LiteralError:
            return tensor("float64", written)

    @property
    def data(self) -> dict[str, Tensor]:
        """The tensors among the arguments that are no indices."""
        return {
            name: value
            for name, value in self.call.arguments.items()
            if isinstance(value, Tensor) and (spec := self.operation.arguments.get(name)) is not None and not spec.index
        }

    @property
    def lacks_elements(self) -> bool:
        """Whether an argument has no element, or an index argument no index; a vector of indices may have no element.

        A mask without a true element has no index.
        """
        for name, value in self.call.arguments.items():
            if isinstance(value, Tensor) and name in self.operation.arguments:
                indexing = self.operation.arguments[name].indexing
                if indexing.lacks_indices(value.array) if indexing is not None else not value.array.size:
                    return True
        return False

    @cached_property
    def has_python_index(self) -> bool:
        """Whether an index is an ordinary Python value, such as a list, of which no rule or layout speaks."""
        indices = (name for name, spec in self.operation.arguments.items() if spec.index and name in self.arguments)
        return not all(isinstance(self.arguments[name], Tensor) for name in indices)

    @cached_property
    def masks_in_key(self) -> frozenset[str]:
        """The index arguments that are masks in a key."""
        keyed = [name for name, spec in self.operation.arguments.items() if isinstance(spec.indexing, InKey)]
        values = ((name, self.call.arguments.get(name)) for name in keyed)
        return frozenset(name for name, value in values if isinstance(value, Tensor) and value.kind == "bool")

    @property
    def key_selects_nothing(self) -> bool:
        """Whether a key selects nothing of the main argument."""
        target = self.call.arguments.get(self.operation.main_argument)
        for name, spec in self.operation.arguments.items():
            key = self.call.arguments.get(name)
            if "key" in spec.kinds and isinstance(key, str) and isinstance(target, Tensor):
                return 0 in self._taken(key, target.shape) and 0 not in target.shape
        return False

    def _taken(self, key: str, target: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of what a key selects; no axes if it does not fit."""
        try:
            indices = [self.call.arguments[name] for name in key_of(key).names]
            return Filled(key, [index for index in indices if isinstance(index, Tensor)]).taken(target)
        except (ValueError, LookupError):
            return ()

    def only_lacks_elements_beside(self, control: Applied) -> bool:
        """Whether an implementation that refuses all tensors without elements refuses this call, and not its control."""
        return self.lacks_elements and not control.lacks_elements

    @cached_property
    def broken_rules(self) -> tuple[str, ...]:
        """The names of the rules for every API that it breaks."""
        return tuple(rule.name for rule in self.operation.rules if rule.is_broken(self.values))

    @property
    def broken_promises(self) -> tuple[Clause, ...]:
        """The clauses of the rules that it breaks of those that only some APIs document."""
        return tuple(
            clause
            for clause in self.operation.clauses
            if clause.rule is not None and clause.rule.only_documented and clause.rule.is_broken(self.values)
        )

    @property
    def errors(self) -> tuple[Clause, ...]:
        """The clauses by which it is an error: those of rules, and behaviours."""
        rules = self.broken.clauses
        errors = (clause for clause in rules if clause.rule is not None and isinstance(clause.rule.broken, Raises))
        return *errors, *self.violated

    @property
    def violated(self) -> tuple[Clause, ...]:
        """The behaviours by which it is an error on the APIs that document them."""
        return tuple(
            clause
            for clause in self.operation.clauses
            if clause.require is not None and clause.require.fails(self.values)
        )

    @cached_property
    def broken(self) -> BrokenRules:
        """The clauses of the rules for every API that it breaks, apart from those that make no sense for it."""
        clauses: list[Clause] = []
        senseless: set[str] = set()
        for clause in self.operation.clauses:
            rule = clause.rule
            if rule is None or rule.require is None or rule.only_documented or not rule.is_broken(self.values):
                continue
            try:
                rule.require.value(self.values)
            except EVALUATION_ERRORS:
                senseless.add(rule.name)
            else:
                clauses.append(clause)
        return BrokenRules(tuple(clauses), frozenset(senseless))


def _has_truths(written: Any) -> bool:
    return any(map(_has_truths, written)) if isinstance(written, list) else isinstance(written, bool)

"""Calls as steps of a script: the arguments as literals, and the adapter's own function called with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.environments.prepared_target import Prepared
from conformance.outcomes.reply import digest
from conformance.repro.errors import NoScript
from conformance.repro.programs import in_framework
from conformance.repro.script import Step
from conformance.repro.source import AdapterSource
from conformance.repro.values import numpy_form, plain_form
from conformance.repro.views import View, view_of
from conformance.results.observed import CaseResult, ObservedCall
from conformance.results.records import MappingRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import (
    Around,
    Batch,
    Derivative,
    Manner,
    Nested,
    PassedAs,
    Raises,
    SecondDerivative,
    Sharing,
    Transform,
    around_of,
)
from conformance.specification.programs.language import FUNCTION
from conformance.worker.arrays import BITS_OF
from conformance.worker.keys import KEY
from conformance.worker.views import build_shared

_REMARKS = {
    "earlier": "This call affects the next one.",
    "before": "A valid call before the error",
    "after": "The same call after it",
    "uncompiled": "The same call without compiling",
}


def _is_bound(name: str, plain: Mapping[str, str], manner: Manner) -> bool:
    """Whether an argument is a constant of what is compiled."""
    ways = manner.ways if isinstance(manner, PassedAs) else {}
    return ways.get(name, "constant" if name in plain else "argument") == "constant"


@dataclass(frozen=True)
class StepWriter:
    """Writes the calls that reproduce a result."""

    case_result: CaseResult
    source: AdapterSource
    prepared: Prepared
    forms: Mapping[str, str]
    """Expressions for tensors in the framework's own terms, by digest."""
    compiled: list[str] = field(default_factory=list)
    """The expression that the script last assigned to the variable ``compiled``; empty before that."""
    defined: list[str] = field(default_factory=list)
    """The text of the program that the script has defined; empty before that."""
    shown: str = "{}"
    """As in ``Step``."""

    def step(self, call: ObservedCall) -> Step:
        shared = self._parts_of_one(call)
        views = {name: view for name, view in self._views(call) if name not in shared}
        is_main = call.name == "got"
        lines = [line for view in views.values() for line in view.lines]
        own = [(name, value) for name, value in call.tensors.items() if name not in shared]
        lines += [*shared.values(), *(f"{name} = {self._tensor(value, views.get(name))}" for name, value in own)]
        compiling, expression = self._call(call)
        return Step(
            name=call.name,
            arguments=lines,
            compiling=compiling,
            call=expression,
            catches=call.error is not None or (is_main and isinstance(self.case_result.case.expectation, Raises)),
            shows=self._touched(call, views) if is_main else [],
            remark=_REMARKS.get(call.name),
            shown=self.shown,
            shared=list(self._shared(call)) if is_main else [],
            results=_names_of_results(call),
        )

    def uncompiled(self, step: Step, call: ObservedCall) -> Step:
        """The call of a step without compiling, with arguments of its own."""
        function = self.source.function_name(self._mapping(call).source)
        expression = f"{function}({_keywords(self._arguments(call, function))})"
        return Step(
            "uncompiled", step.arguments, expression, catches=True, remark=_REMARKS["uncompiled"], shown=self.shown
        )

    def _arguments(self, call: ObservedCall, function: str) -> dict[str, str]:
        """By name, the variable or the literal of each argument of a function of the script."""
        given = call.call.call.arguments.items()
        return {
            name: name if name in call.tensors else plain_form(value)
            for name, value in given
            if self._takes(function, name)
        }

    def _takes(self, function: str, name: str) -> bool:
        return name != KEY or function not in self.source.without_key

    def _mapping(self, call: ObservedCall) -> MappingRecord:
        mapping = self.case_result.mapping(call.call.api, call.call.operation)
        if mapping is None:
            raise NoScript(f"the results have no API {call.call.api!r} for {call.call.operation}")
        return mapping

    def _views(self, call: ObservedCall) -> Iterator[tuple[str, View]]:
        """The views among the call's tensors, by argument."""
        for place, (name, value) in enumerate(call.tensors.items()):
            # What is changed in place needs elements of its own, so the worker does not expand it.
            is_copied = (name, value.view) == (self._mapping(call).in_place, "expanded")
            view = None if is_copied else view_of(name, value, call.outside_of(name), place)
            if view is not None:
                yield name, view

    def _parts_of_one(self, call: ObservedCall) -> dict[str, str]:
        """The statements for arguments that are parts of one tensor, by argument, after that for the whole."""
        manner = call.call.call.manner
        if not isinstance(manner, Sharing):
            return {}
        arguments = [call.tensors[name] for name in (manner.changed, manner.other)]
        [dtype] = {value.dtype for value in arguments}
        if dtype in BITS_OF:
            raise NoScript(f"cannot write parts of a {dtype} tensor: NumPy has no such dtype")
        buffer = build_shared(arguments[0].array, arguments[1].array, manner.shift)
        statements = {"": f"memory = {self._tensor(Tensor(dtype, buffer.base, None), None)}"}
        for name, value, part in zip((manner.changed, manner.other), arguments, buffer.parts, strict=True):
            axes = "" if value.rank == 1 else f".reshape({value.shape!r})"
            statements[name] = f"{name} = memory[{part.start}:{part.stop}]{axes}"
        return statements

    def _tensor(self, value: Tensor, view: View | None) -> str:
        """The framework's own form of a tensor, or else a call of the adapter's ``to_native``, which keeps the strides of a view."""
        if view is None and digest(value) in self.forms:
            return self.forms[digest(value)]
        array = view.variable if view else numpy_form(value)
        return f"to_native({array}, {value.dtype!r})" if self.source.defines("to_native") else array

    def _call(self, call: ObservedCall) -> tuple[list[str], str]:
        """The call of the adapter's function as the worker makes it, and the line before it that compiles the function, if needed."""
        made = call.call.call
        around = around_of(made.manner)
        if around is not None:
            defining, function = self._defining(call, around), FUNCTION
            manner = around.passed if isinstance(made.manner, Around) else made.manner
            lines, expression = self._call_of(call, function, manner)
            return [*defining, *lines], expression
        return self._call_of(call, self.source.function_name(self._mapping(call).source), made.manner)

    def _call_of(self, call: ObservedCall, function: str, manner: Manner) -> tuple[list[str], str]:
        """The call of a function of the script, and the line before it that compiles the function, if needed."""
        made = call.call.call
        given = {name: value for name, value in made.arguments.items() if self._takes(function, name)}
        plain = {name: plain_form(value) for name, value in given.items() if name not in call.tensors}
        compiles = self._prepares
        if isinstance(manner, Transform):
            expression = _transformed(call, manner, _bound(function, plain))
            if not compiles:
                return [], expression
            lines = self._compiling(f"partial(lambda {', '.join(call.tensors)}: {expression})")
            return lines, f"compiled({_keywords({name: name for name in call.tensors})})"
        if not compiles:
            return [], f"{function}({_keywords(self._arguments(call, function))})"
        constants = {name: plain.get(name, name) for name in given if _is_bound(name, plain, manner)}
        # Not `_bound`: an adapter may read what the function binds, also if it binds nothing.
        lines = self._compiling(_partial(function, constants))
        free = {name: plain.get(name, name) for name in given if name not in constants}
        return lines, f"compiled({_keywords(free)})"

    @property
    def _prepares(self) -> bool:
        """Whether what ``prepare`` returns is called.

        In a mode that compiles it is, and by an adapter without a target.toml, which may compile in its only mode.
        """
        is_file_alone = self.prepared.target.definition is None
        return (self.prepared.mode.compiled or is_file_alone) and self.source.defines("prepare")

    def _defining(self, call: ObservedCall, around: Around) -> list[str]:
        """The program around a call as a function of the script, unless it is defined already."""
        mappings = [each for each in self.case_result.mappings if each.target == self.case_result.target.id]
        text = in_framework(around.program, self._mapping(call), mappings, self.source).text
        lines = [] if text in self.defined else [f"\n\n{text}\n"]
        self.defined[:] = [text]
        return lines

    def _compiling(self, function: str) -> list[str]:
        """The line that compiles a function, unless it is compiled already."""
        expression = f"prepare({function}, {self.prepared.target.mode!r})"
        lines = [] if expression in self.compiled else [f"compiled = {expression}"]
        self.compiled[:] = [expression]
        return lines

    def _touched(self, call: ObservedCall, views: Mapping[str, View]) -> list[str]:
        """Variables to print because the call changed them or shares memory with them."""
        kinds = self.case_result.result.divergence
        names = {*call.changed, *call.aliased, self._mapping(call).in_place}
        touched = [name for name in call.tensors if name in names]
        buffers = [
            view.buffer for name, view in views.items() if any(one.access == "wrote" for one in call.outside_of(name))
        ]
        return [*(touched if "input-changed" in kinds or "aliased" in kinds else []), *buffers]

    def _shared(self, call: ObservedCall) -> Iterator[str]:
        """Statements that print which arguments share memory with the result, where that is the divergence."""
        if "aliased" not in self.case_result.result.divergence:
            return
        for name in call.aliased:
            arrays = f"{self.source.in_host_memory(call.name)}, {self.source.in_host_memory(name)}"
            yield f'print("{call.name} shares memory with {name}:", np.shares_memory({arrays}))'


def _names_of_results(call: ObservedCall) -> Sequence[str]:
    """What the results of a program are called, if there are several."""
    manner = call.call.call.manner
    names = manner.program.names_of_results if isinstance(manner, Around) else ()
    return names if len(names) > 1 else ()


def _bound(function: str, arguments: Mapping[str, str]) -> str:
    return _partial(function, arguments) if arguments else function


def _partial(function: str, arguments: Mapping[str, str]) -> str:
    return f"partial({', '.join(filter(None, (function, _keywords(arguments))))})"


def _transformed(call: ObservedCall, transform: Transform, function: str) -> str:
    """The call of the adapter's hook with a function of tensors; of a derivative, what comes with the result."""
    names = [name for name in call.tensors if name in call.call.call.arguments]
    given = f"dict({_keywords({name: name for name in names})})"
    match transform:
        case Batch():
            return f"vmap({function}, {given}, {_axes(transform)!r})"
        case Derivative():
            return f"{_derivative(function, given, transform)}[1]"
        case Nested(kind="vjp-vmap", derivative=derivative, batch=batch):
            batched = f"lambda **given: vmap({function}, given, {_axes(batch)!r})"
            return f"{_derivative(batched, given, derivative)}[1]"
        case Nested(derivative=derivative, batch=batch):
            seed = derivative.name_of_seed
            single = f"lambda {seed}, **given: {_derivative(function, 'given', derivative)}"
            axes = {**_axes(batch), seed: 0}
            return f"vmap({single}, dict({_keywords({name: name for name in (*names, seed)})}), {axes!r})[1]"
        case SecondDerivative(first=first, second=second):
            seed = first.name_of_seed
            inner = f"lambda {seed}, **given: {_derivative(function, 'given', first)}[1]"
            every = f"dict({_keywords({name: name for name in (*names, seed)})})"
            return f"{second.kind}({inner}, {every}, {second.of!r}, {transform.name_of_second_seed})[1]"


def _derivative(function: str, given: str, derivative: Derivative) -> str:
    return f"{derivative.kind}({function}, {given}, {derivative.of!r}, {derivative.name_of_seed})"


def _axes(batch: Batch) -> dict[str, int]:
    return dict.fromkeys(batch.stacks, 0 if batch.axis == "first" else -1)


def _keywords(arguments: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={text}" for name, text in arguments.items())

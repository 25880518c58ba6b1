"""Calls that a mode compiles many at once: one function with a line for each, of all their arguments, that returns all results.

Each call has memory of its own. The function is text, so that an error that names its line names a call.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Callable, Optional, Union

import numpy as np

from conformance.adapter import Api
from conformance.worker.adapters import Adapter
from conformance.worker.arguments import Arguments, is_tensor
from conformance.worker.arrays import Tensor
from conformance.worker.calls import NativeCall, Outcome, made_api, native_call, returned, run
from conformance.worker.generated import define, file_of, forget
from conformance.worker.manner import Manner
from conformance.worker.programs import names_of_results
from conformance.worker.transforms import is_derivative

NAME = "together"
"""The function that the text of a group defines."""
SEVERAL = 2
"""The number of lines that a compiler does not take, from which the others of a group are looked for without compiling all of it again."""
MOST_GROUPS = 4
"""Compiled groups to keep; one is made again right after it, if at all."""
_LITERALS = (int, float, complex, str, bool, type(None))
_LINE = re.compile(r'File "<(conformance_together_\w+)>", line (\d+)')
"""How an error names a line of the text, where it quotes a traceback."""


@dataclass(frozen=True)
class Member:
    """A call to make together with others."""

    api: Api
    arguments: Arguments
    manner: Manner


Made = tuple[Outcome, Optional[Tensor]]
"""The outcome of a call, and its result if it returned a tensor with values."""


class Groups:
    """The compiled groups of an adapter."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self._compiled: OrderedDict[str, _Compiled] = OrderedDict()

    def taken(self, members: Sequence[Member]) -> list[Union[bool, Outcome]]:
        """Whether each of these calls returns without being compiled; the outcome of one of which the API has no such form."""
        plain = replace(self.adapter, prepared=None)
        outcomes = [run(plain, one.api, one.arguments, one.manner._replace(passed={}))[0] for one in members]
        return [one if one["status"] == "unsupported" else one["status"] == "returned" for one in outcomes]

    def made(self, members: Sequence[Member]) -> tuple[list[Optional[Made]], int]:
        """What each of these calls does if they are made together, and how many of them were compiled: none if that fails.

        A call is None that is to be made alone, since it raises, or the compiler does not take its line.
        """
        made: list[Optional[Made]] = [None] * len(members)
        left = [number for number, member in enumerate(members) if _can_be_written(member)]
        refused = 0
        while left:
            try:
                for number, outcome in zip(left, self._at_once([members[number] for number in left])):  # noqa: B905
                    made[number] = outcome
            except _NotTaken as error:
                if error.place is None:
                    return made, 0
                del left[error.place]
                refused += 1
                if refused == SEVERAL:
                    left[error.place :] = self._taken_of([members[number] for number in left], left, error.place)
            else:
                break
        return made, len(left)

    def _taken_of(self, members: Sequence[Member], numbers: Sequence[int], start: int) -> list[int]:
        """The numbers of the calls from a place on whose lines the compiler takes.

        What follows a line that it does not take is compiled without what precedes the line, which it has come past: to compile the whole
        group again for each such line would take as long as making each call alone.
        """
        taken: list[int] = []
        while start < len(members):
            try:
                self._at_once(members[start:])
            except _NotTaken as error:
                if error.place is None:
                    break
                taken += numbers[start : start + error.place]
                start += error.place + 1
            else:
                break
        return [*taken, *numbers[start:]]

    def _at_once(self, members: Sequence[Member]) -> list[Optional[Made]]:
        """What the calls of a group do; _NotTaken if it cannot be compiled."""
        calls = self._native(members)
        compiled = self._of(calls)
        started = time.perf_counter()
        try:
            values = compiled(calls)
        except Exception as error:
            self._find(compiled, members, error)
            return [self._one_of(compiled, members, place) for place in range(len(members))]
        # Each took its part of the time, and reads its own result.
        each = (time.perf_counter() - started) / len(members)
        made: list[Optional[Made]] = [
            returned(self.adapter, call, value, time.perf_counter() - each)
            for call, value in zip(calls, values)  # noqa: B905 # not in Python 3.9
        ]
        for call in calls:
            call.clear_zones()
        return made

    def _find(self, compiled: _Compiled, members: Sequence[Member], error: Exception) -> None:
        """Return if a group that raised was compiled, so that arguments of a call are to blame; otherwise raise _NotTaken."""
        place = compiled.place_of(error)
        if place is not None:
            raise _NotTaken(place)
        try:
            compiled(self._native([_zeroed(member) for member in members]))
        except Exception as other:
            raise _NotTaken(compiled.place_of(other)) from None

    def _one_of(self, compiled: _Compiled, members: Sequence[Member], place: int) -> Optional[Made]:
        """What one call of a compiled group does, whose other arguments are zeros; None if it raises."""
        calls = self._native([one if number == place else _zeroed(one) for number, one in enumerate(members)])
        started = time.perf_counter()
        try:
            value = compiled(calls)[place]
        except Exception:
            return None
        return returned(self.adapter, calls[place], value, started)

    def _native(self, members: Sequence[Member]) -> list[NativeCall]:
        """The calls with tensors of their own; _NotTaken for one whose tensors cannot be created."""
        calls = []
        for place, member in enumerate(members):
            call = native_call(self.adapter, member.api, member.arguments, member.manner)
            if not isinstance(call, NativeCall):
                raise _NotTaken(place)
            calls.append(call)
        return calls

    def _of(self, calls: Sequence[NativeCall]) -> _Compiled:
        """The compiled function of a group; _NotTaken for a call that the target has not, such as a transform."""
        functions = []
        for place, call in enumerate(calls):
            try:
                functions.append(made_api(self.adapter, call).function)
            except Exception:
                raise _NotTaken(place) from None
        text = _Text(calls)
        key = text.key(calls, functions)
        if key not in self._compiled:
            try:
                self._compiled[key] = _Compiled(self.adapter, text, key, functions, calls)
            except Exception:  # of a mode that compiles a function before it is called
                forget(f"conformance_together_{key}")
                raise _NotTaken(None) from None
            if len(self._compiled) > MOST_GROUPS:
                self._compiled.popitem(last=False)[1].forget()
        self._compiled.move_to_end(key)
        return self._compiled[key]


class _NotTaken(Exception):
    """A group cannot be compiled; ``place`` is that of the call for which it cannot, if that is known."""

    def __init__(self, place: Optional[int]) -> None:
        super().__init__(place)
        self.place = place


class _Text:
    """The function of a group as text: ``r0 = f0(input=a0_input, dim=0, index=a0_index)`` for its first call."""

    def __init__(self, calls: Sequence[NativeCall]) -> None:
        self.counts = [_count(call.manner) for call in calls]
        free = ", ".join(_free(place, name) for place, call in enumerate(calls) for name in call.arguments
                         if not _is_literal_of(call, name))  # fmt: skip
        self.lines = [f"def {NAME}({free}):"]
        self.places: dict[int, int] = {}
        """By the number of a line, the place of its call."""
        results = []
        for place, (call, count) in enumerate(zip(calls, self.counts)):  # noqa: B905
            names = [f"r{place}"] if count == 1 else [f"r{place}_{number}" for number in range(count)]
            passed = ", ".join(f"{name}={_argument(place, call, name)}" for name in call.arguments)
            self.lines.append(f"    {', '.join(names)} = f{place}({passed})")
            self.places[len(self.lines)] = place
            results += names
        self.lines.append(f"    return ({', '.join(results)},)")

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"

    def key(self, calls: Sequence[NativeCall], functions: Sequence[Callable[..., Any]]) -> str:
        """What tells groups apart: calls of the same APIs with the same constants have the same function."""
        digest = hashlib.sha256(str(self).encode())
        for call, function in zip(calls, functions):  # noqa: B905
            named = (call.api.name, call.api.operation, call.manner.program, call.manner.transform, function.__module__)
            digest.update(repr((named, _data(call))).encode())
        return digest.hexdigest()[:16]


class _Compiled:
    """A group of calls as a mode compiles it."""

    def __init__(
        self,
        adapter: Adapter,
        text: _Text,
        key: str,
        functions: Sequence[Callable[..., Any]],
        calls: Sequence[NativeCall],
    ) -> None:
        self._text = text
        self._name = f"conformance_together_{key}"
        names: dict[str, Any] = {f"f{place}": function for place, function in enumerate(functions)}
        module = define(self._name, str(text), {**names, "inf": np.inf, "nan": np.nan})
        constants = {
            _free(place, name): call.native[name]
            for place, call in enumerate(calls)
            for name in call.tensors
            if call.manner.passed.get(name) == "constant"
        }
        assert adapter.prepared is not None
        self._function = adapter.prepared.together(partial(getattr(module, NAME), **constants))

    def __call__(self, calls: Sequence[NativeCall]) -> list[Any]:
        """What the calls return, of which a derivative returns two tensors."""
        given = {
            _free(place, name): call.native[name]
            for place, call in enumerate(calls)
            for name in call.arguments
            if _is_passed(call, name)
        }
        results = self._function(**given)
        # One more would give each call after it the result of another.
        if len(results) != sum(self._text.counts):
            raise TypeError(f"{len(results)} results instead of {sum(self._text.counts)}")
        flat = iter(results)
        return [next(flat) if count == 1 else tuple(next(flat) for _ in range(count)) for count in self._text.counts]

    def place_of(self, error: BaseException) -> Optional[int]:
        """The place of the call whose line an error names; None if it names none."""
        for each in _chain(error):
            trace = each.__traceback__
            while trace is not None:
                if trace.tb_frame.f_code.co_filename == file_of(self._name) and trace.tb_lineno in self._text.places:
                    return self._text.places[trace.tb_lineno]
                trace = trace.tb_next
            for name, line in _LINE.findall(str(each)):
                if name == self._name and int(line) in self._text.places:
                    return self._text.places[int(line)]
        return None

    def forget(self) -> None:
        """Take its module back."""
        forget(self._name)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error, and those that caused it."""
    seen: set[int] = set()
    each: Optional[BaseException] = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _zeroed(member: Member) -> Member:
    """The same call on zeros."""
    zeros = {
        name: (np.zeros_like(value[0]), value[1]) if is_tensor(value) else value
        for name, value in member.arguments.items()
    }
    return replace(member, arguments=zeros)


def _count(manner: Manner) -> int:
    """The number of tensors that a call returns: a derivative comes with the result of the call itself."""
    if manner.transform:
        return 2 if is_derivative(manner.transform) else 1
    return 1 if manner.program is None else len(names_of_results(manner.program))


def _free(place: int, name: str) -> str:
    return f"a{place}_{name}"


def _can_be_written(member: Member) -> bool:
    """Whether each argument that is no argument of the compiled function can be written in its text."""
    passed = member.manner.passed
    return all(
        is_tensor(value) or passed.get(name) == "argument" or _is_literal(value)
        for name, value in member.arguments.items()
    )


def _is_literal_of(call: NativeCall, name: str) -> bool:
    """Whether an argument is written in the text."""
    return name not in call.tensors and call.manner.passed.get(name) != "argument"


def _is_passed(call: NativeCall, name: str) -> bool:
    """Whether an argument is one of the compiled function."""
    return not _is_literal_of(call, name) and call.manner.passed.get(name) != "constant"


def _argument(place: int, call: NativeCall, name: str) -> str:
    return repr(call.arguments[name]) if _is_literal_of(call, name) else _free(place, name)


def _is_literal(value: Any) -> bool:
    """Whether a value can be written in a text."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_literal, value))
    return type(value) in _LITERALS


def _data(call: NativeCall) -> Mapping[str, Union[bytes, tuple[str, tuple[int, ...]]]]:
    """The values of the constants of a call, and the form of its other tensors."""
    return {
        name: array.tobytes() if call.manner.passed.get(name) == "constant" else (dtype, array.shape)
        for name, (array, dtype) in call.tensors.items()
    }

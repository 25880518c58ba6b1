"""Call an API and describe the outcome. The worker does not know the expected outcome."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from conformance.adapter import Abstract, Api, FellBack, NotExported, Unsupported
from conformance.worker.adapters import Adapter, AdapterError
from conformance.worker.arguments import Arguments, is_tensor
from conformance.worker.arrays import Tensor, same_bits
from conformance.worker.guards import read
from conformance.worker.manner import PLAIN, Manner
from conformance.worker.memcheck import Window, watched
from conformance.worker.programs import joined
from conformance.worker.raiser import raiser
from conformance.worker.transforms import calls_of, described, is_derivative, itself, stacked, transformed
from conformance.worker.views import BufferView, build, build_shared

Outcome = dict[str, Any]

MAX_WARNINGS = 5
MAX_MESSAGE_LENGTH = 2000
"""Characters of a message to keep."""


def run(adapter: Adapter, api: Api, arguments: Arguments, manner: Manner = PLAIN) -> tuple[Outcome, Optional[Tensor]]:
    """Return the outcome of a call, and its result if it returned a tensor with values."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return run_warned(adapter, api, arguments, manner, caught)


def run_warned(
    adapter: Adapter, api: Api, arguments: Arguments, manner: Manner, caught: list[warnings.WarningMessage]
) -> tuple[Outcome, Optional[Tensor]]:
    """As ``run``, with the list to which warnings are appended."""
    outcome, result = _run(adapter, api, arguments, manner)
    if outcome["status"] == "raised" and adapter.has_lost_device():
        outcome["lost"] = True
    if adapter.lacks_kernel(api):
        outcome = _without_kernel(outcome, adapter.device)
    if caught:
        outcome["warnings"] = _counted([message_of(warning.message) for warning in caught])
    return outcome, result


@dataclass(frozen=True)
class NativeCall:
    """A call with the framework's own tensors, before it is made."""

    api: Api
    arguments: Arguments
    manner: Manner
    tensors: Mapping[str, Tensor]
    """Those among the arguments, in host memory."""
    buffers: Mapping[str, BufferView]
    """Their memory."""
    native: Arguments
    """The arguments as the API gets them."""
    window: Optional[Window] = None
    """What watches the memory while it is made."""

    def clear_zones(self) -> None:
        """Overwrite the guard zones after the call, but those of constants, which a compiled function goes on reading."""
        if self.window is None:  # what watches memory takes a write for one by the framework
            for name, view in self.buffers.items():
                if self.manner.passed.get(name) != "constant":
                    view.guards.clear()


def native_call(adapter: Adapter, api: Api, arguments: Arguments, manner: Manner) -> Union[NativeCall, Outcome]:
    """A call whose tensors are created; if they cannot be, the outcome."""
    views = manner.views
    # An argument that is changed in place needs distinct elements, so it is not expanded.
    kinds = {name: kind for name, kind in views.items() if (name, kind) != (api.in_place, "expanded")} if views else {}
    tensors = {name: value for name, value in arguments.items() if is_tensor(value)}
    problem = adapter.conversions.first_problem(tensors, kinds)
    if problem is not None:
        return {"status": "unsupported", "reason": problem}
    native = dict(arguments)
    try:
        buffers = {
            name: build(array, kinds.get(name), place) for place, (name, (array, _)) in enumerate(tensors.items())
        }
        for name, (_, dtype) in tensors.items():
            native[name] = adapter.to_native(buffers[name].array, dtype)
        if manner.shares is not None:
            shared = _shared(adapter, arguments, *manner.shares)
            if shared is None:
                return {"status": "unsupported", "reason": "no part of a tensor shares memory with another part here"}
            native.update(shared[0])
            buffers.update(shared[1])
    except Exception as error:
        return _raised(error, "arguments")
    return NativeCall(api, arguments, manner, tensors, buffers, native, watched(buffers))


def _shared(
    adapter: Adapter, arguments: Arguments, changed: str, other: str, shift: int
) -> Optional[tuple[Arguments, dict[str, BufferView]]]:
    """Two native arguments that are parts of one tensor, as a framework may look for that, and the view of the one that changes.

    None if the framework copies parts, or one of them has been cast to another dtype.
    """
    (first, dtype), (second, of_second) = arguments[changed], arguments[other]
    if dtype != of_second:
        return None
    buffer = build_shared(first, second, shift)
    whole = adapter.to_native(buffer.base, dtype)
    one, two = (whole[part].reshape(array.shape) for part, array in zip(buffer.parts, (first, second)))  # noqa: B905
    if not np.shares_memory(adapter.host_value(one)[0], adapter.host_value(two)[0]):
        return None
    return {changed: one, other: two}, {changed: buffer.view(0, first.shape)}


def _run(adapter: Adapter, api: Api, arguments: Arguments, manner: Manner) -> tuple[Outcome, Optional[Tensor]]:
    call = native_call(adapter, api, arguments, manner)
    if not isinstance(call, NativeCall):
        return call, None
    try:
        return _made(adapter, call)
    finally:
        call.clear_zones()


def _made(adapter: Adapter, call: NativeCall) -> tuple[Outcome, Optional[Tensor]]:
    """The outcome of a call, and its result if that is a tensor with values."""
    started = time.perf_counter()
    try:
        value = adapter.call(made_api(adapter, call), call.native, call.tensors, call.manner.passed)
    except (Unsupported, NotExported) as reason:
        status = "unsupported" if isinstance(reason, Unsupported) else "not-exported"
        return {"status": status, "reason": message_of(reason)}, None
    except Exception as error:
        raised = _failed(error, started, adapter, call.api, call.arguments, call.manner)
        return {**raised, **_left(adapter, call)}, None
    return returned(adapter, call, value, started)


def made_api(adapter: Adapter, call: NativeCall) -> Api:
    """The API with a function that does what the call asks for: with a program around it, or a transform of it."""
    called = _around(adapter, call.api, call.manner)
    if not call.manner.transform:
        return called
    return transformed(called, adapter.namespace, call.manner.transform, call.tensors)


def _around(adapter: Adapter, api: Api, manner: Manner) -> Api:
    """The API with the program around it that the call asks for."""
    return api if manner.program is None else adapter.around(api, manner.program)


def returned(adapter: Adapter, call: NativeCall, value: Any, started: float) -> tuple[Outcome, Optional[Tensor]]:
    """The outcome of a call that returned this value, and its result if that is a tensor with values.

    started: when it was made, of ``time.perf_counter``.
    """
    forward = None
    try:
        if is_derivative(call.manner.transform):
            forward, value = _of_derivative(adapter, value)
        result, parts = _results(adapter, value, call.manner)
        if call.window is not None:
            call.window.end()
        seconds = time.perf_counter() - started
        if isinstance(result, Abstract):
            return _abstract(result, seconds), None
        doubt = adapter.conversions.doubt(result)
        if doubt is not None:
            return {"status": "unsupported", "reason": doubt}, None
        after = [(name, before, adapter.host_value(call.native[name])) for name, before in call.tensors.items()]
        effects = _effects(after, result, call.manner)
        outcome = {**effects, **_forward(adapter, call.api, call.arguments, call.manner, forward)}
    except Exception as error:
        return {**_raised(error, "result", started), **_left(adapter, call)}, None
    outcome = {"status": "returned", "seconds": seconds, **outcome, **({"parts": parts} if parts else {})}
    outside = [*_written(call), *_read(call, result)]
    if outside:
        outcome["outside"] = outside
    return outcome, result if result[0].flags.c_contiguous else (result[0].copy(), result[1])


def _of_derivative(adapter: Adapter, value: Any) -> tuple[Any, Any]:
    """The result of the call itself, and its derivative, from what a hook returned."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise AdapterError(f"{adapter.path}: a hook returned {type(value).__name__} instead of two tensors")
    forward, derivative = value
    return forward, derivative


def _results(adapter: Adapter, value: Any, manner: Manner) -> tuple[Union[Tensor, Abstract], list[dict[str, Any]]]:
    """A native result in host memory; those of a program that returns several are joined, with what each of them is."""
    if manner.program is None or not isinstance(value, (tuple, list)):
        return adapter.host_result(value), []
    return joined([adapter.host_result(each) for each in value], manner.program)


def _effects(after: list[tuple[str, Tensor, Tensor]], result: Tensor, manner: Manner) -> Outcome:
    """What a call did to the memory of its arguments, each with its name, as it was before and as it is now."""
    changed = [name for name, before, tensor in after if not _same(tensor, before)]
    if manner.transform:  # a derivative may be the cotangent itself
        return {"changed": changed, "aliased": []}
    return {"changed": changed, "aliased": [name for name, _, one in after if np.shares_memory(one[0], result[0])]}


def _forward(adapter: Adapter, api: Api, arguments: Arguments, manner: Manner, forward: Any) -> Outcome:
    """The result of the call itself of which a transform was computed; of a batch those of single calls, if they return."""
    if not manner.transform:
        return {}
    if forward is not None:
        return {"forward": described(adapter.host_value(forward))}
    singles = _computed_singly(adapter, api, arguments, manner)
    return {} if singles is None or isinstance(singles, Abstract) else {"forward": described(singles)}


def _failed(
    error: Exception, started: float, adapter: Adapter, api: Api, arguments: Arguments, manner: Manner
) -> Outcome:
    """The outcome of a call that raised."""
    if manner.transform:
        return _with_forward(_raised(error, "call", started), adapter, api, arguments, manner)
    return _raised(error, "call", started, raiser(error, api, adapter.path, arguments))


def _with_forward(raised: Outcome, adapter: Adapter, api: Api, arguments: Arguments, manner: Manner) -> Outcome:
    """The error of a transform with the result of the call itself; if that raises too, the error is not the transform's."""
    result = _computed_singly(adapter, api, arguments, manner)
    if result is None:
        return {**raised, "error": {**raised["error"], "phase": "forward"}}
    return raised if isinstance(result, Abstract) else {**raised, "forward": described(result)}


def _computed_singly(adapter: Adapter, api: Api, arguments: Arguments, manner: Manner) -> Union[Tensor, Abstract, None]:
    """The result of the call itself of which a transform is computed, or those of a batch; None if such a call raises."""
    results: list[Tensor] = []
    try:
        api = _around(adapter, api, manner)
        for own in calls_of(manner.transform, arguments):
            tensors = {name: value for name, value in own.items() if is_tensor(value)}
            native = {name: adapter.to_native(np.array(array), dtype) for name, (array, dtype) in tensors.items()}
            called = itself(api, adapter.namespace, manner.transform, tensors)
            result = adapter.host_result(adapter.call(called, {**own, **native}, tensors))
            if isinstance(result, Abstract):
                return result
            results.append((np.array(result[0]), result[1]))
        return stacked(manner.transform, results)
    except Exception:
        return None


def failure(adapter: Adapter, api: Api, arguments: Arguments) -> Optional[dict[str, str]]:
    """Why a call does not return, as its ``error`` and its ``traceback``; None if it does, or has no such form.

    An AdapterError is not one: it names the mistake, and a run ends with it.
    """
    try:
        tensors = {name: value for name, value in arguments.items() if is_tensor(value)}
        native = {name: adapter.to_native(np.array(array), dtype) for name, (array, dtype) in tensors.items()}
        adapter.host_result(adapter.call(api, {**arguments, **native}, tensors))
    except (Unsupported, NotExported, AdapterError):
        return None
    except Exception as error:
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-6:])
        return {"error": f"{type(error).__name__}: {message_of(error)}", "traceback": trace}
    return None


def _left(adapter: Adapter, call: NativeCall) -> Outcome:
    """What a call that raised left of its arguments; empty if they cannot be read."""
    if call.window is not None:
        call.window.end()
    try:
        host = {name: adapter.host_value(call.native[name]) for name in call.tensors}
    except Exception:
        return {}
    changed = [name for name, tensor in host.items() if not _same(tensor, call.arguments[name])]
    in_place = call.api.in_place
    left: Outcome = {}
    if in_place in host:
        left["in_place"] = "written" if in_place in changed else "unchanged"
    left["changed"] = [name for name in changed if name != in_place]
    outside = _written(call)
    if outside:
        left["outside"] = outside
    return left


def _written(call: NativeCall) -> list[dict[str, Any]]:
    """Where the call wrote outside of its arguments, next to each; if its memory was watched, all that was seen."""
    if call.window is not None:
        return call.window.end()
    return [
        {"argument": name, "access": "wrote", "distance": distance}
        for name, view in call.buffers.items()
        for distance in view.written()
    ]


def _read(call: NativeCall, result: Tensor) -> list[dict[str, Any]]:
    """The guard zones whose contents the result shows; if memory is watched, what of the result nobody wrote."""
    if call.window is not None:
        return call.window.unwritten(result[0])
    guards = [(name, view.guards) for name, view in call.buffers.items()]
    known = [array for array, _ in call.tensors.values()]
    return [
        {"argument": name, "access": "read", "distance": distance} for name, distance in read(result[0], guards, known)
    ]


def _abstract(result: Abstract, seconds: float) -> Outcome:
    """The outcome of a call that computed no values; without memory, nothing can be changed or aliased."""
    tensor = {"dtype": result.dtype, "shape": list(result.shape), "abstract": True}
    return {"status": "returned", "seconds": seconds, "changed": [], "aliased": [], **tensor}


def _same(left: Tensor, right: Tensor) -> bool:
    return left[1] == right[1] and left[0].shape == right[0].shape and same_bits(left[0], right[0])


def _raised(error: Exception, phase: str, started: Optional[float] = None, by: Optional[str] = None) -> Outcome:
    kind = type(error)
    module = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "."
    description: dict[str, Any] = {
        "type": kind.__name__,
        "module": module.rstrip("."),
        "message": message_of(error),
        "phase": phase,
    }
    # Include base classes, so that a subclass of a documented ValueError conforms too.
    description["bases"] = [base.__name__ for base in kind.__mro__ if base not in (object, BaseException)]
    if by is not None:
        description["by"] = by
    if isinstance(error, (AdapterError, FellBack)):
        description["fault"] = "adapter"
    seconds = 0.0 if started is None else time.perf_counter() - started
    return {"status": "raised", "error": description, "seconds": seconds}


def message_of(error: Any) -> str:
    """The text of an exception, which may fail to give one; of a long one the first words."""
    try:
        text = str(error)
        if len(text) <= MAX_MESSAGE_LENGTH:
            return text
        # Whole words only: no folder is recognized in the beginning of its path.
        return (text[:MAX_MESSAGE_LENGTH].rsplit(None, 1) or [""])[0]
    except Exception as other:  # of its own __str__
        return f"(no message: {type(other).__name__} in {type(error).__name__}.__str__)"


def _without_kernel(outcome: Outcome, device: str) -> Outcome:
    """An error of the framework as the lack of a kernel; anything else happened although it should have none."""
    if outcome["status"] != "raised" or "fault" in outcome["error"] or outcome["error"]["phase"] == "arguments":
        return outcome
    error = outcome["error"]
    message = (error["message"].strip().splitlines() or [""])[0]
    return {"status": "unsupported", "reason": f"no kernel on {device}: {error['type']}: {message}"}


def _counted(texts: list[str]) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    return [{"text": text, "count": count} for text, count in list(counts.items())[:MAX_WARNINGS]]

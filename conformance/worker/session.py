"""Serve requests, on standard input and output or two other streams: first a start, then calls until the pipe is closed."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any, BinaryIO, Optional

import numpy as np

from conformance.adapter import Api, hooks_of
from conformance.worker import adapters, arguments, arrays, callables, calls, documentation, frames, steps, variants
from conformance.worker.conversions import Form, untested
from conformance.worker.frames import Message
from conformance.worker.keys import keyed
from conformance.worker.manner import Manner
from conformance.worker.processes import stay_on_this_core
from conformance.worker.together import Groups, Member
from conformance.worker.warning_log import WarningLog

_HEAD = "Traceback (most recent call last):\n"


def serve_standard_streams(loaded: Optional[adapters.Adapter] = None) -> None:
    """Serve on standard input and output until the input ends.

    The descriptors of both are reserved for the protocol and replaced by the null device and standard error, before a
    framework can print to them.

    loaded: the adapter if it was loaded already.
    """
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.dup2(2, 1)
    serve(requests, replies, loaded)


def serve(requests: BinaryIO, replies: BinaryIO, loaded: Optional[adapters.Adapter] = None) -> None:
    """Answer each request with a frame that has its number, in order, until the stream ends.

    loaded: the adapter if it was loaded already.
    """
    adapter = loaded
    groups = Groups(adapter) if adapter is not None else None
    log = WarningLog()
    process = os.getpid()
    while True:
        frame = frames.read(requests)
        if frame is None:
            return
        number, message, body = frame
        if message["type"] in ("call", "uncompiled"):
            assert adapter is not None, "a call before start"
            by = adapter if message["type"] == "call" else replace(adapter, prepared=None)
            header, result = _call(by, message, body, log)
        elif message["type"] in ("together", "taken"):
            assert groups is not None, "calls before start"
            log.restart()
            members = _members(groups, message, body)
            header, result = _together(groups, members) if message["type"] == "together" else _taken(groups, members)
        elif message["type"] == "start":
            ready, adapter = _start(message, loaded)
            groups = Groups(adapter) if adapter is not None else None
            header, result = _encoded(ready)
        elif message["type"] == "try":
            assert adapter is not None, "a call before start"
            header, result = _encoded({"type": "tried", "failure": _failure(adapter, message, body)})
        elif message["type"] == "step":
            assert adapter is not None, "a call before start"
            header, result = _encoded({"type": "step", "step": _step(adapter, message, body)})
        else:
            assert adapter is not None, f"{message['type']} before start"
            header, result = _encoded(_about_framework(adapter, message))
        if os.getpid() != process:
            os._exit(0)  # a call forked and returned in this child, too; the worker itself replies
        replies.write(frames.frame(number, header, result))
        replies.flush()


def _about_framework(adapter: adapters.Adapter, message: Message) -> Message:
    """The reply to a request that calls no API."""
    if message["type"] == "documentation":
        return {
            "type": "documentation",
            "texts": documentation.documentation(adapter.namespace, message["names"]),
        }
    if message["type"] == "unmapped":
        own = [api.name for api in adapter.apis]
        return {"type": "unmapped", "callables": callables.unmapped(adapter.namespace, own, message["mapped"])}
    if message["type"] == "variants":
        own = [api.name for api in adapter.apis]
        return {"type": "variants", "names": variants.variants(adapter.namespace, own, message["words"])}
    if message["type"] == "example":
        return {"type": "example", "statements": documentation.run_example(adapter.namespace, message["sources"])}
    return {"type": "recompiled", "compiled": adapter.recompile()}


def _start(message: Message, loaded: Optional[adapters.Adapter]) -> tuple[Message, Optional[adapters.Adapter]]:
    try:
        if message.get("one_core"):
            stay_on_this_core()
        adapter = (loaded or adapters.load(message["adapter"], message["mode"])).on(message["device"])
        adapter.setup(message["device"], message["mode"])
        if message.get("creates_tensor"):
            _check_tensors(adapter)
        known = message.get("problems")
        if known is not None:
            adapter.conversions.adopt({Form(*form): problem for form, problem in known})
            return {"type": "ready"}, adapter
        about = _about(adapter)
        failure = adapter.conversions.common_failure()
        if failure is not None:
            reason = f"{adapter.path}: no array can be converted with to_native and read again with to_numpy"
            return {"type": "failed", "error": reason, "traceback": failure}, None
        problems = adapter.conversions.problems()
    except Exception as error:
        if isinstance(error, adapters.AdapterError) or _is_raised_by(message["adapter"], error):
            return {"type": "failed", "error": str(error), "traceback": ""}, None
        trace = _from_adapter(error, message["adapter"])
        return {"type": "failed", "error": f"{type(error).__name__}: {error}", "traceback": trace}, None
    ready = {"type": "ready", "about": about, "apis": _apis(adapter), **_platform()}
    ready["unconverted"], ready["problems"] = untested(problems), [*problems.items()]
    ready["guarded"] = adapter.conversions.guarded()
    ready["hooks"] = {name: list(objects) for name, objects in hooks_of(adapter.namespace).items()}
    ready["modules"] = adapters.own_modules(adapter)
    return ready, adapter


def _about(adapter: adapters.Adapter) -> dict[str, Any]:
    about = adapter.describe()
    if not isinstance(about, dict):
        raise adapters.AdapterError(f"{adapter.path}: describe() returned {type(about).__name__} instead of a dict")
    for name in ("framework", "version"):
        if not isinstance(about.get(name, ""), (str, type(None))):
            raise adapters.AdapterError(f"{adapter.path}: {name} in describe() is {about[name]!r}; expected a text")
    return {
        "framework": about.get("framework"),
        "version": about.get("version"),
        "immutable": bool(about.get("immutable")),
    }


def _check_tensors(adapter: adapters.Adapter) -> None:
    if not adapter.can_create_tensors():
        raise adapters.AdapterError("no tensor can be created and read")


def _is_raised_by(adapter: str, error: Exception) -> bool:
    """Whether an adapter itself raised the error to report a problem, so that its message suffices."""
    file = traceback.extract_tb(error.__traceback__)[-1].filename
    return type(error) in (RuntimeError, ValueError) and file == adapter


def _apis(adapter: adapters.Adapter) -> list[dict[str, Any]]:
    return [
        {
            "name": api.name,
            "operation": api.operation,
            "composed": api.composed,
            "in_place": api.in_place,
            "follows": api.follows,
            "index_dtypes": list(api.index_dtypes),
            "dtypes": list(api.dtypes),
            "helpers": api.helpers,
            "devices": list(api.devices),
            "documentation": list(api.documented_by()),
            "lacks_kernel": adapter.lacks_kernel(api),
            "source": adapters.source_of(api),
        }
        for api in adapter.apis
    ]


def _platform() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "executable": sys.executable,
        "os": platform.system(),
        "arch": platform.machine(),
        "cpu": _cpu_features(),
    }


def _cpu_features() -> list[str]:
    """The features of the processor that NumPy found; none if this NumPy does not tell."""
    for module in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        try:
            found = import_module(module).__cpu_features__
        except (AttributeError, ImportError):
            continue
        return sorted(name for name, present in found.items() if present)
    return []


def _encoded(reply: Message) -> tuple[bytes, bytes]:
    """The header and the body of a reply without arrays."""
    return frames.text(reply).encode(), b""


def _asked(adapter: adapters.Adapter, message: Message, body: bytes) -> tuple[Api, arguments.Arguments]:
    """The API and the arguments of the call that a message asks for."""
    values = arguments.decode(message["arguments"], body)
    return keyed(adapter.api(message["api"], message["operation"]), values)


def _call(adapter: adapters.Adapter, message: Message, body: bytes, log: WarningLog) -> tuple[bytes, bytes]:
    """The header and the body of the reply to a call."""
    api, values = _asked(adapter, message, body)
    outcome, result = calls.run_warned(adapter, api, values, Manner.of(message), log.restart())
    seconds = frames.SECONDS.pack(outcome.pop("seconds", 0.0))
    if result is None:
        return frames.text({"type": "outcome", "outcome": outcome}).encode(), seconds
    entry, body = arrays.pack(result)
    return _header(outcome, entry), body + seconds


def _members(groups: Groups, message: Message, body: bytes) -> list[Member]:
    members, start = [], 0
    for each in message["members"]:
        api, values = _asked(groups.adapter, each, body[start : start + each["bytes"]])
        members.append(Member(api, values, Manner.of(each)))
        start += each["bytes"]
    return members


def _taken(groups: Groups, members: list[Member]) -> tuple[bytes, bytes]:
    """The reply to the question which calls return without being compiled."""
    taken = groups.taken(members)
    return _encoded({"type": "taken", "taken": taken, "lost": groups.adapter.has_lost_device()})


def _together(groups: Groups, members: list[Member]) -> tuple[bytes, bytes]:
    """The header and the body of the reply to calls that are made together; what they warn of is not known for each."""
    made, compiled = groups.made(members)
    lost = groups.adapter.has_lost_device()
    if lost:
        made, compiled = [None] * len(members), 0
    described = [None if one is None else _described(*one) for one in made]
    replies = [None if one is None else one[0] for one in described]
    return (
        frames.text({"type": "together", "compiled": compiled, "members": replies, "lost": lost}).encode(),
        b"".join(one[1] for one in described if one is not None),
    )


def _described(outcome: calls.Outcome, result: Optional[arrays.Tensor]) -> tuple[Message, bytes]:
    """A reply to one of several calls, which says how long its part of the body is, and that part."""
    seconds = frames.SECONDS.pack(outcome.pop("seconds", 0.0))
    reply: Message = {"type": "outcome", "outcome": outcome}
    body = b""
    if result is not None:
        reply["result"], body = arrays.pack(result)
    return {**reply, "bytes": len(body) + len(seconds)}, body + seconds


def _from_adapter(error: BaseException, path: str) -> str:
    """The end of a traceback, without its head, the frames before the adapter's own and the line that names the error.

    Without any frame if the adapter's file cannot be compiled.
    """
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != path:
        frames = frames.tb_next
    if frames is None and not isinstance(error, SyntaxError):
        frames = error.__traceback__
    parts = traceback.format_exception(type(error), error, frames)
    said = traceback.format_exception_only(type(error), error)
    named = next((part for part in said if not part.startswith(" ")), None)
    return "".join([part for part in parts if part not in (_HEAD, named)][-5:])


def _failure(adapter: adapters.Adapter, message: Message, body: bytes) -> Optional[dict[str, str]]:
    """The error of a call with its traceback; None if it returned, or the API has no such form."""
    return calls.failure(adapter, *_asked(adapter, message, body))


def _step(adapter: adapters.Adapter, message: Message, body: bytes) -> Optional[str]:
    return steps.step(adapter, *_asked(adapter, message, body), Manner.of(message))


def _header(outcome: calls.Outcome, result: Message) -> bytes:
    if outcome.keys() == _USUAL and result.keys() == _DENSE:
        return _usual_header(
            tuple(outcome["changed"]), tuple(outcome["aliased"]), result["dtype"], tuple(result["shape"])
        )
    return frames.text({"type": "outcome", "outcome": outcome, "result": result}).encode()


_USUAL = {"status", "changed", "aliased"}
_DENSE = {"dtype", "shape"}


@lru_cache(maxsize=256)
def _usual_header(changed: tuple[str, ...], aliased: tuple[str, ...], dtype: str, shape: tuple[int, ...]) -> bytes:
    outcome = {"status": "returned", "changed": changed, "aliased": aliased}
    return frames.text({"type": "outcome", "outcome": outcome, "result": {"dtype": dtype, "shape": shape}}).encode()

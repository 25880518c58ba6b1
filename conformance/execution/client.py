"""Makes calls to a target over a worker, which is replaced at the next call if it ends."""

from __future__ import annotations

import reprlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, get_args

from conformance.cases.model import ApiCall
from conformance.cases.wire import manner_of, to_wire
from conformance.environments.errors import TargetBlocked
from conformance.execution.announced import Announced
from conformance.judging.vocabulary import Step
from conformance.outcomes.model import Died, Hung, Outcome, Raised, Returned, Unsupported
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import (
    Clean,
    InvalidReply,
    escaped,
    forward_of,
    outcome_and_result,
    outcome_of,
    without_duration,
)
from conformance.processes.process import Reply, WorkerEnded, WorkerProcess
from conformance.processes.worker_starter import WorkerStarter
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.worker import arguments, frames
from conformance.worker.frames import Message


def without_paths(*, worker: Path, environment: Path, adapter: Path) -> Clean:
    """A function that replaces three folders by names, and escapes characters that UTF-8 cannot encode."""
    names = {str(worker): "<worker>", str(environment): "<environment>", str(adapter): "<adapter>"}
    folders = [folder for folder in sorted(names, key=len, reverse=True) if len(Path(folder).parts) > 2]

    def clean(text: str) -> str:
        for folder in folders:
            text = text.replace(folder, names[folder])
        # The paths in TensorFlow's stack traces lack their leading slash.
        text = text.replace(str(worker).lstrip("/"), "<worker>")
        return escaped(text)

    return clean


MOST_ENDINGS = 50
"""Maximum number of workers in a row that may end without answering a call, if a new process costs little: the derivatives and
batches of a call that ends the process may follow each other, on several APIs."""
MOST_ENDINGS_IF_SLOW = 5
"""The same, if a new process has to import the framework."""


_CACHED = 16
"""Number of calls and of replies to cache."""
_LARGEST_CACHED = 4096
"""Maximum size of the result of a cached reply, in bytes."""


class GaveUp(Exception):
    """Too many workers in a row ended."""


class Stopped(Exception):
    """The run was stopped from another thread."""


@dataclass(frozen=True)
class MadeTogether:
    """What was observed of calls that were compiled at once."""

    observations: Sequence[Observation | None]
    """That of each call; None for one that is to be made alone."""
    compiled: int
    """The number of calls that were compiled at once; 0 if it is not known which of them cannot be."""
    lost: bool = False
    """Whether one of them made the worker lose its device."""


class CurrentCall(NamedTuple):
    """A call whose reply is being waited for."""

    call: ApiCall
    since: float
    """The time of ``time.monotonic`` when it was made."""


class Client:
    """A client of worker processes, one at a time, each of which makes many calls."""

    def __init__(
        self, starter: WorkerStarter, limit: float, before_call: Callable[[ApiCall], None] | None = None
    ) -> None:
        """limit: maximum number of seconds per call. before_call: as in a plan."""
        self._before_call = before_call
        self._starter = starter
        prepared, worker = starter.prepared, starter.script.parent
        environment, adapter = prepared.python.parent.parent, prepared.target.adapter.parent
        self._clean = without_paths(worker=worker, environment=environment, adapter=adapter)
        # cached since most APIs of a case give the same reply
        self._read_cached = lru_cache(maxsize=_CACHED)(self._read)
        self.limit = limit
        """Maximum number of seconds per call."""
        self._compile_limit = prepared.compile_limit
        self._is_path = prepared.mode.path
        self._compiles = prepared.mode.compiled and not prepared.mode.path
        self._worker: WorkerProcess | None = None
        self._endings = 0
        self._stopped = False
        self._announced = Announced()
        self._lost_in: tuple[str, str] | None = None
        """The case and API whose call made the worker lose its device: its remaining calls run there, and no others."""
        self.memory: int | None = None
        """The largest peak memory of the workers that have ended, in bytes; None if the system does not report it."""
        self.worker_calls: list[ApiCall] = []
        """The calls of the current or last worker; each worker has its own list."""
        self._current: CurrentCall | None = None
        self._others: list[Client] = []
        """Clients that end with this one."""
        self._waited = 0.0
        """Seconds for which its own workers hung."""

    @property
    def restarts_fast(self) -> bool:
        """Whether a new worker costs little, since it is forked."""
        return self._starter.forks

    @property
    def is_fresh(self) -> bool:
        """Whether the next call is the first of its worker."""
        return self._worker is None

    @property
    def waited(self) -> float:
        """Seconds for which it and its others waited for workers that hung, whatever these were asked."""
        return self._waited + sum(other.waited for other in tuple(self._others))

    def current_calls(self) -> Iterator[CurrentCall]:
        """The calls whose replies it and its others wait for at the moment; may be asked from another thread."""
        current = self._current
        if current is not None:
            yield current
        for other in self._others:
            yield from other.current_calls()

    def others(self, number: int) -> Sequence[Client]:
        """Clients with workers of their own, for calls at the same time; the same ones each time, and stopped with this one.

        It is empty if workers start slowly, or if each call is announced before it is made, and so is the only one.
        """
        if not self.restarts_fast or self._before_call is not None:
            return []
        missing = number - len(self._others)
        self._others += [Client(self._starter, self.limit) for _ in range(missing)]
        if self._stopped:  # perhaps before it knew them
            self.stop()
        return self._others[:number]

    def start(self) -> Message:
        """Start a worker, and return its description; TargetBlocked if the adapter does not start."""
        if self._stopped:
            raise Stopped
        if self._endings >= (MOST_ENDINGS if self.restarts_fast else MOST_ENDINGS_IF_SLOW):
            raise GaveUp(f"not run: {self._endings} workers in a row ended without answering a call")
        self.worker_calls = []
        while True:
            worker = None
            try:
                worker = self._worker = self._starter.launch()
                if self._stopped:  # since the check above, by another thread, which had no worker to end
                    self.close()
                    raise Stopped
                return self._starter.initialize(worker)
            except TargetBlocked as error:
                self.close()
                if self._stopped:
                    raise Stopped from None
                if worker is None or not self._starter.starts_another(worker, str(error)):
                    raise

    def call(self, call: ApiCall) -> Observation:
        """Make a call; the end of the worker is an outcome too. GaveUp if too many workers in a row ended."""
        if self._lost_in not in (None, (call.case, call.api)):
            self.close()
        announced = self._announced.take(call)
        if not announced:
            self._drop_announced()
        is_first = self._worker is None
        if is_first:
            self.start()
        assert self._worker is not None
        self.worker_calls.append(call)
        if self._before_call is not None:
            self._before_call(call)
        try:
            self._send(b"" if announced else frame_of(call))
            if is_first:
                self._starter.begin_next()  # while this worker computes
            limit = self.limit + self._compile_limit
            self._current = CurrentCall(call, time.monotonic())
            observation = self._worker.receive(limit, self._observation, self._announced.pause)
        except WorkerEnded as ended:
            if self._stopped:
                raise Stopped from None
            self._note_hang(ended)
            self._forget_worker()
            self._announced.send_again()
            self._endings += 1
            return Observation(replace(ended.outcome, stderr=self._clean(ended.outcome.stderr)))
        finally:
            self._current = None
        self._endings = 0
        self._announced.note(observation.seconds)
        if _needs_new_worker(observation.outcome):
            self._lost_in = call.case, call.api
        return observation

    def together(self, calls: Sequence[ApiCall]) -> MadeTogether | Died | Hung:
        """Make calls that are compiled at once. GaveUp as of ``call``."""
        self._idle_worker()  # whose calls they are
        self.worker_calls.extend(calls)
        made = self._of_several("together", calls, self._made_together)
        if isinstance(made, MadeTogether) and len(made.observations) != len(calls):
            raise _invalid("together", "members", len(made.observations))
        if isinstance(made, MadeTogether) and made.lost:
            self.close()
        return made

    def taken(self, calls: Sequence[ApiCall]) -> Sequence[bool | Observation]:
        """Whether each of these calls returns without being compiled; none does if one of them ends the worker or loses its device.

        Of a call of which the API has no such form, that is observed: it depends on the arguments only.
        """
        reply = self._of_several("taken", calls, _header)
        if isinstance(reply, Died | Hung):
            return [False] * len(calls)
        if reply.get("lost") is True:
            self.close()
            return [False] * len(calls)
        taken = reply.get("taken")
        if not isinstance(taken, list) or len(taken) != len(calls):
            raise _invalid("taken", "taken", taken)
        return [one if isinstance(one, bool) else self._unsupported(one) for one in taken]

    def _unsupported(self, outcome: object) -> Observation:
        try:
            observation = Observation(outcome_of(outcome if isinstance(outcome, dict) else {}, None, self._clean))
        except InvalidReply:
            raise _invalid("taken", "taken", outcome) from None
        if not isinstance(observation.outcome, Unsupported):
            raise _invalid("taken", "taken", outcome)
        return observation

    def _of_several(
        self, kind: str, calls: Sequence[ApiCall], decode: Callable[[bytes, bytes], Reply]
    ) -> Reply | Died | Hung:
        """The decoded reply to a request of a kind about several calls, or how it ended the worker."""
        worker = self._idle_worker()
        self._current = CurrentCall(calls[0], time.monotonic())
        try:
            worker.send(frame_of_several(calls, kind), self.limit)
            reply = worker.receive(self.limit + self._compile_limit, decode)
        except WorkerEnded as ended:
            if self._stopped:
                raise Stopped from None
            # Not counted: what is made alone, or in a smaller group, after it is.
            self._lose_worker(ended)
            return ended.outcome
        finally:
            self._current = None
        self._endings = 0
        return reply

    def _made_together(self, header: bytes, body: bytes) -> MadeTogether:
        """What a reply describes; ValueError if it is invalid."""
        reply = frames.parse(header)
        if reply.get("type") != "together" or type(reply.get("compiled")) is not int:
            raise InvalidReply("not the reply to several calls")
        observations: list[Observation | None] = []
        start = 0
        for member in _members(reply):
            if member is None:
                observations.append(None)
                continue
            result, seconds = without_duration(body[start : start + member["bytes"]])
            start += member["bytes"]
            outcome, value = outcome_and_result(member, result, self._clean)
            observations.append(Observation(outcome, value, seconds, forward=forward_of(member)))
        return MadeTogether(observations, reply["compiled"], reply.get("lost") is True)

    def _observation(self, header: bytes, body: bytes) -> Observation:
        """The observation that a reply describes; ValueError if it is invalid."""
        result, seconds = without_duration(body)
        read = self._read_cached if len(result) <= _LARGEST_CACHED else self._read
        outcome, value, forward = read(header, result)
        return Observation(outcome, value, seconds, forward=forward)

    def _read(self, header: bytes, body: bytes) -> tuple[Outcome, Tensor | None, Tensor | None]:
        reply = frames.parse(header)
        return *outcome_and_result(reply, body, self._clean), forward_of(reply)

    def recompile(self) -> bool:
        """Discard the worker's compiled code; False if there is none.

        An error may damage only compiled code, and a new worker takes many times as long.
        """
        self._drop_announced()
        if self._worker is None:
            return False
        try:
            reply = self._worker.request({"type": "recompile"}, self.limit)
        except WorkerEnded as ended:
            self._lose_worker(ended)
            return False
        self.worker_calls = []
        return reply.get("compiled") is True

    def _idle_worker(self) -> WorkerProcess:
        """A worker that has answered all requests."""
        self._drop_announced()
        if self._worker is None:
            self.start()
        assert self._worker is not None
        return self._worker

    def documentation(self, names: Sequence[str]) -> Mapping[str, Message]:
        """By the dotted name of an object, the ``text`` of its documentation, or the ``problem`` that it has."""
        worker = self._idle_worker()
        try:
            reply = worker.request({"type": "documentation", "names": list(names)}, self.limit)
        except WorkerEnded as ended:
            self._lose_worker(ended)
            reason = f"the worker {ended.outcome.phrase} while its documentation was read"
            return {name: {"problem": reason} for name in names}
        texts = reply.get("texts")
        if not isinstance(texts, dict):
            raise _invalid("documentation", "texts", texts)
        return {name: _texts("documentation", entry, {"text", "problem"}) for name, entry in texts.items()}

    def unmapped(self, mapped: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """By the name of a callable that is not among these, the words of its documentation for which it may belong there."""
        try:
            reply = self._idle_worker().request({"type": "unmapped", "mapped": list(mapped)}, self.limit)
        except WorkerEnded as ended:
            self._lose_worker(ended)
            raise TargetBlocked(f"its worker {ended.outcome.phrase} while its callables were listed") from None
        callables = reply.get("callables")
        if not isinstance(callables, dict) or not all(isinstance(words, list) for words in callables.values()):
            raise _invalid("unmapped", "callables", callables)
        return {escaped(name): [escaped(str(word)) for word in words] for name, words in callables.items()}

    def variants(self, words: Sequence[str]) -> list[str]:
        """The names beside those of the adapter's APIs that have one of these words, and keyword forms of its APIs."""
        try:
            reply = self._idle_worker().request({"type": "variants", "words": list(words)}, self.limit)
        except WorkerEnded as ended:
            self._lose_worker(ended)
            raise TargetBlocked(f"its worker {ended.outcome.phrase} while its variants were listed") from None
        names = reply.get("names")
        if not isinstance(names, list):
            raise _invalid("variants", "names", names)
        return [escaped(str(name)) for name in names]

    def failure(self, call: ApiCall, limit: float) -> Mapping[str, str] | None:
        """The ``error`` and the ``traceback`` of a call that does not return; None if it does, or ends the worker."""
        reply = self._asked("try", call, limit, limit + self._compile_limit, _header)
        failure = reply.get("failure") if reply is not None else None
        if failure is None:
            return None
        texts = _texts("try", failure, {"error", "traceback"})
        if len(texts) < 2:
            raise _invalid("try", "failure", failure)
        return texts

    def step(self, call: ApiCall) -> Step | None:
        """On a path, what first does what a call does; None in other modes, if it ends the worker, or if it is not known."""
        if not self._is_path:
            return None
        reply = self._asked("step", call, self.limit, self.limit + self._compile_limit, _header)
        return next((step for step in get_args(Step) if reply is not None and step == reply.get("step")), None)

    def uncompiled(self, call: ApiCall) -> Observation | None:
        """What a call does without compiling; None in a mode that compiles nothing or is a path, or if it ends the worker."""
        if not self._compiles:
            return None
        return self._asked("uncompiled", call, self.limit, self.limit, self._observation)

    def _asked(
        self, kind: str, call: ApiCall, limit: float, reply_limit: float, decode: Callable[[bytes, bytes], Reply]
    ) -> Reply | None:
        """The decoded reply to a request of a kind about a call; None if it ends the worker."""
        worker = self._idle_worker()
        try:
            worker.send(frame_of(call, kind), limit)
            return worker.receive(reply_limit, decode)
        except WorkerEnded as ended:
            self._lose_worker(ended)
            return None

    def example(self, sources: Sequence[str]) -> list[Message] | Died | Hung:
        """Run the statements of an example: what each ``printed``, and the ``error`` and ``message`` if it raised."""
        worker = self._idle_worker()
        try:
            reply = worker.request({"type": "example", "sources": list(sources)}, self.limit)
        except WorkerEnded as ended:
            if self._stopped:
                raise Stopped from None
            self._lose_worker(ended)
            return ended.outcome
        statements = reply.get("statements")
        if not isinstance(statements, list) or len(statements) != len(sources):
            raise _invalid("example", "statements", statements)
        done = [_texts("example", each, {"printed", "error", "message"}) for each in statements]
        if any("printed" not in each or ("error" in each) != ("message" in each) for each in done):
            raise _invalid("example", "statements", statements)
        return [{**each, "message": self._clean(each.get("message", ""))} for each in done]

    def announce(self, call: ApiCall) -> bool:
        """Send a call to the worker ahead of time, so that it need not wait; False if the buffer is full.

        Announced calls must then be made in the order of their announcement. Announcing changes only the time that
        calls take: if another call is made first, the replies to the announced calls are discarded.
        """
        if self._worker is None or self._before_call is not None:
            return False
        return self._announced.add(call, frame_of(call))

    @property
    def announced(self) -> int:
        """The number of announced calls that were not made yet."""
        return len(self._announced)

    def _send(self, frame: bytes = b"") -> None:
        """Send the announced frames at once, and then this frame."""
        assert self._worker is not None
        data = self._announced.take_frames() + frame
        if data:
            self._worker.send(data, self.limit)

    def _drop_announced(self) -> None:
        """Discard the replies to announced calls; a call that ends the worker will do so again when it is made."""
        try:
            while self._announced and self._worker is not None:
                self._send()
                self.worker_calls.append(self._announced.take_first())
                self._worker.receive(self.limit + self._compile_limit, _discarded)
        except WorkerEnded as ended:
            self._lose_worker(ended)
        else:
            self._announced.clear()  # those that the last worker did not answer

    def _note_hang(self, ended: WorkerEnded) -> None:
        if isinstance(ended.outcome, Hung):
            self._waited += ended.waited

    def _lose_worker(self, ended: WorkerEnded | None = None) -> None:
        """Forget the worker and what was announced to it. ended: how it ended, if not by the client."""
        if ended is not None:
            self._note_hang(ended)
        self._forget_worker()
        self._announced.clear()

    def _forget_worker(self) -> None:
        self._worker = None
        self._lost_in = None

    def count_endings_anew(self) -> None:
        """Forget how many workers in a row ended, since the next calls are unrelated."""
        self._endings = 0

    def forget(self) -> None:
        """End the worker and count endings anew, since the next call is unrelated."""
        self.close()
        self.count_endings_anew()

    def close(self) -> None:
        """End the worker; the next call starts a new one."""
        if self._worker is not None:
            self.memory = max(filter(None, (self.memory, self._worker.peak_memory)), default=None)
            self._worker.close()
        self._lose_worker()

    def stop(self) -> None:
        """End the worker permanently, from another thread: the current call and all later calls raise Stopped."""
        self._stopped = True
        worker = self._worker
        if worker is not None:
            worker.kill()
        for other in self._others:
            other.stop()


ClientFactory = Callable[[WorkerStarter, float, Callable[[ApiCall], None] | None], Client]
"""Makes a client: with its time limit per call, and what is called before each."""


def _needs_new_worker(outcome: Outcome) -> bool:
    """Whether other calls must be made in another process: its device is lost, or memcheck would not describe an error again."""
    if isinstance(outcome, Raised) and outcome.lost:
        return True
    return isinstance(outcome, Returned | Raised) and any(access.by == "memcheck" for access in outcome.outside)


def _texts(request: str, entry: object, names: Set[str]) -> dict[str, str]:
    """A part of a reply, which has texts of these names; without characters that UTF-8 cannot encode."""
    if not isinstance(entry, dict) or not entry or not entry.keys() <= names:
        raise _invalid(request, "/".join(sorted(names)), entry)
    for name, text in entry.items():
        if not isinstance(text, str):
            raise _invalid(request, name, text)
    return {name: escaped(text) for name, text in entry.items()}


def _invalid(request: str, part: str, value: object) -> TargetBlocked:
    return TargetBlocked(
        f"its worker sent an invalid reply to the request {request!r}: {part} is {reprlib.repr(value)}; "
        "does the adapter write to the descriptors of the worker, or change its modules?"
    )


def _header(header: bytes, _: bytes) -> Message:
    return frames.parse(header)


def _members(reply: Message) -> Sequence[Message | None]:
    members = reply.get("members")
    if not isinstance(members, list) or not all(
        member is None or (isinstance(member, dict) and type(member.get("bytes")) is int and member["bytes"] >= 0)
        for member in members
    ):
        raise InvalidReply("members is not a list of replies")
    return members


def _discarded(header: bytes, body: bytes) -> None:
    """Read nothing of a reply."""


def frame_of(call: ApiCall, kind: str = "call") -> bytes:
    """The request for a call, also ``uncompiled``, to ``try`` one, or for its ``step``."""
    arguments, body = _encoded(call.call)
    header = f'{{"type":"{kind}","api":{_quoted(call.api)},"operation":{_quoted(call.operation)},{arguments}}}'
    return frames.request(header.encode(), body)


def frame_of_several(calls: Sequence[ApiCall], kind: str) -> bytes:
    """The request for calls that are compiled ``together``, or for those that are ``taken`` without compiling."""
    members, parts = [], []
    for call in calls:
        described, body = _encoded(call.call)
        names = f'"api":{_quoted(call.api)},"operation":{_quoted(call.operation)}'
        members.append(f'{{{names},{described},"bytes":{len(body)}}}')
        parts.append(body)
    header = f'{{"type":"{kind}","members":[{",".join(members)}]}}'
    return frames.request(header.encode(), b"".join(parts))


# cached since all APIs of a case take the same arguments
@lru_cache(maxsize=_CACHED)
def _encoded(call: Applied) -> tuple[str, bytes]:
    """The arguments in a request's header, and their bytes."""
    entries, parts = arguments.encode(to_wire(call))
    described = {"arguments": entries, **manner_of(call).parts()}
    return ",".join(f'"{name}":{frames.text(part)}' for name, part in described.items()), b"".join(parts)


_quoted = lru_cache(maxsize=256)(frames.text)

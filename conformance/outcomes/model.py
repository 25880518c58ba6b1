"""The outcomes of a call: frozen dataclasses that are stored in results files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["returned", "raised", "died", "hung", "unsupported", "not-exported"]

MOST_VALUES = 200
"""Maximum number of elements of a result to store; larger results have only a digest."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning that the call emitted, and how often."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Outside:
    """An access to memory that belongs to no argument, or that nobody wrote."""

    argument: str | None
    """The argument next to which it is; None if that is not known."""
    access: Literal["wrote", "read", "unwritten", "freed", "overlap"]
    """What the call did: ``unwritten`` is an element of the result that nobody wrote, ``freed`` memory that it must not free,
    ``overlap`` a copy of memory onto itself."""
    distance: int | None = None
    """In elements of the argument: 1 is directly behind its end, -1 directly before it. None between the elements of a view, and for
    an access that does not tell it. Of what nobody wrote, the position in the result in row-major order."""
    size: int | None = None
    """In bytes, of an access that memcheck saw."""
    place: str | None = None
    """What memcheck says of the address, if it is next to no argument: ``0 bytes after a block of size 12 alloc'd``."""
    function: str | None = None
    """The innermost named function that did it, by memcheck."""
    by: Literal["guards", "memcheck"] = "guards"
    """What saw it: of the guard zones, what was read is an element of the result."""

    @property
    def where(self) -> str:
        """For a sentence: ``1 element past the end of updates``."""
        by = f" in {self.function}" if self.function else ""
        if self.access == "unwritten":
            return f"at element {self.distance} of the result"
        if self.argument is None:
            size = f"{self.size} byte{'s' if self.size != 1 else ''}, " if self.size else ""
            return f"{size}{self.place or 'at an unknown place'}{by}"
        if self.distance is None:
            return f"between the elements of {self.argument}" if self.access == "wrote" else f"next to {self.argument}"
        side = "past the end of" if self.distance > 0 else "before"
        return f"{abs(self.distance)} element{'s' if abs(self.distance) > 1 else ''} {side} {self.argument}{by}"


@dataclass(frozen=True, slots=True)
class Part:
    """One of several results."""

    name: str
    """The expression that the program returns, mostly a name."""
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """The call returned an array, or a program several, which are joined as one of one axis in the dtype of the first."""

    dtype: str
    shape: tuple[int, ...]
    digest: str
    """Of dtype, shape and every bit."""
    values: Any = None
    """Nested lists, see ``conformance.specification.numbers``; None for more than ``MOST_VALUES`` elements."""
    changed: tuple[str, ...] = ()
    """Arguments that it changed."""
    aliased: tuple[str, ...] = ()
    """Arguments whose memory the result shares."""
    outside: tuple[Outside, ...] = ()
    """What it wrote or read next to its arguments."""
    warnings: tuple[Warned, ...] = ()
    parts: tuple[Part, ...] = ()
    """The results that were joined, in order; empty for one."""
    status: Literal["returned"] = "returned"


@dataclass(frozen=True, slots=True)
class Abstract:
    """The call returned in a mode that computes dtypes and shapes but no values."""

    dtype: str
    shape: tuple[int, ...]
    warnings: tuple[Warned, ...] = ()
    abstract: Literal[True] = True
    status: Literal["returned"] = "returned"


@dataclass(frozen=True, slots=True)
class Error:
    """An exception."""

    type: str
    message: str
    module: str = ""
    phase: Literal["arguments", "call", "result", "forward"] = "call"
    """Where it was raised: while creating the arguments, in the call, or while reading its result; ``forward`` if a transform of
    the call raised, and so does the call itself."""
    bases: tuple[str, ...] = ()
    """The names of all classes that it is an instance of."""
    fault: Literal["adapter"] | None = None
    """What is to blame, if not the framework."""
    by: str | None = None
    """What raised it, if it is not the API under test: another API, or something else that the adapter does."""


@dataclass(frozen=True, slots=True)
class Raised:
    """The call raised an exception."""

    error: Error
    lost: bool = False
    """The process has not been able to create tensors since."""
    changed: tuple[str, ...] = ()
    """Arguments that it changed before it failed, without the one that the API changes in place."""
    outside: tuple[Outside, ...] = ()
    """What it wrote next to its arguments."""
    in_place: Literal["unchanged", "written"] | None = None
    """What an API that changes an argument in place left of it; None for other APIs, and if it cannot be read."""
    warnings: tuple[Warned, ...] = ()
    status: Literal["raised"] = "raised"


@dataclass(frozen=True, slots=True)
class Died:
    """The call ended its process: by a signal, with an exit code, or because it used too much memory; or its machine.

    With none of these, the process is still alive but its connection is closed or unusable.
    """

    signal: str | None = None
    exit_code: int | None = None
    most_memory: int | None = None
    """The memory limit in bytes that it exceeded."""
    garbled: bool = False
    """It sent data that is not a frame of the protocol."""
    machine: bool = False
    """The machine was lost twice during this call."""
    stderr: str = ""
    """The end of its standard error."""
    status: Literal["died"] = "died"

    @property
    def ending(self) -> str:
        """``SIGSEGV``, ``exit code 3``, ``memory``, ``machine`` or ``no answer``."""
        if self.machine:
            return "machine"
        if self.most_memory is not None:
            return "memory"
        if self.signal is not None:
            return self.signal
        return f"exit code {self.exit_code}" if self.exit_code is not None else "no answer"

    @property
    def phrase(self) -> str:
        """For a sentence: ``was killed by SIGSEGV``."""
        if self.machine:
            return "was lost with its machine, twice"
        if self.most_memory is not None:
            return f"used more than {memory_text(self.most_memory)} of memory and was killed"
        if self.signal is not None:
            return f"was killed by {self.signal}"
        if self.exit_code is not None:
            return f"exited with code {self.exit_code}"
        return "sent invalid data" if self.garbled else "closed its pipe"


@dataclass(frozen=True, slots=True)
class Hung:
    """The call did not answer within the time limit."""

    limit: float
    """Seconds."""
    stderr: str = ""
    status: Literal["hung"] = "hung"

    @property
    def phrase(self) -> str:
        """For a sentence: ``did not answer within 30 s and was killed``."""
        return f"did not answer within {self.limit:g} s and was killed"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The API does not support this form of call, or the call was not made."""

    reason: str
    warnings: tuple[Warned, ...] = ()
    status: Literal["unsupported"] = "unsupported"


@dataclass(frozen=True, slots=True)
class NotExported:
    """The exporter of a path refused the call, which the framework itself performs."""

    reason: str
    warnings: tuple[Warned, ...] = ()
    status: Literal["not-exported"] = "not-exported"


Outcome = Returned | Abstract | Raised | Died | Hung | Unsupported | NotExported


def memory_text(count: int) -> str:
    """``12.8 GiB``, ``300 MiB``."""
    return f"{count / 2**30:.3g} GiB" if count >= 2**30 else f"{count / 2**20:.3g} MiB"


def error_of(outcome: Outcome | None) -> Error | None:
    """The exception that the call raised, or None."""
    return outcome.error if isinstance(outcome, Raised) else None


def is_adapter_fault(outcome: Outcome) -> bool:
    """Whether the adapter is to blame rather than the framework."""
    return isinstance(outcome, Raised) and outcome.error.fault == "adapter"


def lacks_arguments(outcome: Outcome) -> bool:
    """Whether the call was not made because its arguments could not be created."""
    return isinstance(outcome, Raised) and outcome.error.phase == "arguments"

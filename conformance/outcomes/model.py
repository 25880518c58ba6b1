"""The outcomes of a call: frozen values that a results file holds as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["returned", "raised", "died", "hung", "unsupported"]

MOST_VALUES = 200
"""Elements up to which a result is kept whole; of a larger one its digest."""


@dataclass(frozen=True)
class Warned:
    """A warning that the call gave, and how often."""

    text: str
    count: int


@dataclass(frozen=True)
class Returned:
    """It returned an array."""

    dtype: str
    shape: tuple[int, ...]
    digest: str
    """Of dtype, shape and every bit."""
    values: Any = None
    """Nested lists, as ``conformance.specification.numbers`` has them; None for more than ``MOST_VALUES`` elements."""
    changed: tuple[str, ...] = ()
    """Arguments that it changed."""
    aliased: tuple[str, ...] = ()
    """Arguments whose memory the result shares."""
    spilled: tuple[str, ...] = ()
    """Views around which it wrote into the buffer."""
    warnings: tuple[Warned, ...] = ()
    status: Literal["returned"] = "returned"


@dataclass(frozen=True)
class Abstract:
    """It returned in a mode that computes dtypes and shapes and no values."""

    dtype: str
    shape: tuple[int, ...]
    warnings: tuple[Warned, ...] = ()
    abstract: Literal[True] = True
    status: Literal["returned"] = "returned"


@dataclass(frozen=True)
class Error:
    """An exception."""

    type: str
    message: str
    module: str = ""
    phase: Literal["arguments", "call", "result"] = "call"
    """Where it was raised: making the arguments, in the call, or reading its result."""
    bases: tuple[str, ...] = ()
    """The names of every class that it is an instance of."""
    fault: Literal["adapter"] | None = None
    """Who is to blame, where it is not the framework."""
    by: str | None = None
    """The API that raised it, where that is not the one under test."""


@dataclass(frozen=True)
class Raised:
    """It raised an exception."""

    error: Error
    lost: bool = False
    """The process can make no tensor since."""
    warnings: tuple[Warned, ...] = ()
    status: Literal["raised"] = "raised"


@dataclass(frozen=True)
class Died:
    """Its process ended: by a signal, with an exit code, or because it took too much memory.

    With none of these the process went on, and only its answers ended.
    """

    signal: str | None = None
    exit_code: int | None = None
    most_memory: int | None = None
    """Bytes that it took more than."""
    garbled: bool = False
    """It sent something that is no frame of the protocol."""
    stderr: str = ""
    """The end of what it wrote to standard error."""
    status: Literal["died"] = "died"

    @property
    def ending(self) -> str:
        """``SIGSEGV``, ``exit code 3``, ``memory`` or ``no answer``."""
        if self.most_memory is not None:
            return "memory"
        if self.signal is not None:
            return self.signal
        return f"exit code {self.exit_code}" if self.exit_code is not None else "no answer"

    @property
    def how(self) -> str:
        """A phrase: ``was killed by SIGSEGV``."""
        if self.most_memory is not None:
            return f"took more than {memory_text(self.most_memory)} of memory and was killed"
        if self.signal is not None:
            return f"was killed by {self.signal}"
        if self.exit_code is not None:
            return f"exited with code {self.exit_code}"
        return "sent what is no frame of the protocol" if self.garbled else "closed its pipe"


@dataclass(frozen=True)
class Hung:
    """It gave no answer within the limit."""

    limit: float
    """Seconds."""
    stderr: str = ""
    status: Literal["hung"] = "hung"

    @property
    def how(self) -> str:
        """A phrase: ``gave no answer within 30 s and was killed``."""
        return f"gave no answer within {self.limit:g} s and was killed"


@dataclass(frozen=True)
class Unsupported:
    """The API has no form for the call, or it was not made."""

    reason: str
    warnings: tuple[Warned, ...] = ()
    status: Literal["unsupported"] = "unsupported"


Outcome = Returned | Abstract | Raised | Died | Hung | Unsupported


def memory_text(count: int) -> str:
    """``12.8 GiB``, ``300 MiB``."""
    return f"{count / 2**30:.3g} GiB" if count >= 2**30 else f"{count / 2**20:.3g} MiB"


def error_of(outcome: Outcome | None) -> Error | None:
    """The exception of a call that raised one."""
    return outcome.error if isinstance(outcome, Raised) else None


def is_adapter_fault(outcome: Outcome) -> bool:
    """Whether the adapter is to blame rather than the framework."""
    return isinstance(outcome, Raised) and outcome.error.fault == "adapter"


def lacks_arguments(outcome: Outcome) -> bool:
    """Whether the call was never made, since the framework could not make its arguments."""
    return isinstance(outcome, Raised) and outcome.error.phase == "arguments"

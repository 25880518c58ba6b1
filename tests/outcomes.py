"""Outcomes of calls in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from conformance.outcomes.model import Abstract, Died, Error, Hung, NotExported, Raised, Returned, Unsupported
from conformance.outcomes.reply import returned as returned_tensor
from conformance.specification.literals import Tensor, tensor


def returned(values: Any = (1, 2), dtype: str = "int32", **more: Any) -> Returned:
    """It returned these elements; their digest is the real one."""
    return returned_tensor(tensor(dtype, list(values) if isinstance(values, tuple) else values), **more)


def returned_value(value: Tensor, **more: Any) -> Returned:
    """It returned this tensor."""
    return returned_tensor(value, **more)


def abstract(dtype: str = "int32", shape: tuple[int, ...] = (2,)) -> Abstract:
    """It returned in a mode without values."""
    return Abstract(dtype, shape)


def raised(
    error: str = "IndexError",
    message: str = "no",
    *,
    bases: Sequence[str] = (),
    phase: Literal["arguments", "call", "result", "forward"] = "call",
    fault: Literal["adapter"] | None = None,
    by: str | None = None,
) -> Raised:
    """It raised this type of error; ``bases`` are the other classes that it is an instance of."""
    return Raised(Error(error, message, phase=phase, bases=(error, *bases), fault=fault, by=by))


SEGFAULT = Died(signal="SIGSEGV")
ABORT = Died(signal="SIGABRT")
HUNG = Hung(30.0)
UNSUPPORTED = Unsupported("it has no form for this")
NOT_EXPORTED = NotExported("the exporter has no such operator")

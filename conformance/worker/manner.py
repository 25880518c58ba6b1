"""How the arguments of a call are passed, apart from their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

_NONE: Mapping[str, str] = {}


class Manner(NamedTuple):
    """What is unusual about how arguments are passed, each by its name, and what is around the call."""

    views: Mapping[str, str] = _NONE
    """The kind of view of a larger buffer that it is; see ``conformance.worker.views``."""
    passed: Mapping[str, str] = _NONE
    """``constant`` for a tensor that is a constant of what is compiled, ``argument`` for a number or a shape that is none."""

    program: Optional[str] = None
    """The text of a program around the call; see ``conformance.worker.programs``."""

    transform: tuple[tuple[str, str], ...] = ()
    """What is computed instead of the result: hooks, the outer one first, each with the argument that it is about; see
    ``conformance.worker.transforms``."""

    shares: Optional[tuple[str, str, int]] = None
    """Two arguments that are parts of one buffer, and the number of elements by which the second begins behind the first."""

    @property
    def is_of_any_mode(self) -> bool:
        """Whether a call can be made so in every mode, and with every adapter."""
        return not self.passed and self.program is None and not self.transform and self.shares is None

    def parts(self) -> dict[str, Any]:
        """The parts of a request that are not as usual."""
        parts: dict[str, Any] = {"views": {**self.views}} if self.views else {}
        parts.update({"program": self.program} if self.program is not None else {})
        parts.update({"transform": self.transform} if self.transform else {})
        parts.update({"passed": {**self.passed}} if self.passed else {})
        parts.update({"shares": self.shares} if self.shares is not None else {})
        return parts

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> "Manner":
        """That of a request."""
        transform = tuple((hook, of) for hook, of in message.get("transform", ()))
        views, passed = message.get("views", _NONE), message.get("passed", _NONE)
        shares = message.get("shares")
        return cls(views, passed, message.get("program"), transform, None if shares is None else tuple(shares))


PLAIN = Manner()

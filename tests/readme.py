"""What README says that commands print."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tests.cli.command import REPOSITORY

_TIMES = re.compile(r"\bin \d+ s\b")
_BLOCK = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)


@dataclass(frozen=True)
class Printed:
    """A command, and what it is said to print: pieces in their order, with something left out between them."""

    command: str
    pieces: Sequence[str]

    def missing_in(self, output: str) -> list[str]:
        """The pieces that an output does not have, or not in this order; times and line breaks do not matter."""
        rest, missing = _even(output), []
        for piece in self.pieces:
            before, found, after = rest.partition(piece)
            if not found:
                missing.append(piece)
            rest = after if found else before
        return missing


@dataclass(frozen=True)
class Readme:
    text: str

    @cached_property
    def blocks(self) -> Sequence[str]:
        return [textwrap.dedent(block).strip("\n") for block in _BLOCK.findall(self.text)]

    def printed(self, command: str) -> Printed:
        """What README prints after this command."""
        [block] = [block for block in self.blocks if block.startswith(f"$ {command}\n")]
        return Printed(command, _pieces(block.partition("\n")[2]))

    def block(self, beginning: str) -> Printed:
        """A block of output that stands apart from its command."""
        [block] = [block for block in self.blocks if block.startswith(beginning)]
        return Printed("", _pieces(block))


def readme() -> Readme:
    return Readme((REPOSITORY / "README.md").read_text(encoding="utf-8"))


def _pieces(text: str) -> Sequence[str]:
    return [_even(piece) for piece in re.split(r"^\s*\.\.\.$", text, flags=re.MULTILINE) if piece.strip()]


def _even(text: str) -> str:
    return " ".join(_TIMES.sub("in some s", text).split())

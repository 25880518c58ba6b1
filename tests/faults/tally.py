"""What a harness of faults has tried, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts of all rounds."""

    rounds: Counter[str] = field(default_factory=Counter)
    struck: Counter[str] = field(default_factory=Counter)
    """Rounds in which a process that was running was killed, or a file was damaged."""
    lost: int = 0
    """Results that were missing, without a word about it, or after all was run again."""
    differing: int = 0
    """Results with another verdict, or other kinds of divergence, than in the undisturbed run."""
    wrong_ends: int = 0
    """Commands that ended with an internal error, a traceback, another status than is right, or not at all."""
    processes: int = 0
    """Processes that were left."""
    files: int = 0
    """Temporary files and folders that were left."""
    accounts: list[str] = field(default_factory=list)
    """Of what was wrong."""

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.differing or self.wrong_ends or self.processes or self.files)

    def lines(self) -> Iterator[str]:
        """The counts, and an account of each failure."""
        yield f"{'':24}{'rounds':>8}{'struck':>8}"
        for kind in sorted(self.rounds):
            yield f"{kind:24}{self.rounds[kind]:8}{self.struck[kind]:8}"
        yield f"{'all':24}{self.rounds.total():8}{self.struck.total():8}"
        yield f"results lost: {self.lost}; with another verdict: {self.differing}; wrong ends of commands: {self.wrong_ends}"
        yield f"left: {self.processes} processes, {self.files} temporary files and folders"
        yield from self.accounts

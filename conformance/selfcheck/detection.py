"""Whether the suite caught an adapter's defect."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detection:
    """An adapter with one defect, or without any, and what the suite reported about it."""

    name: str
    """What it does."""
    expected: str
    """What the suite must report: a kind of divergence, a verdict, or ``no divergence``."""
    caught: bool
    found: str
    """What the suite reported."""

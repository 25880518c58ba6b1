"""Whether the suite caught a wrong adapter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detection:
    """An adapter that is wrong in one way, or right, and what the suite made of it."""

    name: str
    """What it does."""
    expected: str
    """As what it has to be caught: a kind of divergence, a verdict, or ``no divergence``."""
    caught: bool
    found: str
    """As what it was caught, or what was found instead."""

"""Closed lists of words shared by specs, judgements and formats."""

from __future__ import annotations

from typing import Literal

Family = Literal["example", "rule", "behaviour", "relation"]
"""The kinds of clauses."""
Policy = Literal["ignores", "stops", "clamps", "wraps-negative", "wraps-modulo", "fills"]
"""How an implementation may handle an out-of-bounds index without an error."""
SENTENCE_HASH = r"^[k-z]{8}$"
"""The form of the hash of a sentence; ``conformance.documentation.words`` computes it."""
Device = Literal["cpu", "gpu"]
"""The kinds of device that documents distinguish."""

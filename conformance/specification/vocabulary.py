"""Closed lists of words that specs, judgements and formats share."""

from __future__ import annotations

from typing import Literal

Policy = Literal["ignores", "stops", "clamps", "wraps-negative", "wraps-modulo", "fills"]
"""What may become of an index that points outside, other than an error."""
Device = Literal["cpu", "gpu"]
"""The kinds of device that documents tell apart."""

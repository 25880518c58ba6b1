"""The one thing that can stand in the way of a script."""

from __future__ import annotations


class NoScript(Exception):
    """A result that no script can show; the message says why."""

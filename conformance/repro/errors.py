"""The error for a result without a script."""

from __future__ import annotations


class NoScript(Exception):
    """No script can reproduce the result; the message gives the reason."""

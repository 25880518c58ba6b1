"""The informative part of a framework's error message, in one line."""

from __future__ import annotations

import re

from conformance.outcomes.model import Error

LONGEST = 240

_NODE = re.compile(r"\{\{[^}]*\}\}\s*")
"""TensorFlow's name for the graph node that failed."""


def summary(error: Error) -> str:
    """An error's type and the first two lines of its message that are neither rulers nor headings."""
    lines = [_NODE.sub("", line).strip() for line in error.message.splitlines()]
    informative = [line for line in lines if any(map(str.isalnum, line)) and not line.endswith(":")]
    text = " / ".join(informative[:2] or [line for line in lines if line][:1])
    shortened = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return f"{error.type}: {shortened}" if shortened else error.type

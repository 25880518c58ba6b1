"""The informative part of a framework's error message, in one line."""

from __future__ import annotations

import re

from conformance.outcomes.model import Error

LONGEST = 240

_NODE = re.compile(r"\[\[\{\{[^}]*\}\}\]\]|\{\{[^}]*\}\}\s*|\[Op:__inference_\w+\]|__inference_[\w<>]+\[[^\]]*\]")
"""TensorFlow's names for the graph node that failed, and for the function, which are numbered."""

_FRAME = re.compile(r'File "[^"]*", line \d+')
"""A frame of the stack where TensorFlow and MindSpore say that a graph was made."""


def summary(error: Error) -> str:
    """An error's type and the first two lines of its message that are neither rulers, headings nor frames of a stack."""
    lines = [_NODE.sub("", line).strip() for line in error.message.splitlines()]
    # A frame is followed by its line of source code.
    informative = [
        line for line, before in zip(lines, ["", *lines], strict=False) if _informs(line) and not _FRAME.match(before)
    ]
    text = " / ".join(informative[:2] or [line for line in lines if line][:1])
    shortened = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return f"{error.type}: {shortened}" if shortened else error.type


def _informs(line: str) -> bool:
    return any(map(str.isalnum, line)) and not line.endswith(":") and not _FRAME.match(line)

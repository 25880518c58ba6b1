"""Standard output and error that can show any text, and on GitHub no text as a command of a workflow."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO, cast

_COMMANDS = re.compile(r"(?:^|(?<=[\r\n]))[^\S\r\n]*:(?=:)|##(?=\[)")
"""The part of a workflow command after which a backslash makes it plain text: ``::error::`` at the start of a line, or
``##[error]`` anywhere."""


class PlainText:
    """A stream on which nothing is taken for a workflow command; it has all attributes of the original stream."""

    def __init__(self, stream: TextIO) -> None:
        self.original = stream
        self._line = ""
        """What was written of the current line."""

    def write(self, text: str) -> int:
        before = len(self._line)
        shown = _COMMANDS.sub(lambda command: f"{command[0]}\\", self._line + text)
        self.original.write(shown[before:])
        self._line = re.split(r"[\r\n]", shown)[-1]
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


@contextmanager
def safe_streams(environ: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Replace characters that a stream cannot encode, and on GitHub commands in texts from elsewhere."""
    streams = sys.stdout, sys.stderr
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if environ.get("GITHUB_ACTIONS") == "true":
        sys.stdout, sys.stderr = (cast("TextIO", PlainText(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def for_commands() -> TextIO:
    """Standard output for workflow commands of the suite itself."""
    return sys.stdout.original if isinstance(sys.stdout, PlainText) else sys.stdout

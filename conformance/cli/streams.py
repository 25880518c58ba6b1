"""Standard output and error that can show any text, visibly, and on GitHub no text as a command of a workflow.

This is the door: specs, results, adapters and frameworks of somebody else may contain anything, and whatever of it is printed passes here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

from conformance.reports.text import VisibleText

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


class UntilClosed:
    """A stream that discards what is written once nobody reads it any more, as after ``| head``.

    A command then ends as it would have ended: what it does besides writing there is done.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._discard()
            return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._discard()

    def _discard(self) -> None:
        with _nowhere() as nowhere:
            os.dup2(nowhere.fileno(), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def safe_streams(environ: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Replace characters that a stream cannot encode or that nobody sees, and on GitHub commands in texts from elsewhere.

    A stream that nobody reads any more is no error, nor is one that the caller closed: what is written there is discarded, and
    standard input has nothing to read.
    """
    streams = sys.stdout, sys.stderr
    with ExitStack() as opened:
        opened.callback(_restore, sys.stdin, *streams)
        sys.stdin = sys.stdin or opened.enter_context(Path(os.devnull).open(encoding="utf-8"))
        sys.stdout, sys.stderr = (_safe(stream or opened.enter_context(_nowhere()), environ) for stream in streams)
        yield


def _restore(read: TextIO, out: TextIO, err: TextIO) -> None:
    sys.stdin, sys.stdout, sys.stderr = read, out, err


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _safe(stream: TextIO, environ: Mapping[str, str]) -> TextIO:
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    safe = cast("TextIO", UntilClosed(stream))
    plain = cast("TextIO", PlainText(safe)) if environ.get("GITHUB_ACTIONS") == "true" else safe
    return cast("TextIO", VisibleText(plain))


def for_commands() -> TextIO:
    """Standard output for workflow commands and data of the suite itself."""
    stream = sys.stdout
    while isinstance(stream, VisibleText | PlainText):
        stream = stream.original
    return stream

"""What is printed, wherever it is printed."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys

import pytest

from conformance.cli.streams import PlainText, for_commands, safe_streams
from tests.cli.command import REPOSITORY
from tests.execution.harness import FAKES


def _shown(*writes: str) -> str:
    stream = io.StringIO()
    plain = PlainText(stream)
    for text in writes:
        plain.write(text)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("writes", "shown"),
    [
        (["::error::x"], ":\\:error::x"),
        (["a\n  ::error::x\n"], "a\n  :\\:error::x\n"),
        (["a\r::x"], "a\r:\\:x"),
        (["a", "\n:", ":stop-commands::x"], "a\n:\\:stop-commands::x"),
        (["a ##", "[error]x"], "a ##\\[error]x"),
        (["std::vector ::x\n", "a::b"], "std::vector ::x\na::b"),
        (["# heading\n", "[1, 2]\n"], "# heading\n[1, 2]\n"),
    ],
)
def test_no_text_is_a_command_of_a_workflow(writes: list[str], shown: str) -> None:
    assert _shown(*writes) == shown


def test_only_the_suite_itself_writes_commands_on_github(monkeypatch: pytest.MonkeyPatch) -> None:
    original = io.StringIO()
    monkeypatch.setattr(sys, "stdout", original)
    with safe_streams({"GITHUB_ACTIONS": "true"}):
        print("::error::text")
        print("::error::suite", file=for_commands())
    assert sys.stdout is original
    assert original.getvalue() == ":\\:error::text\n::error::suite\n"


def test_elsewhere_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = io.StringIO()
    monkeypatch.setattr(sys, "stdout", original)
    with safe_streams({}):
        print("::error::text")
        assert for_commands() is sys.stdout
    assert original.getvalue() == "::error::text\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_a_terminal_cannot_show_is_escaped(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(data, encoding))
    with safe_streams({}):
        print("\u2026 \ud800", flush=True)
    assert data.getvalue().endswith(b"\\ud800\n")


SPECS = str(FAKES / "specs")
"""Those of the suite may have to be built first, which is said if it takes long."""


@pytest.mark.parametrize("words", [("list", "cases"), ("--help",), ("show", "gather_elements", "--specs", SPECS)])
def test_a_reader_that_has_gone_is_no_error(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "conformance", *words],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_error(closed: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m conformance list {closed}"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

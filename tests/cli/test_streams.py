"""What is printed, wherever it is printed."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli.streams import PlainText, for_commands, safe_streams
from conformance.reports.text import json_text, visible
from tests.cli.command import REPOSITORY, conformance
from tests.execution.harness import FAKES
from tests.specification.small import SPEC as SMALL_SPEC
from tests.specification.small import write_specs


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


def test_elsewhere_no_visible_text_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = io.StringIO()
    monkeypatch.setattr(sys, "stdout", original)
    with safe_streams({}):
        print("::error::text")
        print("\tdata\x1f", file=for_commands())
    assert original.getvalue() == "::error::text\n\tdata\x1f\n"


@pytest.mark.parametrize("environ", [{}, {"GITHUB_ACTIONS": "true"}])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_hides_moves_or_rings_is_spelled_out_whoever_prints_it(
    stream: str, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = io.StringIO()
    monkeypatch.setattr(sys, stream, original)
    with safe_streams(environ):
        print("a\x1b[2Ab\x07c\u202ed\u2066e\rf\x9b\t.", file=getattr(sys, stream))
        getattr(sys, stream).writelines(["\x1b", "\n"])
    assert original.getvalue() == "a#x1B[2Ab#x07c#x202Ed#x2066e#x0Df#x9B\t.\n#x1B\n"


def test_json_keeps_what_is_invisible_as_an_escape() -> None:
    text = json_text({"a\u202e": "\x1b\x7f\ud800 \u00e9"}, indent=1)
    assert json.loads(text) == {"a\u202e": "\x1b\x7f\ud800 \u00e9"}
    assert visible(text) == text
    assert "\u00e9" in text


def test_the_texts_of_a_spec_are_visible_where_it_is_shown(tmp_path: Path) -> None:
    spec = SMALL_SPEC.replace("states: A row read backwards.", 'states: "A row\\a \\u202Eread."')
    write_specs(tmp_path, spec=spec)
    words = ("show", "gather_elements.example.backwards", "--specs", tmp_path)
    assert "A row#x07 #x202Eread." in conformance(*words, cwd=tmp_path).out
    done = conformance(*words, "--json", cwd=tmp_path)
    assert json.loads(done.out.splitlines()[0])["states"] == "A row\x07 \u202eread."
    assert visible(done.out) == done.out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_a_terminal_cannot_show_is_escaped(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(data, encoding))
    with safe_streams({}):
        print("\u2026 \ud800", flush=True)
    assert data.getvalue().endswith(b"#xD800\n")


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

"""The commands that README and the pages of docs print are commands: their options, targets, clauses and cases exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import click
import pytest

from conformance.app.loading import catalogue
from conformance.cli.main import conformance
from tests.test_documentation import PAGES

LINE = re.compile(r"^(?:    |    \$ |\$ |uvx --from \S+ )(conformance(?: .*)?)$", re.MULTILINE)
SYNTAX = re.compile(r"\[[A-Z-]|\.\.\.|\bor\b|\|")
"""In a line that says what may be given, not what somebody typed."""
FOLDERS = ("max", "my-specs", "docs", "conformance-report")
"""What the pages tell the reader to make first."""
ID = re.compile(r"[a-z_]+\.(?:example|rule|behaviour|relation)\.[\w.-]+(?:/[\w.-]+)?")


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each, without what is said about it: after a sign, or several spaces."""
    for line in LINE.findall(page.read_text(encoding="utf-8")):
        command = re.split(r"\s#|\s{3,}", line)[0]
        if not SYNTAX.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", command)):
            yield shlex.split(command)[1:]


@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(page))], ids=lambda page: page.stem)
def test_the_command_line_takes_what_a_page_prints(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in FOLDERS:
        Path(folder).mkdir()
    for words in commands(page):
        with mock.patch.object(click.Command, "invoke") as invoke:
            conformance.main(words, prog_name="conformance", standalone_mode=False)
        reached = invoke.call_args.args[0].command_path.split()
        assert reached[:2] == ["conformance", words[0]], words


def test_clauses_and_written_calls_in_printed_commands_are_in_the_specs() -> None:
    clauses = [clause for operation in catalogue(None).operations.values() for clause in operation.clauses]
    known = {clause.id for clause in clauses}
    known |= {f"{clause.id}/{call.name}" for clause in clauses for call in clause.written_calls}
    named = {word for page in PAGES for words in commands(page) for word in words if ID.fullmatch(word)}
    assert len(named) > 3
    assert named <= known

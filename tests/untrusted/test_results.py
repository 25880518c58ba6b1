"""A results file may be anybody's: nothing that it names is run, and nothing is written where it says."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.repro.script import comment, joined, printed
from conformance.results.file import FILE_NAME, Results
from conformance.results.order import write_results
from conformance.results.records import TargetRecord
from tests.reports.sample import sample
from tests.untrusted.command import command

EVIL = "from pathlib import Path\nPath('executed').touch()\n"


def results_of(folder: Path, **changes: str) -> Path:
    """A folder with results of one target, whose record has these values."""
    whole = sample()
    target = replace(whole.targets[1], **changes)  # type: ignore[arg-type]
    results = [replace(result, target=target.id) for result in whole.results if result.target == whole.targets[1].id]
    write(replace(whole, targets=[target], mappings=[], results=results), folder / "out")
    return folder


def write(results: Results, folder: Path) -> None:
    folder.mkdir()
    write_results(results, folder / FILE_NAME)


@pytest.mark.parametrize("words", [(), ("--target", "torch"), ("--target", "./other.py")])
def test_a_file_that_only_results_name_is_not_run(tmp_path: Path, words: tuple[str, ...]) -> None:
    for name in ("evil.py", "other.py"):
        (tmp_path / name).write_text(EVIL)
    results_of(tmp_path, id="./evil.py@cpu", asked="./other.py", framework="torch")
    done = command("repro", "--all", "--results", "out", "--here", *words, cwd=tmp_path)
    assert done.status == 4
    assert "add --target ./evil.py" in done.err
    assert not (tmp_path / "executed").exists()


def test_a_file_that_the_user_names_is_run(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(EVIL)
    results_of(tmp_path, id="./own.py@cpu")
    command("repro", "--all", "--results", "out", "--here", "--target", "./own.py@cpu", cwd=tmp_path)
    assert (tmp_path / "out" / "index.html").exists()


@pytest.mark.parametrize("framework", ["../outside", "/outside", "", "no-such-framework"])
def test_known_divergences_are_written_only_for_frameworks_of_the_suite(tmp_path: Path, framework: str) -> None:
    results_of(tmp_path, id="t@cpu", framework=framework)
    done = command("known", "update", "out", "--reason", "A reason.", "--link", "unreported", cwd=tmp_path)
    assert done.status == 4
    assert f"no adapter {framework!r}" in done.err


@pytest.mark.parametrize("place", ["../mine.py@cpu", "{parent}/mine.py@cpu"])
def test_known_divergences_are_not_written_where_results_say(tmp_path: Path, place: str) -> None:
    (tmp_path / "mine.py").touch()
    inside = tmp_path / "inside"
    inside.mkdir()
    results_of(inside, id=place.format(parent=tmp_path))
    done = command("known", "update", "out", "--reason", "A reason.", "--link", "unreported", cwd=inside)
    assert done.status == 4
    assert "cannot choose a file outside this folder" in done.err
    assert not (tmp_path / "divergences.yaml").exists()


CODE = "import os; os.mkdir('executed')"


@pytest.mark.parametrize(
    "text",
    [f"x\n{CODE}", f"x\r{CODE}", f"x\r\n{CODE}", f"x\f\n{CODE}", f"x\0{CODE}", f'x"""\n{CODE}', f"x\\\n{CODE}"],
)
def test_no_text_leaves_the_comment_or_the_literal_of_a_script(text: str) -> None:
    script = joined(comment([text, "second", f"- {text}"]), ["import numpy as np"], [], [printed(text)])
    statements = ast.parse(script).body
    assert [ast.unparse(statement).partition("(")[0] for statement in statements] == ["import numpy as np", "print"]


@pytest.mark.parametrize("paragraphs", [["{}"], ["first", "{}"]])
@pytest.mark.parametrize("name", ["coding: utf-7", "vim: set fileencoding=utf-7 :", "coding=utf_16"])
def test_no_text_changes_the_encoding_of_a_script(paragraphs: list[str], name: str) -> None:
    paragraphs = [text.format(f"{name} +AAo-import os") for text in paragraphs]
    script = joined(comment(paragraphs), ["import numpy as np"], [], ["np"])
    assert [type(statement) for statement in ast.parse(script.encode()).body] == [ast.Import, ast.Expr]


def test_no_text_of_a_script_controls_a_terminal() -> None:
    assert "\x1b" not in comment(["\x1b[31mred"]) + printed("\x1b[31mred")
    assert "\ud800" not in comment(["\ud800"]) + printed("\ud800")


def test_a_target_that_did_not_start_may_be_named_anything(tmp_path: Path) -> None:
    target = TargetRecord("./evil.py@cpu", "evil", None, "cpu", "eager", blocked="no")
    write(Results(sample().run, targets=[target], end=sample().end), tmp_path / "out")
    assert command("repro", "--all", "--results", "out", "--here", cwd=tmp_path).status == 0

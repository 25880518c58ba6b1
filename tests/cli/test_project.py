"""``[tool.conformance]`` in pyproject.toml."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from conformance import files
from conformance.app.errors import ConformanceError
from conformance.app.project import Project, project
from conformance.results.file import read_results
from tests.cli.command import conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS

LEDGER = """
divergences:
  not-like-this:
    cases: gather_elements.example.lucky/*
    api: fake.steady
    kind: value
    reason: We know.
    link: unreported
"""


def settings(folder: Path, text: str) -> Project:
    (folder / "pyproject.toml").write_text(f"[tool.conformance]\n{text}\n")
    return project(folder)


def test_the_command_reads_specs_targets_and_fail_on(tmp_path: Path) -> None:
    adapter = WRONG_ADAPTERS / "order_dependent.py"
    text = f'specs = "{FAKES / "specs"}"\ntargets = ["{adapter}"]\nfail-on = "never"'
    settings(tmp_path, text)
    inside = tmp_path / "inside"
    inside.mkdir()
    assert conformance("run", "--here", "-q", "-k", "lucky and not again and not printed.", cwd=inside).status == 0
    assert read_results(inside / "conformance-report").run.targets == [str(adapter)]
    assert (
        conformance(
            "run", "--here", "-q", "-k", "lucky and not again and not printed.", "--fail-on", "own", cwd=inside
        ).status
        == 1
    )


def test_specs_of_the_project_that_are_not_there_are_no_mistake_of_the_command_line(tmp_path: Path) -> None:
    settings(tmp_path, 'specs = "none"')
    says = f"pyproject.toml: tool.conformance.specs = {tmp_path / 'none'}: spec not found"
    assert says in conformance("list", "clauses", cwd=tmp_path).err
    assert "--specs none: spec not found" in conformance("list", "clauses", "--specs", "none", cwd=tmp_path).err


def test_a_run_that_prints_its_results_reads_the_targets_too(tmp_path: Path) -> None:
    adapter = WRONG_ADAPTERS / "order_dependent.py"
    settings(tmp_path, f'specs = "{FAKES / "specs"}"\ntargets = ["{adapter}"]\nfail-on = "never"')
    done = conformance(
        "run", "--here", "-q", "-k", "lucky and not again and not printed.", "--output", "-", cwd=tmp_path
    )
    assert json.loads(done.out.splitlines()[0])["targets"] == [str(adapter)]


def test_a_ledger_of_the_project_is_read_beside_the_adapters(tmp_path: Path) -> None:
    (tmp_path / "ledger.yaml").write_text(LEDGER)
    settings(tmp_path, f'specs = "{FAKES / "specs"}"\nledgers = {{order_dependent = "ledger.yaml"}}')
    words = ("--here", "-q", "--api", "fake.steady")
    done = conformance("run", WRONG_ADAPTERS / "order_dependent.py", *words, cwd=tmp_path)
    assert "not-like-this" in done.out


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    found = settings(tmp_path, 'specs = "specs"\ntargets = ["torch", "./mine.py"]\ndraws = 5\nat-least = 7')
    options = {"specs": tmp_path / "specs", "draws": 5, "at_least": 7}
    assert found == Project(("torch", str(tmp_path / "mine.py")), options=options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "spec = 'x'",
            "tool.conformance.spec: unknown key; allowed: specs, draws, programs, fail-on, at-least, targets, ledgers",
        ),
        ("draws = 'x'", "tool.conformance.draws = 'x' is no number; expected a whole number"),
        ("draws = true", "tool.conformance.draws = True is no number; expected a whole number"),
        ("draws = 100001", "tool.conformance.draws = 100001 is out of range; allowed: 0 to 100000"),
        ("specs = 1", "tool.conformance.specs = 1 is no path; expected a string"),
        ("targets = [1]", "tool.conformance.targets: 1 is not a string"),
        ("fail-on = 'all'", "tool.conformance.fail-on = 'all' is unknown; allowed: own, any, never"),
        ("ledgers = {torch = 'none.yaml'}", "none.yaml not found"),
        ('specs = "a\\u0000b"', "a path has no null character"),
        ('targets = ["./a\\u0000b"]', "a path has no null character"),
        ('ledgers = {torch = "a\\u0000b"}', "a path has no null character"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConformanceError, match=message.replace("[", r"\[")):
        settings(tmp_path, text)
    assert conformance("list", cwd=tmp_path).status == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            b'[tool.conformance]\nfail-on = "any"\n\n[project]\nname = \n',
            "not TOML: Invalid value (at line 5, column 8)",
        ),
        (b"[tool.conformance]\nfail-on = '\xe9'\n", "not TOML: its text is not UTF-8 (at line 2)"),
        (b"x = " + b"[" * 100_000, "not TOML: its values are nested too deeply"),
        (b".".join([b"a"] * 50_000) + b" = 1", "not TOML: line 1 has 49999 dots; at most 1000 are allowed"),
        (b"#" * 1_000_001, "not TOML: it is too long; at most 1,000,000 bytes are allowed"),
    ],
    ids=["value", "encoding", "nested", "dots", "long"],
)
def test_a_file_that_is_not_toml_is_an_error_and_not_a_project_without_settings(
    tmp_path: Path, text: bytes, message: str
) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text)
    done = conformance("list", cwd=tmp_path)
    assert (done.status, done.out) == (4, "")
    assert done.err == f"conformance: {tmp_path / 'pyproject.toml'}: {message}\n"


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.conformance]\ndraws = 5\n")

    def forbidden(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(files, "open_regular", forbidden)
    with pytest.raises(ConformanceError, match=r"pyproject\.toml: cannot be read: Permission denied$"):
        project(tmp_path)


def test_settings_that_are_no_file_are_an_error_and_not_a_project_without_settings(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.symlink_to("moved.toml")
    with pytest.raises(ConformanceError, match=r"pyproject\.toml: cannot be read: No such file or directory$"):
        project(tmp_path)
    file.unlink()
    file.mkdir()
    with pytest.raises(ConformanceError, match=r"pyproject\.toml: cannot be read: is a folder$"):
        project(tmp_path)


def test_a_file_in_a_folder_of_another_owner_above_is_not_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "mine" / "inside"
    inside.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.conformance]\ndraws = 5\n")
    assert project(inside) == Project(options={"draws": 5})
    stat = Path.stat

    def owned(path: Path, **options: bool) -> os.stat_result:
        found = stat(path, **options)
        other = [*found[:4], found.st_uid + 1, *found[5:]]
        return os.stat_result(other) if path == tmp_path else found

    monkeypatch.setattr(Path, "stat", owned)
    assert project(inside) == Project()


def test_a_project_without_settings_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert project(tmp_path) == Project()

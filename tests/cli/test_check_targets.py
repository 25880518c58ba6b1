"""``check`` of a target.toml: its keys, the adapter that it extends, and the known divergences beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import conformance

DERIVED = 'extends = "array_api_strict"\ntitle = "Mine"\npreload = "import mine"\n'
OWN = """\
title = "Mine"

[devices]
cpu = {gpu = false}

[modes]
eager = {}

[[releases]]
versions = ""
python = ">=3.9"
"""
LEDGER = """\
divergences:
  far:
    cases: index_select.example.no-such-example/*
    api: array_api_strict.take
    kind: value
    reason: It adds one.
    link: unreported
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "target.toml").write_text(DERIVED)
    return tmp_path


@pytest.mark.parametrize("path", ["mine/target.toml", "./mine", "mine"])
def test_a_derived_target_is_checked_by_its_file_or_its_folder(folder: Path, path: str) -> None:
    done = conformance("check", path, cwd=folder)
    assert done.status == 0, done.err
    assert "ok: target mine/target.toml, which extends the one of" in done.out
    assert "specs" not in done.out


def test_what_is_wrong_in_a_target_toml_is_named_with_its_key(folder: Path) -> None:
    (folder / "mine" / "target.toml").write_text(DERIVED.replace("preload", "prelod"))
    done = conformance("check", "mine/target.toml", cwd=folder)
    assert done.status == 4
    assert "mine/target.toml: prelod: unknown key; did you mean 'preload'?" in done.err


def test_an_entry_of_a_derived_target_that_matches_no_case_is_a_problem(folder: Path) -> None:
    (folder / "mine" / "divergences.yaml").write_text(LEDGER)
    done = conformance("check", "mine", cwd=folder)
    assert done.status == 4
    assert "mine/divergences.yaml:3: far: no case matches 'index_select.example.no-such-example/*'" in done.err


def test_a_target_of_ones_own_adapter_is_checked_with_the_adapter(folder: Path) -> None:
    (folder / "mine" / "target.toml").write_text(OWN)
    (folder / "mine" / "adapter.py").write_text("import no_such_module_of_mine\n")
    done = conformance("check", "mine", cwd=folder)
    assert done.status == 4
    assert "mine/adapter.py" in done.err

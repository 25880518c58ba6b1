"""``--fresh-compile``: a run in which compilers find nothing that earlier runs kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.environments import compiler_caches
from conformance.results.file import read_results
from tests.cli.command import conformance
from tests.processes.test_fresh_compile import ADAPTER, TARGET


@pytest.fixture(autouse=True)
def _toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(compiler_caches, "_HELD", {})
    (tmp_path / "toy.py").write_text(ADAPTER, encoding="utf-8")
    (tmp_path / "target.toml").write_text(TARGET, encoding="utf-8")


def found_by_run(folder: Path, *options: str) -> str | None:
    """What the compiler of the target found, which it says as its version."""
    words = ("./toy.py", "--here", "--quick", "--operation", "gather_elements", "--fail-on", "never", *options)
    done = conformance("run", *words, "--output", "out", cwd=folder)
    assert done.status == 0, done.err
    [target] = read_results(folder / "out").targets
    assert str(folder / "home") not in (folder / "out" / "results.jsonl").read_text(encoding="utf-8")
    return target.version


def test_a_run_finds_what_another_kept_unless_it_is_asked_to_do_without(tmp_path: Path) -> None:
    assert found_by_run(tmp_path, "--fresh-compile") == "nothing"
    assert found_by_run(tmp_path) == "nothing"
    assert found_by_run(tmp_path) == "kept"
    assert found_by_run(tmp_path, "--fresh-compile") == "nothing"

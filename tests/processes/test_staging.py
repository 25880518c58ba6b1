"""No folder of a worker's code is left."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from conformance.files import TEMPORARY
from conformance.processes.worker_code import staged_worker

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
KILLED = """
import os, signal
from conformance.processes.worker_code import staged_worker
with staged_worker():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_folder_has_the_worker_and_is_removed(temporary: Path) -> None:
    with staged_worker() as script:
        names = {path.name for path in script.parent.rglob("*.py")}
        assert names >= {"start_worker.py", "adapter.py", "session.py", "fork_server.py"}
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_process_that_was_killed_is_removed_by_the_next(temporary: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED], check=False)
    assert len(list(temporary.iterdir())) == 1
    with staged_worker() as script:
        assert list(temporary.iterdir()) == [script.parent]
    assert list(temporary.iterdir()) == []


def test_a_folder_that_is_in_use_a_file_and_a_link_stay(temporary: Path) -> None:
    (temporary / f"{TEMPORARY}file").touch()
    (temporary / "other").mkdir()
    (temporary / f"{TEMPORARY}link").symlink_to(temporary / "other")
    with staged_worker() as first, staged_worker() as second:
        assert first.exists()
        assert second.exists()
    assert {path.name for path in temporary.iterdir()} == {f"{TEMPORARY}file", f"{TEMPORARY}link", "other"}


def test_a_folder_that_another_process_removes_before_it_is_locked_is_made_again(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, made = tempfile.mkdtemp, list[Path]()

    def removed_at_first(prefix: str) -> str:
        folder = Path(make(prefix=prefix))
        made.append(folder)
        if len(made) < 3:
            folder.rmdir()
        return str(folder)

    monkeypatch.setattr(tempfile, "mkdtemp", removed_at_first)
    with staged_worker() as script:
        assert script.parent == made[2]


def test_a_folder_on_a_system_without_locks_is_used_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.files.try_lock", lambda _: False)
    with staged_worker() as script:
        assert script.exists()

"""One folder holds one run, and a machine that fails is named."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from conformance.files import TEMPORARY, FolderInUse, locked_folder
from conformance.results.file import FILE_NAME, ResultsWriter, read_results
from conformance.results.order import write_results
from tests.cli.command import REPOSITORY
from tests.execution.harness import FAKES, WRONG_ADAPTERS
from tests.reports.sample import sample
from tests.untrusted.command import command

RUN = (str(FAKES / "dies_at_once.py"), "--here", "--specs", str(FAKES / "specs"), "-q")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two results files, of which one is being written."""
    for name in ("out", "other"):
        (tmp_path / name).mkdir()
        write_results(sample(complete=name != "out"), tmp_path / name / FILE_NAME)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("run", *RUN, "--output", "out"),
        ("run", *RUN, "--resume", "out"),
        ("matrix", *RUN, "--output", "out"),
        ("report", "other", "other/results.jsonl", "--output", "out"),
        ("repro", "--all", "--results", "out", "--here"),
    ],
    ids=lambda words: " ".join([words[0], words[-2]]),
)
def test_a_folder_that_another_run_writes_to_is_refused_and_left_as_it_is(folder: Path, words: tuple[str, ...]) -> None:
    before = (folder / "out" / FILE_NAME).read_bytes()
    with locked_folder(folder / "out"):
        done = command(*words, cwd=folder)
    assert done.status == 4
    assert "another run writes to it" in done.err
    assert sample().run.command in done.err
    assert (folder / "out" / FILE_NAME).read_bytes() == before
    assert [path.name for path in (folder / "out").iterdir()] == [FILE_NAME]


def test_a_lock_ends_with_its_block(tmp_path: Path) -> None:
    for _ in range(2):
        with locked_folder(tmp_path), pytest.raises(FolderInUse), locked_folder(tmp_path):
            pass


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    code = f"import fcntl, os; fcntl.flock(os.open({str(tmp_path)!r}, 0), fcntl.LOCK_EX); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL  # it had the lock
    with locked_folder(tmp_path):
        pass


def test_to_resume_nothing_creates_no_folder(tmp_path: Path) -> None:
    done = command("run", *RUN, "--resume", "none", cwd=tmp_path)
    assert done.status == 4
    assert "file not found" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["", "\0\0\0\0", "unlink"])
def test_output_that_changes_during_a_run_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    file = tmp_path / "out" / FILE_NAME
    end = ResultsWriter.end

    def damaged(self: ResultsWriter, **parts: object) -> object:
        record = end(self, **parts)  # type: ignore[arg-type]
        file.unlink() if damage == "unlink" else file.write_text(damage)
        return record

    monkeypatch.setattr(ResultsWriter, "end", damaged)
    done = command("run", *RUN, "--output", "out", cwd=tmp_path)
    assert done.status == 4
    assert "another program changed the output of this run" in done.err


def _limited(folder: Path, size: int) -> subprocess.CompletedProcess[str]:
    """A run that cannot write files of more bytes."""
    words = ("run", WRONG_ADAPTERS / "misbehaving.py", *RUN[1:], "--output", "out", "-k", "not unlucky")
    return subprocess.run(
        [sys.executable, "-m", "conformance", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )


def test_a_disk_that_is_full_is_a_clear_error_and_what_was_written_can_be_read(tmp_path: Path) -> None:
    done = _limited(tmp_path, 20_000)
    assert done.returncode == 7, done.stderr
    assert "Traceback" not in done.stderr
    assert "results.jsonl: File too large" in done.stderr
    results = read_results(tmp_path / "out")
    assert results.claims
    assert not results.complete


def test_a_disk_that_is_too_full_for_the_workers_code_is_a_clear_error(tmp_path: Path) -> None:
    done = _limited(tmp_path, 2_000)
    assert done.returncode == 7, done.stderr
    assert "Traceback" not in done.stderr
    assert f"{TEMPORARY}" in done.stderr


def test_a_limit_of_processes_that_allows_no_thread_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")  # as Python does; root has no such limit

    monkeypatch.setattr(threading.Thread, "start", refused)
    done = command("run", *RUN, "--output", "out", cwd=tmp_path)
    assert done.status == 7
    assert "no thread can be started, as the number of processes is limited (ulimit -u)" in done.err
    assert "Traceback" not in done.err


def test_a_full_standard_output_is_a_clear_error(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "conformance", "list", "targets"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "Traceback" not in done.stderr
    assert done.returncode == 7


def test_results_that_nobody_reads_any_more_are_no_divergence(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", *map(str, RUN), "--output", "-"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 7, done.stderr
    assert "standard output was closed before everything was written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["resume", "matrix"])
def test_an_adapter_that_was_edited_is_run_again_and_this_is_said(tmp_path: Path, verb: str) -> None:
    adapter = tmp_path / "mine.py"
    adapter.write_text((WRONG_ADAPTERS / "misbehaving.py").read_text())
    words = ["./mine.py", *RUN[1:], "-k", "lucky-again", "--fail-on", "never"]
    first, again = {
        "resume": (["run", *words, "--output", "out"], ["run", *words, "--resume", "out"]),
        "matrix": (["matrix", *words], ["matrix", *words]),
    }[verb]
    assert command(*first, cwd=tmp_path).status == 0
    adapter.write_text(adapter.read_text().replace("fake.", "edited."))
    done = command(*again, cwd=tmp_path)
    assert "running again, since" in done.err
    results = read_results(tmp_path / ("out" if verb == "resume" else "conformance-matrix"))
    assert {result.api.partition(".")[0] for result in results.results} == {"edited"}

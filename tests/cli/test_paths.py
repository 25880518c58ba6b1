"""A path that the system refuses is a mistake in the command line, which one sentence names."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from conformance.cli.system_errors import described
from tests.cli.command import conformance
from tests.execution.harness import FAKES

LONG = "x" * 300
ADAPTER = str(FAKES / "strides.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "file").touch()
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "report LONG", "report loop", "report file/x", "check LONG", "check loop", "check loop.yaml", "check file/x.yaml",
        "list clauses --specs LONG", "diff LONG loop", "env make LONG", "docs diff LONG LONG",
        "run ADAPTER --here --output LONG", "run ADAPTER --here --output loop", "run ADAPTER --here --output file/x",
        "run ADAPTER --here --specs LONG", "run ADAPTER --here --case LONG", "run ADAPTER --python LONG", "run ./LONG.py --here",
        "run ADAPTER --here --resume LONG", "known update --known LONG LONG", "repro --all --results LONG",
        "adapter new LONG", "adapter new mine --output LONG", "adapter new mine --output loop", "adapter new mine --output file/x",
    ],
)  # fmt: skip
def test_a_path_that_the_system_refuses_is_an_error_in_the_command_line(folder: Path, words: str) -> None:
    done = conformance(*words.replace("LONG", LONG).replace("ADAPTER", ADAPTER).split(), cwd=folder)
    assert done.status == 4, done
    assert "Traceback" not in done.err
    assert len(done.err) < 1500


def test_an_error_about_a_path_that_no_argument_names_is_one_of_the_suite() -> None:
    error = FileNotFoundError(errno.ENOENT, "No such file or directory", "/suite/file")
    assert described(error, ["run", "other"]) is None
    failure = described(error, ["run", "--output=/suite"])
    assert failure is not None
    assert (failure.status, str(failure)) == (4, "/suite/file: No such file or directory; use another path")


def test_memory_that_is_used_up_is_a_limit_of_the_machine_and_no_internal_error() -> None:
    failure = described(MemoryError(), [])
    assert failure is not None
    assert (failure.status, str(failure)) == (7, "out of memory; what was written until then can be read")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EFBIG, errno.EPIPE])
def test_a_machine_without_room_has_an_exit_status_of_its_own(code: int) -> None:
    failure = described(OSError(code, "reason"), [])
    assert failure is not None
    assert (failure.status, str(failure)) == (7, "reason; what was written until then can be read")

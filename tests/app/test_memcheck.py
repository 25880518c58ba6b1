"""A target that cannot run below memcheck is refused before anything starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.app.errors import ConformanceError
from conformance.app.memcheck import memcheck_for
from conformance.environments.definition import definitions
from conformance.environments.resolve import Target, resolve
from conformance.processes.memcheck import installed


def _target(name: str) -> Target:
    [target] = resolve([name], definitions())
    return target


@pytest.mark.parametrize(
    ("name", "reason"),
    [("torch@cuda", "watches the memory of a CPU, not of cuda"), ("torch[compile]", "compiles many calls at once")],
)
def test_a_target_whose_memory_it_does_not_see_is_an_error_of_the_command(name: str, reason: str) -> None:
    with pytest.raises(ConformanceError, match=reason) as error:
        memcheck_for([_target("numpy"), _target(name)])
    assert error.value.status == 4


def test_without_valgrind_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(ConformanceError, match="apt-get install valgrind") as error:
        memcheck_for([_target("numpy")])
    assert error.value.status == 6


def test_its_version_is_what_the_program_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "valgrind"
    program.write_text("#!/bin/sh\necho valgrind-9.9\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(program))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert installed().version == "valgrind-9.9"
    assert installed().command(tmp_path / "log")[-1] == f"--log-file={tmp_path / 'log'}"

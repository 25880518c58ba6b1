"""What is said of a target that cannot start, hangs, or has no device on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import conformance

APIS = """\
from conformance.adapter import api


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return input
"""
TARGET = """\
title = "Mine"
package = "mine-of-nobody"
tested = "1.0"

[devices]
fancy = {gpu = true, driver = ["/nowhere/fancy*"]}

[modes]
eager = {}

[[releases]]
versions = ""
python = ""
install.fancy = [{package = "mine-of-nobody", size = 4.8}]
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_an_adapter_that_hangs_at_import_is_limited_and_the_limit_is_announced(tmp_path: Path, start: str) -> None:
    (tmp_path / "mine.py").write_text(f"import time\n\ntime.sleep(600)\n{APIS}")
    run = ("run", "./mine.py", "--here", "-k", "from-a-square", "--start", start, "--start-timeout", "0.5")
    done = conformance(*run, cwd=tmp_path)
    assert done.status == 6
    assert "./mine.py: importing mine, limit 0.5 s" in done.err
    assert "0.5 s" in done.out
    assert "--start-timeout sets the limit" in " ".join(done.out.split())


def test_the_cause_at_the_end_of_a_long_message_is_shown(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"raise ValueError('x' * 2000 + ' because of the moon')\n{APIS}")
    done = conformance("run", "./mine.py", "--here", "-k", "from-a-square", cwd=tmp_path)
    assert done.status == 6
    assert "because of the moon" in " ".join(done.out.split())
    assert "because of the moon" in done.err


def test_a_device_without_its_driver_is_reported_before_anything_is_installed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(APIS)
    (tmp_path / "target.toml").write_text(TARGET)
    done = conformance("env", "make", "./mine.py@fancy", cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path / "home"))
    assert done.status == 6
    assert "this machine has no device fancy: none of /nowhere/fancy* exists" in done.err
    assert "Mine 1.0 (4.8 GB) was not installed; conformance env make --force ./mine.py@fancy installs it" in done.err


def test_force_looks_for_the_packages_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(APIS)
    (tmp_path / "target.toml").write_text(TARGET)
    make = ("env", "make", "--force", "--offline", "./mine.py@fancy")
    done = conformance(*make, cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path / "home"))
    assert done.status == 6
    assert "this machine has no device" not in done.err
    assert "resolving Mine 1.0" in done.err


def test_a_run_without_the_device_installs_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(APIS)
    (tmp_path / "target.toml").write_text(TARGET)
    run = ("run", "./mine.py@fancy", "-k", "from-a-square")
    done = conformance(*run, cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path / "home"))
    assert done.status == 6
    assert "this machine has no device fancy" in " ".join(done.out.split())
    assert not (tmp_path / "home" / "environments").exists()

"""What is said of a target that cannot start, hangs, or has no device on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.app.early import started_early
from conformance.results.file import read_results
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
plain = {gpu = false}
fancy = {gpu = true, driver = ["/nowhere/fancy*"]}

[modes]
eager = {}

[[releases]]
versions = ""
python = ""
install.plain = [{package = "mine-of-nobody", size = 4.8}]
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


def test_the_error_of_an_import_is_said_once_with_the_line_that_raised_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"import nothing_of_this_name\n{APIS}")
    done = conformance("run", "./mine.py", "--here", "-k", "from-a-square", cwd=tmp_path)
    for text in (done.out, done.err):
        line = " ".join(text.split())
        assert line.count("No module named 'nothing_of_this_name'") == 1
        assert "'nothing_of_this_name': File" in line
        assert "line 1, in <module> import nothing_of_this_name" in line


def test_code_that_cannot_be_compiled_is_said_once_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"def f(:\n    pass\n{APIS}")
    done = conformance("run", "./mine.py", "--here", "-k", "from-a-square", cwd=tmp_path)
    assert done.err.count("SyntaxError") == 1
    assert "line 1 def f(:" in " ".join(done.err.split())


def test_an_interpreter_that_lacks_the_framework_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"import mine_of_nobody\n{APIS}")
    (tmp_path / "target.toml").write_text(TARGET)
    done = conformance("run", "./mine.py", "--here", "-k", "from-a-square", cwd=tmp_path)
    assert done.status == 6
    install = f"`conformance env install ./mine.py --python {sys.executable}`"
    assert f"{sys.executable} has no mine-of-nobody, which {install} installs" in done.err


def test_a_version_that_no_index_has_is_refused_before_cases_are_built(tmp_path: Path) -> None:
    done = conformance("run", "numpy==99", "--offline", cwd=tmp_path)
    assert done.status == 6
    assert "numpy==99 cannot be installed" in done.err
    assert "cases" not in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_version_that_no_index_has_is_in_the_results_that_a_named_folder_is_to_have(tmp_path: Path) -> None:
    done = conformance("run", "numpy==99", "--offline", "-k", "from-a-square", "--output", "made", cwd=tmp_path)
    assert done.status == 6
    [target] = read_results(tmp_path / "made").targets
    assert "numpy==99 cannot be installed" in (target.blocked or "")


def test_a_version_that_no_index_has_does_not_end_the_run_of_another_target(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(APIS)
    names = ["numpy==99", str(tmp_path / "mine.py")]
    with started_early(
        names, (), python=None, here=False, parallel=1, start="auto", start_limit=60.0, offline=True
    ) as started:
        assert started is not None


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


def test_a_first_run_says_what_it_installs_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(APIS)
    (tmp_path / "target.toml").write_text(TARGET)
    run = ("run", "./mine.py@plain", "-k", "from-a-square", "--offline")
    done = conformance(*run, cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path / "home"))
    first, *_ = done.err.splitlines()
    assert first.startswith("this first run creates environments")
    assert first.endswith("./mine.py@plain 4.8 GB; at 10 MB/s that takes about 4 min")
    assert "this first run" not in conformance(*run, "-q", cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path / "home")).err

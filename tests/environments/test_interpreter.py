from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance import __version__
from conformance.data_folders import adapters_folder
from conformance.environments.definition import find_definitions
from conformance.environments.environment import ensure
from conformance.environments.errors import TargetBlocked
from conformance.environments.interpreter import find_python, inspect_interpreter
from conformance.environments.resolve import resolve
from conformance.environments.stored import user_environment
from conformance.environments.uv import find_uv
from tests.environments.toys import PLAIN, Toys

HERE = ".".join(map(str, sys.version_info[:3]))


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_an_interpreter_says_its_version_and_its_packages() -> None:
    found = inspect_interpreter(Path(sys.executable))
    assert found.version == HERE
    assert found.packages["pytest"] == pytest.__version__


def test_what_an_interpreter_prints_besides_does_not_matter(tmp_path: Path) -> None:
    noisy = script(tmp_path / "python", f'echo noise; echo noise >&2; exec {sys.executable} "$@"')
    assert inspect_interpreter(noisy).version == HERE


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("exit 3", "exit status 3)"),
        ("echo no such option >&2; exit 2", "exit status 2: no such option"),
        ("echo hello", "exit status 0: hello"),
        ("kill -SEGV $$", "exit status -11"),
        ('ls "$@"', "(exit status 0)"),
        ('cat "$@"', "(exit status 0)"),
    ],
)
def test_a_program_that_is_not_python_is_refused_with_its_output(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(TargetBlocked, match="not a Python interpreter") as caught:
        inspect_interpreter(script(tmp_path / "python", text))
    assert problem in str(caught.value)


def test_files_of_the_current_folder_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("random", "json", "pathlib", "sitecustomize"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert inspect_interpreter(Path(sys.executable)).version == HERE
    (tmp_path / "python").symlink_to(sys.executable)
    assert inspect_interpreter(Path("python")).version == HERE


def test_an_interpreter_of_the_user_without_numpy_is_refused_before_a_worker_starts(tmp_path: Path) -> None:
    [target] = resolve(["numpy"], find_definitions(adapters_folder()))
    bare = script(tmp_path / "python", """echo 'conformance:{"version": "3.11.7", "packages": {}, "numpy": false}'""")
    with pytest.raises(TargetBlocked, match=r"has no NumPy, which a worker needs .* -m pip install numpy$"):
        user_environment(target, bare)


def test_a_file_that_cannot_be_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "python"
    path.write_text("", encoding="utf-8")
    with pytest.raises(TargetBlocked, match="cannot be executed: Permission denied"):
        inspect_interpreter(path)
    path.chmod(0o755)
    with pytest.raises(TargetBlocked, match="cannot be executed: Exec format error"):
        inspect_interpreter(path)


def test_a_python_that_is_too_old_for_a_worker_is_refused(tmp_path: Path) -> None:
    old = script(tmp_path / "python", """echo 'conformance:{"version": "3.8.18", "packages": {}}'""")
    with pytest.raises(TargetBlocked, match=r"is Python 3\.8\.18; a worker needs Python 3\.9 or later"):
        inspect_interpreter(old)


def test_a_users_interpreter_is_used_as_it_is(toys: Toys) -> None:
    toys.define()
    toys.pip(find_links="/no/wheels")
    used = ensure(toys.target("toy", here=True), report=toys.messages.append, home=toys.home)
    assert (used.python, used.folder, used.requirement, used.version) == (Path(sys.executable), None, None, None)
    assert used.packages["pytest"] == pytest.__version__
    assert toys.messages == []
    assert not toys.home.exists()


def test_the_version_that_a_users_interpreter_has_is_found_and_compared(toys: Toys) -> None:
    toys.define(PLAIN.replace("toy", "pytest"), name="pytest")
    used = ensure(toys.target("pytest", here=True), report=toys.messages.append)
    assert used.version == pytest.__version__
    with pytest.raises(TargetBlocked, match=rf"is {pytest.__version__}, which does not match ==1\.0"):
        ensure(toys.target("pytest==1.0", here=True), report=toys.messages.append)


def test_the_reference_has_the_suites_version_in_every_interpreter(toys: Toys) -> None:
    (target,) = resolve(["reference"], find_definitions(adapters_folder()), here=True)
    assert ensure(target, report=toys.messages.append).version == __version__


def test_the_python_that_runs_the_suite_is_taken_where_it_suits(toys: Toys) -> None:
    uv = find_uv({}, toys.wheels)
    assert find_python(SpecifierSet(f"=={HERE}"), uv, "Toy") == Path(sys.executable)


def test_a_python_that_is_nowhere_is_named(toys: Toys) -> None:
    toys.define(PLAIN.replace(">=3.9", ">=9.1"))
    toys.wheel("1.0.0")
    with pytest.raises(TargetBlocked, match="needs Python >=9") as caught:
        toys.ensure("toy")
    assert f"the suite runs on {HERE}" in str(caught.value)
    assert "Install such a Python" in str(caught.value)
    assert toys.folders() == []


def test_the_newest_python_that_suits_is_the_one_to_install(toys: Toys) -> None:
    toys.home.mkdir()
    with pytest.raises(TargetBlocked, match=r"Install Python 3\.15: `uv python install 3\.15`"):
        find_python(SpecifierSet(">=3.15,<3.16"), find_uv({}, toys.home), "Toy 1.0.0")


def test_another_python_of_the_machine_is_taken_where_the_running_one_does_not_suit(toys: Toys) -> None:
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    allowed = f">=3.9,!={running}.*"
    toys.home.mkdir()
    try:
        find_python(SpecifierSet(allowed), find_uv(os.environ, toys.home), "Toy")
    except TargetBlocked:
        pytest.skip(f"no other Python than {running} on this machine")
    toys.define(PLAIN.replace(">=3.9", allowed))
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    assert Version(made.python_version) in SpecifierSet(allowed)
    assert inspect_interpreter(made.python).version == made.python_version

"""What compilers keep is found again by the next run of the same environment and adapter, and by no other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.environments import compiler_caches
from conformance.environments.compiler_caches import FOLDER, MOST_AGE, cache_variables
from conformance.environments.definition import load_definition
from conformance.environments.prepared_target import Prepared
from conformance.environments.stored import remove_folder, size_on_disk
from tests.cli.command import conformance
from tests.execution.harness import FAKES, THIS_ENVIRONMENT, job


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    """A target with a cache, in an environment of the suite's."""
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(compiler_caches, "_HELD", {})
    adapter = Path(shutil.copy(FAKES / "modes" / "modes.py", tmp_path / "modes.py"))
    text = (FAKES / "modes" / "target.toml").read_text(encoding="utf-8")
    path = tmp_path / "target.toml"
    path.write_text(text.replace("eager = {}", 'eager = {caches = ["TOY_CACHE"]}'), encoding="utf-8")
    target = replace(job(adapter).target, definition=load_definition(path, "modes"))
    folder = tmp_path / "home" / "environments" / "toy-1-cpu"
    folder.mkdir(parents=True)
    return Prepared(target, replace(THIS_ENVIRONMENT, folder=folder))


def cache_of(prepared: Prepared) -> Path:
    [(name, folder)] = cache_variables(prepared).items()
    assert name == "TOY_CACHE"
    assert Path(folder).is_dir()
    return Path(folder)


def test_it_is_the_same_for_an_environment_and_an_adapter_and_another_for_others(prepared: Prepared) -> None:
    first = cache_of(prepared)
    assert cache_of(prepared) == first
    other = replace(prepared, environment=replace(THIS_ENVIRONMENT, folder=first.parent))
    assert cache_of(other) != first
    with prepared.target.adapter.open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert cache_of(prepared) != first


def test_machines_that_share_a_folder_have_what_is_compiled_for_their_processors(
    prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = cache_of(prepared)
    monkeypatch.setattr(compiler_caches, "_processor", lambda: "another")
    assert cache_of(prepared) != first


def test_an_interpreter_with_other_packages_is_another(prepared: Prepared) -> None:
    users = replace(prepared, environment=THIS_ENVIRONMENT)
    updated = replace(THIS_ENVIRONMENT, packages={**THIS_ENVIRONMENT.packages, "toy": "2"})
    assert cache_of(users) != cache_of(replace(prepared, environment=updated))


def test_code_for_one_thread_and_code_for_more_are_kept_apart(prepared: Prepared) -> None:
    assert cache_of(prepared.with_threads(2)) != cache_of(prepared)


def test_a_mode_without_caches_has_none(prepared: Prepared) -> None:
    assert cache_variables(replace(prepared, target=replace(prepared.target, mode="compile"))) == {}


def test_no_folder_is_in_the_variables_of_the_record(prepared: Prepared) -> None:
    cache_of(prepared)
    assert "TOY_CACHE" not in prepared.variables


def test_it_is_removed_with_the_environment(prepared: Prepared) -> None:
    folder = cache_of(prepared)
    assert prepared.environment.folder is not None
    remove_folder(prepared.environment.folder)
    assert not folder.exists()


def test_that_of_another_interpreter_is_removed_with_all_environments(prepared: Prepared, tmp_path: Path) -> None:
    folder = cache_of(replace(prepared, environment=THIS_ENVIRONMENT))
    assert folder.is_relative_to(tmp_path / "home" / FOLDER)
    release(prepared)
    assert conformance("env", "remove", "--all", cwd=tmp_path).status == 0
    assert not folder.exists()


def release(prepared: Prepared) -> None:
    """End the use of folders by this process, as its end does."""
    del prepared
    for descriptor in compiler_caches._HELD.values():
        os.close(descriptor)
    compiler_caches._HELD.clear()


def unused_since(folder: Path, seconds: float) -> None:
    os.utime(folder, (time.time() - seconds,) * 2)


def test_what_no_run_has_used_for_a_week_is_removed(prepared: Prepared) -> None:
    mine = cache_of(prepared).parent.parent
    old, recent = mine.with_name("old"), mine.with_name("recent")
    for folder, age in ((old, MOST_AGE + 60), (recent, MOST_AGE - 60)):
        folder.mkdir()
        unused_since(folder, age)
    release(prepared)
    cache_of(prepared)
    assert (old.exists(), recent.exists()) == (False, True)


@contextmanager
def used_by_another_process(folder: Path) -> Iterator[None]:
    text = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_SH); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", text, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked there")
def test_what_has_become_too_large_is_emptied_unless_a_run_uses_it(
    prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cache_of(prepared)
    (folder / "code").write_bytes(bytes(2000))
    monkeypatch.setattr(compiler_caches, "MOST_BYTES", 1000 + size_on_disk(folder.parent.parent) - 2000)
    release(prepared)
    with used_by_another_process(folder.parent.parent):
        cache_of(prepared)
        assert (folder / "code").exists()
        release(prepared)
    cache_of(prepared)
    assert not (folder / "code").exists()

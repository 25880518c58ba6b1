"""Frameworks are imported while the specs are read, and nothing of that is left over."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conformance.app.selecting import target_words
from conformance.cli.main import conformance
from conformance.environments.resolve import Target, resolve
from conformance.processes.early_starts import EarlyStarts, early_starts
from conformance.processes.worker_starter import Starting, WorkerStarter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")

ADAPTER = """
from conformance.adapter import api

def describe():
    return {"framework": "mine", "version": "1.0"}

@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return input
"""


@pytest.fixture
def targets(tmp_path: Path) -> list[Target]:
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(ADAPTER, encoding="utf-8")
    return resolve([str(tmp_path / "first.py"), str(tmp_path / "second.py")], {}, here=True)


@pytest.fixture
def started(targets: list[Target]) -> Iterator[EarlyStarts]:
    with early_starts(targets, 1, Starting("auto")) as started:
        yield started


def taken(started: EarlyStarts, target: Target) -> WorkerStarter:
    starter = started.take(target)
    assert starter is not None
    return starter


def test_only_as_many_import_as_there_is_memory_for(started: EarlyStarts, targets: list[Target]) -> None:
    starters = [taken(started, target) for target in targets]
    assert [starter.imported for starter in starters] == [1, 0]
    for starter in starters:
        starter.close()


def test_a_target_that_was_started_forks_its_workers_without_another_import(
    started: EarlyStarts, targets: list[Target]
) -> None:
    starter = taken(started, targets[0])
    worker = starter.launch()
    assert starter.initialize(worker)["about"]["version"] == "1.0"
    worker.close()
    starter.close()
    assert (starter.imported, starter.forked) == (1, 1)


def test_a_target_is_taken_once(started: EarlyStarts, targets: list[Target]) -> None:
    taken(started, targets[0]).close()
    assert started.take(targets[0]) is None


def test_what_nobody_took_is_closed_with_the_context(targets: list[Target], monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    close = WorkerStarter.close

    def recording_close(starter: WorkerStarter) -> None:
        close(starter)
        closed.append(starter.imported)

    monkeypatch.setattr(WorkerStarter, "close", recording_close)
    with early_starts(targets, 2, Starting("auto")) as started:
        pass
    assert closed == [1, 1]
    assert started.take(targets[0]) is None


def test_without_forking_nothing_is_imported_early(targets: list[Target]) -> None:
    with early_starts(targets, 2, Starting("spawn")) as started:
        assert taken(started, targets[0]).imported == 0


@pytest.mark.parametrize(
    ("device", "imports"), [("declared", 1), ("gpu", 0), ("files", 0), ("needy", 0), ("without", 1), ("refused", 0)]
)
def test_workers_of_a_device_with_a_driver_are_forked_only_if_its_definition_says_that_an_import_leaves_it_alone(
    tmp_path: Path, device: str, imports: int
) -> None:
    (tmp_path / "adapter.py").write_text(ADAPTER, encoding="utf-8")
    (tmp_path / "target.toml").write_text(
        'title = "Mine"\npackage = "mine"\nissues = "https://example.org"\ntested = "1.0"\n'
        "[devices]\ndeclared = {gpu = true, forks = true}\ngpu = {gpu = true}\n"
        'files = {gpu = false, driver = ["/dev/mine"]}\nneedy = {gpu = false, needs = "a driver"}\n'
        "without = {gpu = false}\nrefused = {gpu = false, forks = false}\n[modes]\neager = {}\n"
        '[[releases]]\nversions = ">=1"\npython = ">=3.9"\ninstall.gpu = [{package = "mine", size = 1}]\n',
        encoding="utf-8",
    )
    targets = resolve([f"{tmp_path / 'adapter.py'}@{device}"], {}, here=True)
    with early_starts(targets, 1, Starting("auto")) as started, closing(taken(started, targets[0])) as starter:
        assert starter.imported == imports


def test_a_target_without_an_environment_is_left_to_the_run(
    targets: list[Target], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    [target] = resolve([str(tmp_path / "first.py")], {})
    with early_starts([target], 1, Starting("auto")) as started:
        assert started.take(target) is None


def test_a_run_starts_its_targets_before_it_imports_what_reads_the_specs(
    targets: list[Target], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imports: list[int] = []

    def run_command(early: EarlyStarts, **_: object) -> int:
        starter = taken(early, targets[0])
        imports.append(starter.imported)
        starter.close()
        return 0

    monkeypatch.setattr("conformance.cli.run.run_command", run_command)
    conformance(["run", str(tmp_path / "first.py"), "--here"], standalone_mode=False)
    assert imports == [1]


def test_the_words_of_a_command_line_that_name_targets_are_told_from_ids(tmp_path: Path, targets: list[Target]) -> None:
    path = str(tmp_path / "first.py")
    words = ["torch==2.13.0[compile]@cuda:1", "scatter_nd.example", "gather_nd", path, "tocrh", "./none.py"]
    assert target_words(words) == [words[0], path]

"""Runs on a real scheduler and real workers, each a process that may be killed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.cluster import on_dask, sizing
from conformance.cluster.messages import Begun, Emit, Message, Output
from conformance.results.file import Results, read_results
from tests.cli.command import conformance
from tests.cluster.machines import Cluster, cluster
from tests.execution.harness import FAKES
from tests.execution.sharded import without_times

REPORT = Path("conformance-report")
RUN = ("run", "./wrong_on_draws.py", "--here", "--operation", "gather_elements", "-k", "rule", "--draws", "3")
ANY_STATUS = ("--fail-on", "never")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an adapter and its known divergences."""
    folder = tmp_path_factory.mktemp("user")
    shutil.copy(FAKES / "wrong_on_draws.py", folder)
    ledger = (FAKES / "divergences_of_wrong_on_draws.yaml").read_text()
    (folder / "divergences.yaml").write_text(ledger.replace(", gather_elements.behaviour.index-outside/*", ""))
    return folder


@pytest.fixture(scope="module")
def whole(folder: Path) -> Results:
    done = conformance(*RUN, *ANY_STATUS, "--output", "whole", cwd=folder)
    assert done.status == 0, done.err
    return read_results(folder / "whole")


@pytest.fixture(autouse=True)
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several units, though all are short."""
    monkeypatch.setattr(sizing, "shard_counts", lambda targets, *_: [4] * len(targets))


@contextmanager
def watched(watch: Callable[[on_dask.OnDask, Message], None]) -> Iterator[None]:
    """Call a function with each message that a cluster sends, before it is handled."""

    class Watched(on_dask.OnDask):
        def __init__(self, client: object, contents: object, emit: Emit) -> None:
            def watching(message: Message) -> None:
                watch(self, message)
                emit(message)

            super().__init__(client, contents, watching)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_dask, "OnDask", Watched)
        yield


def test_a_worker_that_is_killed_and_one_that_joins_late_change_nothing(
    folder: Path, whole: Results, tmp_path: Path
) -> None:
    machines: dict[str, str] = {}
    killed: list[str] = []

    with cluster(tmp_path, 2, own_homes=False) as machine_room:

        def watch(engine: on_dask.OnDask, message: Message) -> None:
            if isinstance(message, Begun):
                machines[message.attempt] = message.machine
            if isinstance(message, Output) and not killed and '"kind":"result"' in "".join(message.lines):
                killed.append(machines[message.attempt])
                machine_room.kill(killed[0])
                machine_room.add_worker()

        with watched(watch):
            done = conformance(*RUN, *ANY_STATUS, "--on", machine_room.address, "--output", "on", cwd=folder)
    assert done.status == 0, done.err
    assert killed, done.err
    assert "is done again: its worker was lost" in done.err
    assert without_times(read_results(folder / "on")) == without_times(whole)


def test_a_scheduler_that_is_not_there_is_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_dask, "SECONDS_TO_CONNECT", 1)
    done = conformance("run", "reference", "--here", "-k", "example", "--on", "tcp://127.0.0.1:9", cwd=tmp_path)
    assert done.status == 6
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in done.err
    assert not (tmp_path / REPORT).exists()

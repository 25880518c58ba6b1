"""Runs on a real scheduler and real workers, each a process that may be killed."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask
import pytest

from conformance.cluster import on_dask, sizing, unit
from conformance.cluster.gathering import FOLDER
from conformance.cluster.messages import ClusterUnreachable, Emit, Ended, Message, Progress
from conformance.cluster.places import connected
from conformance.outcomes.model import Died, Raised
from conformance.results.exit_status import fails
from conformance.results.file import Results, read_results
from tests.cli.command import conformance
from tests.cluster.machines import cluster, eventually
from tests.execution.harness import FAKES, WRONG_ADAPTERS
from tests.execution.sharded import without_times

REPORT = Path("conformance-report")
ADAPTER = f"wrong_on_draws_{os.getpid()}.py"
"""Processes of a run have it in their command lines; other runs of this file do not."""
RUN = ("run", f"./{ADAPTER}", "--here", "--operation", "gather_elements", "-k", "rule", "--draws", "3")
REFERENCE = ("run", "reference", "--here", "--operation", "gather_elements", "-k", "example", "--draws", "0")
ANY_STATUS = ("--fail-on", "never")
HELD_GATHER = """def _gather(input, dim, index):
    held = next(CALLS) == 4
    while held and HOLD.exists():
        time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an adapter, whose fourth call waits while a file named hold is there, and its known divergences."""
    folder = tmp_path_factory.mktemp("user")
    adapter = (FAKES / "wrong_on_draws.py").read_text().replace("def _gather(input, dim, index):\n", HELD_GATHER)
    imports = f"import itertools, pathlib, time\n\nHOLD = pathlib.Path({str(folder / 'hold')!r})\nCALLS = itertools.count(1)\n"
    (folder / ADAPTER).write_text(adapter.replace("import numpy", f"{imports}\nimport numpy", 1))
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
    _units(monkeypatch, 4)


def _units(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(sizing, "shard_counts", lambda targets, *_, **__: [count] * len(targets))


@pytest.fixture(scope="module")
def on_one_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster that no test changes."""
    with cluster(tmp_path_factory.mktemp("one"), 1, own_homes=False) as machine_room:
        yield machine_room.address


class Watched(on_dask.OnDask):
    """Calls a function with each message of a cluster, before it is handled."""

    def __init__(self, client: Any, contents: Any, emit: Emit, *, watch: Callable[[Message], None]) -> None:
        def watching(message: Message) -> None:
            watch(message)
            emit(message)

        super().__init__(client, contents, watching)


@contextmanager
def watched(watch: Callable[[Message], None]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_dask, "OnDask", partial(Watched, watch=watch))
        yield


def test_a_worker_that_is_killed_and_one_that_joins_late_change_nothing(
    folder: Path, whole: Results, tmp_path: Path
) -> None:
    killed: list[str] = []
    hold = folder / "hold"
    hold.touch()

    with cluster(tmp_path, 2, own_homes=False) as machine_room:

        def watch(message: Message) -> None:
            if isinstance(message, Progress) and message.started and not killed:
                killed.append(message.machine)
                # In a thread of its own: this one belongs to the client.
                threading.Thread(target=replace_worker, args=(message.machine,)).start()

        def replace_worker(machine: str) -> None:
            machine_room.kill(machine)
            hold.unlink()
            machine_room.add_worker()

        with watched(watch):
            done = conformance(*RUN, *ANY_STATUS, "--on", machine_room.address, "--output", "on", cwd=folder)
    assert done.status == 0, done.err
    assert killed, done.err
    assert "is done again: " in done.err
    assert without_times(read_results(folder / "on")) == without_times(whole)
    nothing_runs_in(folder)


def nothing_runs_in(folder: Path) -> None:
    """AssertionError if a process of a unit is left: its workers have the adapter in their command line, or its folder as theirs."""

    def left() -> list[str]:
        commands = [command for command in map(_command, Path("/proc").glob("[0-9]*")) if command]
        return [command for command in commands if "--unit" in command and f"./{ADAPTER}" in command]

    eventually(lambda: not left(), f"no unit is left in {folder}")


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def test_a_scheduler_that_is_not_there_is_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_dask, "SECONDS_TO_CONNECT", 1)
    done = conformance(*REFERENCE, "--on", "tcp://127.0.0.1:9", cwd=tmp_path)
    assert done.status == 6
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in done.err
    assert not (tmp_path / REPORT).exists()


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    """The client of a local cluster with one worker."""
    with on_dask.local_client(1) as client:
        yield client


def test_a_local_cluster_has_the_workers_that_were_asked_for_and_they_have_imported_the_suite(local: Any) -> None:
    def is_imported() -> bool:
        return "conformance.cluster.machine" in sys.modules

    assert on_dask.slots_of(local) == 1
    assert [*local.run(is_imported).values()] == [True]


class _Failing:
    """Clusters of which so many cannot start."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, **_: object) -> _Failing:
        if self.left:
            self.left -= 1
            raise RuntimeError("Nanny failed to start.")
        return self


def test_a_local_cluster_whose_worker_is_killed_while_it_starts_is_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twice = _Failing(2)
    monkeypatch.setattr(on_dask, "LocalCluster", twice)
    assert on_dask._local_cluster(1) is twice
    monkeypatch.setattr(on_dask, "LocalCluster", _Failing(3))
    with pytest.raises(ClusterUnreachable, match=r"on this machine do not start: Nanny failed to start\.$"):
        on_dask._local_cluster(1)


def test_workers_of_a_local_cluster_do_not_watch_themselves_on_cores_that_units_need(local: Any) -> None:
    def watching(dask_worker: Any) -> tuple[bool, float]:
        callbacks = dask_worker.periodic_callbacks
        return "profile" in callbacks, callbacks["tick"].callback_time

    assert [*local.run(watching).values()] == [(False, 1_000)]


def test_a_unit_has_the_environment_of_the_machine_rather_than_that_of_a_dask_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _units(monkeypatch, 1)
    names = ["MALLOC_TRIM_THRESHOLD_", "PYTHONHASHSEED", "OPENBLAS_NUM_THREADS"]
    for name in names:
        monkeypatch.delenv(name, raising=False)  # an earlier local cluster sets them in this process
    (tmp_path / "shows.py").write_text(
        "import os\n\nfrom conformance.adapter import api\n\n"
        "@api('fake.gather', operation='gather_elements')\ndef gather(input, dim, index):\n"
        f"    raise ValueError([name for name in {names} if name in os.environ])\n"
    )
    run = ("run", "./shows.py", "--here", "--specs", FAKES / "specs", "-k", "lucky/as-printed", *ANY_STATUS)
    done = conformance(*run, "--on", "local:1", cwd=tmp_path)
    assert done.status == 0, done.err
    outcomes = [result.outcome for result in read_results(tmp_path / REPORT).results]
    messages = {outcome.error.message for outcome in outcomes if isinstance(outcome, Raised)}
    assert {message for message in messages if message.startswith("[")} == {"[]"}, outcomes


def test_others_may_join_a_scheduler_but_not_a_local_cluster(on_one_worker: str) -> None:
    with connected("local:1", insecure=False) as own, connected(on_one_worker, insecure=False) as joined:
        assert (own.grows, joined.grows) == (False, True)


def test_a_tls_scheduler_without_certificates_of_ones_own_is_refused_with_where_to_put_them(tmp_path: Path) -> None:
    none = {f"distributed.comm.tls.{name}": None for name in ("ca-file", "client.cert", "client.key")}
    with dask.config.set(none):
        done = conformance(*REFERENCE, "--on", "tls://127.0.0.1:9", cwd=tmp_path)
    assert done.status == 6
    assert "no certificates for tls://127.0.0.1:9" in done.err
    assert "distributed.comm.tls" in done.err


def test_a_target_on_a_gpu_is_blocked_if_no_worker_declares_one(folder: Path, on_one_worker: str) -> None:
    adapter = (FAKES / "wrong_on_draws.py").read_text()
    (folder / "with_devices.py").write_text(f"{adapter}\n\ndef setup(device, mode):\n    pass\n")
    run = ("run", "./with_devices.py@cuda", *RUN[2:], *ANY_STATUS)
    done = conformance(*run, "--on", on_one_worker, "--output", "gpu", cwd=folder)
    assert done.status == 6
    [target] = read_results(folder / "gpu").targets
    assert target.blocked == "no worker declares a GPU; start one with: dask worker --resources GPU=1"


def test_a_run_whose_workers_all_have_another_python_is_blocked_with_both_versions(
    folder: Path, on_one_worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit, "python_version", lambda: "3.99")
    done = conformance(*RUN, "--on", on_one_worker, "--output", "python", cwd=folder)
    assert done.status == 6
    assert "is not used: it runs Python 3." in done.err
    assert "and 3.99 is needed" in done.err
    assert "blocked: none of the workers can carry it out" in done.err


def test_a_worker_that_cannot_import_the_suite_is_not_used_and_the_message_says_so(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "conformance.py").touch()
    with cluster(tmp_path, 0, own_homes=False) as machine_room:
        machine_room.add_worker(PYTHONPATH=str(tmp_path / "without"))
        done = conformance(*RUN, "--on", machine_room.address, "--output", "python", cwd=folder)
    assert done.status == 6
    assert "is not used: it cannot import the suite, or does not answer: " in done.err
    assert "'conformance' is not a package" in done.err
    assert "blocked: none of the workers can carry it out" in done.err


def test_what_fails_on_a_machine_is_run_again_with_lf(
    tmp_path: Path, on_one_worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _units(monkeypatch, 1)
    run = ("run", WRONG_ADAPTERS / "order_dependent.py", "--here", "--specs", FAKES / "specs", "-q")
    assert conformance(*run, "-k", "lucky and not again", cwd=tmp_path).status == 1
    failed = {result.case for result in read_results(tmp_path / REPORT).results if fails(result, "own")}
    assert conformance(*run, "--lf", "--on", on_one_worker, cwd=tmp_path).status == 1
    assert set(read_results(tmp_path / REPORT).cases) == failed


# What takes minutes


@pytest.mark.frameworks
def test_a_worker_killed_in_every_tenth_unit_and_a_paused_one_change_nothing(
    folder: Path, whole: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _units(monkeypatch, 20)
    begun: list[str] = []
    """First attempts alone: a call whose worker is killed twice died."""
    with cluster(tmp_path, 3, own_homes=True) as machine_room:

        def watch(message: Message) -> None:
            if not isinstance(message, Progress) or not message.attempt.endswith("-1") or message.attempt in begun:
                return
            begun.append(message.attempt)
            if len(begun) == 5:
                threading.Thread(target=machine_room.pause, args=(message.machine, 30)).start()
            elif len(begun) % 10 == 0:
                threading.Thread(target=replace_worker, args=(message.machine,)).start()

        def replace_worker(machine: str) -> None:
            machine_room.kill(machine)
            machine_room.add_worker()

        with watched(watch):
            done = conformance(*RUN, *ANY_STATUS, "--on", machine_room.address, "--output", "chaos", cwd=folder)
    assert done.status == 0, done.err
    assert done.err.count("is done again: ") >= 2, done.err
    assert without_times(read_results(folder / "chaos")) == without_times(whole)
    nothing_runs_in(folder)


@pytest.mark.frameworks
def test_a_call_that_takes_its_machine_down_died_and_takes_no_third_one_down(tmp_path: Path) -> None:
    shutil.copy(FAKES / "kills_its_machine.py", tmp_path)
    chosen = "(lucky/as-printed or lucky-again/as-printed) and not as-printed. and not unlucky"
    run = ("run", "./kills_its_machine.py", "--here", "--specs", FAKES / "specs", "-k", chosen)
    with cluster(tmp_path, 3, own_homes=False) as machine_room:
        done = conformance(*run, "--on", machine_room.address, cwd=tmp_path)
        died = sum(worker.poll() is not None for worker in machine_room.workers)
    assert done.status == 1, done.err
    results = {result.clause: result for result in read_results(tmp_path / REPORT).results}
    assert results["gather_elements.example.lucky"].outcome == Died(machine=True)
    assert results["gather_elements.example.lucky-again"].verdict == "conforms"
    assert died == 2


@pytest.mark.frameworks
def test_a_run_whose_scheduler_dies_is_resumed(folder: Path, whole: Results, tmp_path: Path) -> None:
    ended: list[str] = []
    with cluster(tmp_path, 2, own_homes=False) as machine_room:

        def watch(message: Message) -> None:
            if isinstance(message, Ended):
                ended.append(message.attempt)
                if len(ended) == 2:
                    machine_room.scheduler.kill()

        with watched(watch):
            done = conformance(*RUN, *ANY_STATUS, "--on", machine_room.address, "--output", "resumed", cwd=folder)
    assert done.status == 2
    assert "the Dask scheduler is gone" in done.err
    assert len([*(folder / "resumed" / FOLDER).glob("*.gz")]) >= 2
    done = conformance(*RUN, *ANY_STATUS, "--on", "local:2", "--resume", "resumed", cwd=folder)
    assert done.status == 0, done.err
    assert without_times(read_results(folder / "resumed")) == without_times(whole)
    nothing_runs_in(folder)

"""A forked worker is as fresh as one that was started as a new process, and ends in the same ways."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.model import ApiCall
from conformance.environments.definition import load_definition
from conformance.environments.errors import TargetBlocked
from conformance.execution.client import Client
from conformance.outcomes.model import Died, Hung, Unsupported
from conformance.outcomes.observation import Observation
from conformance.processes.next_worker import Spare
from conformance.processes.process import WorkerProcess
from conformance.processes.worker_code import staged_worker
from conformance.processes.worker_starter import MOST_FAILURES, StartMethod, WorkerStarter
from conformance.specification.literals import Tensor
from tests.execution.harness import FAKES, THIS_ENVIRONMENT, WRONG_ADAPTERS, fake_cases, job

CALL = next(case.call for case in fake_cases() if ".unlucky/" in case.id)
UNCHANGED = ["globals", "environment", "folder", "descriptors", "signals", "threads", "temporary"]


@contextmanager
def starter_of(
    adapter: Path = FAKES / "changes_its_process.py", start: StartMethod = "fork", memory_limit: int | None = None
) -> Iterator[WorkerStarter]:
    prepared = job(adapter).prepare(lambda message: None)
    prepared = replace(prepared, memory_limit=memory_limit)
    with staged_worker() as script, closing(WorkerStarter(prepared, script, start)) as starter:
        yield starter


@pytest.fixture(scope="module")
def starter() -> Iterator[WorkerStarter]:
    with starter_of() as starter:
        yield starter


@contextmanager
def client_of(starter: WorkerStarter, limit: float = 20.0) -> Iterator[Client]:
    with closing(Client(starter, limit)) as client:
        yield client


def dead_worker() -> WorkerProcess:
    with starter_of() as starter:
        worker = starter.launch()
        worker.kill()
        return worker


def observe(client: Client, api: str) -> Observation:
    return client.call(ApiCall(CALL, f"fake.{api}", "a case"))


def number(client: Client, api: str) -> int:
    result = observe(client, api).result
    assert result is not None
    return int(result.array[0])


def is_alive(process: int) -> bool:
    """Whether it runs; a process that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def assert_ends(process: int) -> None:
    end = time.monotonic() + 10
    while is_alive(process):
        assert time.monotonic() < end, f"process {process} still runs"
        time.sleep(0.01)


@pytest.mark.parametrize("api", UNCHANGED)
def test_what_a_call_changes_stays_in_its_worker(starter: WorkerStarter, api: str) -> None:
    with client_of(starter) as client:
        first, changed = number(client, api), number(client, api)
        client.close()
        assert number(client, api) == first
    assert changed != first


@pytest.mark.parametrize("api", [*UNCHANGED, "pipes", "arguments", "session"])
def test_a_forked_worker_starts_like_a_new_process(starter: WorkerStarter, api: str) -> None:
    with client_of(starter) as client, starter_of(start="spawn") as spawning, client_of(spawning) as spawned:
        assert number(client, api) == number(spawned, api)


@pytest.mark.parametrize("api", ["random", "numpy_random", "process"])
def test_each_worker_has_its_own_random_numbers_and_process(starter: WorkerStarter, api: str) -> None:
    with client_of(starter) as client, client_of(starter) as other:
        assert number(client, api) != number(other, api)


def test_workers_that_live_at_the_same_time_share_no_descriptor(starter: WorkerStarter) -> None:
    with client_of(starter) as client:
        alone = number(client, "pipes")
        with client_of(starter) as other:
            assert number(other, "pipes") == alone


def test_a_worker_of_another_adapter_is_not_forked_from_the_same_process(starter: WorkerStarter) -> None:
    with starter_of() as second, client_of(starter) as client, client_of(second) as other:
        assert number(client, "parent") != number(other, "parent")


@pytest.mark.parametrize(
    ("mode", "variable", "is_set_up_before"), [("expensive", "", 1), ("expensive", "yes", 0), ("eager", "", 0)]
)
def test_an_expensive_setup_runs_before_the_fork_unless_it_starts_threads(
    mode: str, variable: str, is_set_up_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SETUP_STARTS_THREAD", variable)
    definition = load_definition(FAKES / "modes" / "target.toml", "modes")
    prepared = job(FAKES / "changes_its_process.py").prepare(lambda message: None)
    prepared = replace(prepared, target=replace(prepared.target, definition=definition, mode=mode))
    with (
        staged_worker() as script,
        closing(WorkerStarter(prepared, script, "fork")) as starter,
        client_of(starter) as client,
    ):
        assert number(client, "set_up_before") == is_set_up_before
        assert number(client, "globals") == 1
        client.close()
        assert number(client, "globals") == 1


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize(
    ("one_core", "has_threads", "cores"),
    [(True, False, 1), (True, True, len(os.sched_getaffinity(0))), (False, False, len(os.sched_getaffinity(0)))],
)
def test_a_worker_has_one_core_only_if_its_target_says_so_and_it_has_one_thread(
    start: StartMethod, one_core: bool, has_threads: bool, cores: int
) -> None:
    definition = load_definition(FAKES / "modes" / "target.toml", "modes").model_copy(update={"one_core": one_core})
    prepared = job(FAKES / "changes_its_process.py").prepare(lambda message: None)
    prepared = replace(prepared, target=replace(prepared.target, definition=definition, mode="eager"))
    if has_threads:
        prepared = prepared.with_threads(None)
    with (
        staged_worker() as script,
        closing(WorkerStarter(prepared, script, start)) as starter,
        client_of(starter) as client,
    ):
        assert number(client, "cores") == cores


COUNTS_CONVERSIONS = """
import numpy as np

from conformance.adapter import api

CONVERTED = []


def to_native(array, dtype):
    CONVERTED.append(dtype)
    return array


@api("fake.converted", operation="gather_elements")
def converted(input, dim, index):
    return np.array([len(CONVERTED)])
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_only_the_first_worker_tries_which_dtypes_the_adapter_converts(start: StartMethod, tmp_path: Path) -> None:
    adapter = tmp_path / "counts.py"
    adapter.write_text(COUNTS_CONVERSIONS)
    arguments = sum(isinstance(value, Tensor) for value in CALL.arguments.values())
    with starter_of(adapter, start) as starter, client_of(starter) as client:
        assert number(client, "converted") > arguments
        client.close()
        assert number(client, "converted") == arguments


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_no_worker_tests_a_dtype_that_the_adapter_changes(start: StartMethod, tmp_path: Path) -> None:
    adapter = tmp_path / "changes.py"
    dtype = next(value.dtype for value in CALL.arguments.values() if isinstance(value, Tensor))
    adapter.write_text(
        COUNTS_CONVERSIONS.replace("return array", f"return array[..., ::-1] if dtype == {dtype!r} else array")
    )
    with starter_of(adapter, start) as starter, client_of(starter) as client:
        first = observe(client, "converted").outcome
        client.close()
        assert isinstance(first, Unsupported)
        assert observe(client, "converted").outcome == first


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_worker_that_writes_more_errors_than_a_pipe_holds_goes_on(start: StartMethod) -> None:
    with starter_of(start=start) as starter, client_of(starter) as client:
        assert number(client, "complains") == len("a complaint\n") * 30_000
        assert number(client, "complains") == len("a complaint\n") * 30_000


def test_temporary_files_are_removed_with_the_worker() -> None:
    with starter_of() as starter, client_of(starter) as client:
        before = set(starter.script.parent.iterdir())
        number(client, "temporary")
        assert set(starter.script.parent.iterdir()) > before
        client.close()
        assert set(starter.script.parent.iterdir()) == before


def test_once_a_worker_was_replaced_the_next_one_is_there_and_ends_with_its_starter() -> None:
    with starter_of() as starter:
        before = set(starter.script.parent.iterdir())
        with client_of(starter) as client:
            first = number(client, "process")
            assert starter.forked == 1
            client.forget()
            second = number(client, "process")
            client.forget()
            third = number(client, "process")
        assert len({first, second, third}) == 3
        starter.close()
        assert starter.forked == 4
        assert set(starter.script.parent.iterdir()) == before


def test_a_worker_that_ended_before_it_was_needed_is_not_used() -> None:
    spare = Spare(dead_worker(), lambda worker: None, 20.0)
    assert spare.take() is None


def test_closing_a_worker_ends_the_processes_that_it_started(starter: WorkerStarter) -> None:
    with client_of(starter) as client:
        worker, child = number(client, "process"), number(client, "child")
        assert is_alive(child)
    assert_ends(child)
    assert_ends(worker)


def test_a_death_ends_the_processes_that_the_worker_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILE_FOR_CHILD", str(tmp_path / "child"))
    with starter_of() as starter, client_of(starter) as client:
        assert observe(client, "dies_with_child").outcome == Died(signal="SIGABRT")
        assert_ends(int((tmp_path / "child").read_text()))


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize(("sent", "name"), [(signal.SIGSEGV, "SIGSEGV"), (40, "signal 40")])
def test_a_worker_that_a_signal_ends_has_died_even_if_the_signal_has_no_name(
    start: StartMethod, sent: int, name: str, tmp_path: Path
) -> None:
    adapter = tmp_path / "ends.py"
    adapter.write_text(
        "import os\n\nfrom conformance.adapter import api\n\n"
        "@api('fake.ends', operation='gather_elements')\ndef ends(input, dim, index):\n"
        f"    os.kill(os.getpid(), {int(sent)})\n"
    )
    with starter_of(adapter, start) as starter, client_of(starter) as client:
        assert observe(client, "ends").outcome == Died(signal=name)


def test_closing_the_starter_ends_its_workers_and_its_server() -> None:
    with starter_of() as starter:
        client = Client(starter, 20.0)
        worker, server, child = number(client, "process"), number(client, "parent"), number(client, "child")
    for process in (worker, child, server):
        assert_ends(process)
    client.close()


def test_a_stop_from_another_thread_ends_server_and_worker() -> None:
    with starter_of() as starter:
        client = Client(starter, 20.0)
        worker, server = number(client, "process"), number(client, "parent")
        client.stop()
        starter.stop()
        assert_ends(worker)
        assert_ends(server)
        client.close()


def test_a_server_that_ended_is_replaced_by_new_processes() -> None:
    reports: list[str] = []
    prepared = job(FAKES / "changes_its_process.py").prepare(lambda message: None)
    with (
        staged_worker() as script,
        closing(WorkerStarter(prepared, script)) as starter,
        client_of(starter) as client,
    ):
        starter.report = reports.append
        server, worker = number(client, "parent"), number(client, "process")
        os.kill(server, signal.SIGKILL)
        assert_ends(worker)
        assert isinstance(observe(client, "globals").outcome, Died)
        for _ in range(2):
            client.close()
            assert number(client, "parent") not in (server, os.getpid())
        assert not client.restarts_fast
        assert (starter.imported, starter.forked) == (3, 1)  # the server and two workers; the first worker
    assert reports == ["workers are started as new processes, which takes longer than forking them: " + SERVER_ENDED]


SERVER_ENDED = "the fork server has ended"


@pytest.mark.parametrize(
    ("api", "outcome"),
    [("segfault", Died(signal="SIGSEGV")), ("exit", Died(exit_code=7)), ("hang", Hung(0.5)), ("close", Died())],
)
def test_endings_are_reported_as_for_a_new_process(api: str, outcome: Died | Hung) -> None:
    endings = []
    starts: list[StartMethod] = ["fork", "spawn"]
    for start in starts:
        with starter_of(WRONG_ADAPTERS / "misbehaving.py", start) as starter, client_of(starter, 0.5) as client:
            endings.append(observe(client, api).outcome)
    assert endings[0] == endings[1]
    assert isinstance(endings[0], Died | Hung)
    assert endings[0].phrase == outcome.phrase


def test_a_forked_worker_has_a_memory_limit_and_a_peak() -> None:
    limit = 400 * 2**20
    with starter_of(WRONG_ADAPTERS / "eats_memory.py", memory_limit=limit) as starter, client_of(starter) as client:
        outcome = observe(client, "eats_memory").outcome
        assert isinstance(outcome, Died)
        assert outcome.most_memory == limit
        client.start()
        client.close()
        assert client.memory is not None
        assert 2**20 < client.memory < limit


def test_after_a_trial_a_failure_concerns_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFTER_FORK", "works")
    with starter_of(FAKES / "does_not_stand_forking.py", "auto") as starter, client_of(starter) as client:
        client.start()
        client.close()
        worker = starter.launch()
        assert all(starter.starts_another(worker, "too little memory") for _ in range(MOST_FAILURES - 1))
        assert starter.forks
        worker.close()
        client.start()  # the count begins again
        assert starter.starts_another(worker, "too little memory")
        assert starter.forks
        for _ in range(MOST_FAILURES):
            starter.starts_another(worker, "too little memory")
        assert not starter.forks


@pytest.mark.parametrize("start", ["auto", "spawn"])
def test_a_process_that_cannot_be_started_blocks_its_target_and_keeps_no_descriptor(
    tmp_path: Path, start: StartMethod
) -> None:
    environment = replace(THIS_ENVIRONMENT, python=tmp_path / "missing")
    prepared = replace(job(FAKES / "changes_its_process.py").prepare(print), environment=environment)
    with staged_worker() as script, closing(WorkerStarter(prepared, script, start)) as starter:
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(2):
            with pytest.raises(TargetBlocked, match=r"no process can be started: .*missing"):
                starter.launch()
        assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("start", ["auto", "spawn"])
def test_a_limit_of_processes_blocks_the_target_and_is_named(
    monkeypatch: pytest.MonkeyPatch, start: StartMethod
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")  # root has no such limit

    prepared = job(FAKES / "changes_its_process.py").prepare(print)
    with staged_worker() as script, closing(WorkerStarter(prepared, script, start)) as starter:
        monkeypatch.setattr(subprocess, "Popen", refused)
        with pytest.raises(TargetBlocked, match=r"the number of processes is limited \(ulimit -u\)"):
            starter.launch()

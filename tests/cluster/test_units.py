"""Units, what is shipped for them, and where they run."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

import pytest

from conformance.cases.model import ApiCall
from conformance.cli.unit import Announcing, Progress
from conformance.cluster import content, places, sizing
from conformance.cluster.machine import problem_with
from conformance.cluster.messages import ClusterError
from conformance.cluster.places import Connection, check_place, connected, connecting
from conformance.cluster.unit import Attempt, Order, Unit
from conformance.events import ResultReady, StillRunning, TargetNotice, TargetPreparing, TargetStarted, Waiting
from tests.execution.harness import FAKES, job
from tests.matrix.small import CASES, result, returned, target

PATIENCE = 60.0
UNIT = Unit("torch", "1/2", "data", None)


def order(attempt: Attempt | None = None, **other: Any) -> Order:
    return {**json.loads((attempt or Attempt(UNIT)).order()), **other}


def test_the_key_of_a_unit_is_a_hash_of_all_that_its_results_depend_on() -> None:
    others: dict[str, Any] = {field.name: ("--here",) if field.name == "words" else "other" for field in fields(Unit)}
    keys = {replace(UNIT, **{name: other}).key for name, other in others.items()}
    assert len(keys | {UNIT.key}) == len(fields(Unit)) + 1


def test_what_a_machine_must_know_of_an_attempt_is_json_with_its_command_line() -> None:
    unit = replace(UNIT, files="files", words=("--seed", "3"))
    attempt = Attempt(unit, 2, announces=True, fatal=(("a", "b"),), limits=("--maxfail", "1"))
    assert order(attempt)["words"] == ["run", "torch", "--shard", "1/2", "--seed", "3", "--maxfail", "1"]
    assert (order(attempt)["announces"], order(attempt)["fatal"]) == (True, [["a", "b"]])


def test_long_targets_are_divided_and_short_ones_are_not() -> None:
    targets = [job(FAKES / f"{name}.py").target for name in ("strides", "wrong_on_draws")]
    durations = {"strides[eager]@cpu": 1.0, "wrong_on_draws[eager]@cpu": 0.01}
    assert sizing.shard_counts(targets, 1_000, 2, durations, grows=False) == [6, 1]
    assert sizing.shard_counts(targets, 1_000, 200, durations, grows=False) == [20, 1]


def test_a_unit_is_not_much_shorter_than_ten_of_its_starts() -> None:
    target = job(FAKES / "strides.py").target
    assert sizing.shard_counts([target], 60, 2, {"strides[eager]@cpu": 1.0}, grows=False) == [1]


def test_a_target_is_divided_for_one_slot_only_if_others_may_join() -> None:
    target = job(FAKES / "strides.py").target
    durations = {"strides[eager]@cpu": 1.0}
    assert sizing.shard_counts([target], 1_000, 1, durations, grows=False) == [1]
    assert sizing.shard_counts([target], 1_000, 1, durations, grows=True) == [3]


def test_a_target_has_no_more_units_than_cases() -> None:
    target = job(FAKES / "strides.py").target
    assert sizing.shard_counts([target], 3, 200, {"strides[eager]@cpu": 1_000.0}, grows=False) == [3]


def test_contents_are_the_same_whatever_their_place_and_unpacked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))
    shipped = content.Content({"specs/a.yaml": b"a", "mine.py": b"b"})
    assert content.missing([shipped.digest]) == [shipped.digest]
    content.store(shipped.digest, shipped.packed())
    folder = content.content_folder(shipped.digest)
    (folder / "mark").touch()
    content.store(shipped.digest, shipped.packed())
    assert (folder / "mark").exists()
    assert (folder / "specs" / "a.yaml").read_bytes() == b"a"
    assert content.missing([shipped.digest]) == []


@pytest.mark.parametrize("damage", ["changed", "missing", "unnamed"])
def test_a_content_that_was_damaged_is_missing_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))
    shipped = content.Content({"specs/a.yaml": b"a", "mine.py": b"b"})
    content.store(shipped.digest, shipped.packed())
    file = content.content_folder(shipped.digest) / ("specs/a.yaml" if damage != "unnamed" else ".names")
    file.unlink() if damage == "missing" else file.write_bytes(b"c")
    assert content.missing([shipped.digest]) == [shipped.digest]
    content.store(shipped.digest, shipped.packed())
    assert content.missing([shipped.digest]) == []
    assert (content.content_folder(shipped.digest) / "specs" / "a.yaml").read_bytes() == b"a"
    assert [path.name for path in (tmp_path / "cluster").iterdir()] == [shipped.digest]


def test_a_machine_with_the_same_specs_and_adapters_uses_its_own() -> None:
    assert content.missing([content.suite_content().digest]) == []


def test_a_file_in_the_current_folder_has_the_same_path_on_a_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "target.toml", "divergences.yaml", "unrelated.txt"):
        Path(name).write_text(name)
    files = content.user_files([Path("mine.py"), FAKES / "strides.py"], None, [], {})
    assert files.paths == {"mine.py": "./mine.py", str(FAKES / "strides.py"): "./elsewhere/1/strides.py"}
    assert files.content is not None
    assert set(files.content.files) == {"mine.py", "target.toml", "divergences.yaml", "elsewhere/1/strides.py"}


def test_a_machine_with_another_version_refuses_with_both_versions() -> None:
    assert problem_with(order(suite="0.0.9")) == (
        "it has conformance 0.1.0, and 0.0.9 is needed; install the same version on both"
    )


def test_a_machine_with_another_python_refuses_with_both_versions() -> None:
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert problem_with(order(python="3.99")) == (
        f"it runs Python {own}, and 3.99 is needed; Dask needs the same version on both"
    )


def test_a_machine_whose_disk_is_full_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem_with(order()) is None
    monkeypatch.setattr("conformance.cluster.machine.LEAST_FREE", 1 << 60)
    assert "its disk is full" in str(problem_with(order()))


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("tcp://example.org:8786", "neither TLS nor this machine"),
        ("tcp://10.0.0.1:8786", "say --insecure"),
        ("udp://127.0.0.1:8786", "expected tcp://SCHEDULER"),
        ("local:0", "at least one process"),
        ("locl:2", "expected tcp://SCHEDULER"),
        ("processes:2", "expected tcp://SCHEDULER"),
        ("ssh a", "docs/scale.md shows how SSH"),
        ("", "expected tcp://SCHEDULER"),
    ],
)
def test_a_place_that_units_cannot_run_on_is_refused_at_once(place: str, says: str) -> None:
    with pytest.raises(ClusterError, match=says):
        check_place(place, insecure=False)


@pytest.mark.parametrize(
    ("place", "insecure"),
    [
        ("tls://example.org:8786", False),
        ("tcp://127.0.0.1:8786", False),
        ("tcp://[::1]:8786", False),
        ("tcp://localhost:8786", False),
        ("tcp://10.0.0.1:8786", True),
        ("local:2", False),
    ],
)
def test_tls_this_machine_and_what_is_said_to_be_trusted_are_accepted(place: str, insecure: bool) -> None:
    check_place(place, insecure=insecure)


@contextmanager
def connection() -> Iterator[Connection]:
    yield Connection(2, lambda _contents, _emit: pytest.fail("nothing starts it"))


def test_a_cluster_is_connected_to_while_something_else_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, ended = threading.Event(), threading.Event()

    @contextmanager
    def connected_once_loaded(place: str, *, insecure: bool) -> Iterator[Connection]:
        assert (place, insecure) == ("local:2", False)
        assert loaded.wait(PATIENCE)
        with connection() as there:
            yield there
        ended.set()

    monkeypatch.setattr(places, "connected", connected_once_loaded)
    with connecting("local:2", insecure=False) as connect:
        loaded.set()
        assert connect().slots == 2
        assert not ended.is_set()
    assert ended.is_set()


def test_a_cluster_that_cannot_be_connected_to_is_reported_when_it_is_needed() -> None:
    with connecting("locl:2", insecure=False) as connect, pytest.raises(ClusterError, match="expected tcp"):
        connect()


def test_a_connection_ends_if_what_is_done_meanwhile_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str] = []

    @contextmanager
    def noted(*_: object, **__: object) -> Iterator[None]:
        try:
            yield
        finally:
            ends.append("ended")

    monkeypatch.setattr(places, "connected", noted)
    with pytest.raises(ValueError, match="specs"), connecting("local:1", insecure=False):
        raise ValueError("specs")
    assert ends == ["ended"]


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "conformance.cluster.on_dask", raising=False)
    with (
        pytest.raises(ClusterError, match=r"pip install 'opconform\[dask\]'"),
        connected("local:2", insecure=False),
    ):
        pass


def test_a_unit_tells_what_it_does_and_what_it_has_found() -> None:
    told: list[dict[str, Any]] = []
    progress = Progress(told.append, lambda one: one.verdict == "diverges")
    progress.handle(TargetPreparing("mine", "making the environment"))
    progress.handle(TargetNotice("mine", "slow"))
    progress.handle(TargetStarted("mine", target(), 40))
    for verdict in ("conforms", "diverges"):
        progress.handle(ResultReady("mine", result(CASES[0], returned(), verdict=verdict, standing="own")))
    progress.handle(StillRunning((Waiting("mine", "mine.gather", CASES[1], 4.0),)))
    assert [one.get("preparing") for one in told] == ["making the environment"] * 4
    last = told[-1]
    assert (last["expected"], last["notices"], last["failures"]) == (40, ["slow"], 1)
    assert (last["counts"], last["waiting"]) == ({"conforms": 1, "own": 1}, ["mine.gather", CASES[1], 4.0])
    assert last["started"]["version"] == "1.0"
    progress.handle(StillRunning(()))
    assert told[-1]["waiting"] is None


def test_a_call_is_announced_once_with_the_results_that_there_are() -> None:
    announced: list[dict[str, Any]] = []
    progress = Progress(lambda _: None, lambda _: False)
    announces = Announcing(announced.append, progress)
    first, second = (ApiCall(cast("Any", None), "mine.gather", case) for case in ("a/1", "a/2"))
    announces(first)
    announces(first)
    progress.handle(ResultReady("mine", result(CASES[0], returned())))
    announces(second)
    assert announced == [{"calling": ["a/1", "mine.gather", 0]}, {"calling": ["a/2", "mine.gather", 1]}]

"""Units, what is shipped for them, and where they run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cluster import content, engines, sizing
from conformance.cluster.engines import Connection, connected, connecting
from conformance.cluster.machine import facts, problem_with
from conformance.cluster.messages import (
    Begun,
    Ended,
    EngineError,
    Lost,
    Message,
    Refused,
    message_text,
    read_message,
)
from conformance.cluster.unit import Attempt, Unit, attempt_text, read_attempt
from tests.execution.harness import FAKES, job

PATIENCE = 60.0
UNIT = Unit("torch", "1/2", "0.1.0", "data", None)


def test_the_key_of_a_unit_is_a_hash_of_all_that_its_results_depend_on() -> None:
    others: dict[str, Any] = {"seed": 1, "draws": 1, "selection": ("-k", "x"), "options": ("--here",)}
    keys = {replace(UNIT, **{field.name: others.get(field.name, "other")}).key for field in fields(Unit)}
    assert len(keys | {UNIT.key}) == len(fields(Unit)) + 1


def test_an_attempt_travels_as_text() -> None:
    unit = replace(UNIT, files="files", seed=3, draws=20, selection=("-k", "x"), options=("--here",))
    attempt = Attempt(unit, 2, one_by_one=True, fatal=(("a", "b"),), limits=("--maxfail", "1"))
    assert read_attempt(attempt_text(attempt)) == attempt
    assert read_attempt(attempt_text(attempt)).unit.key == unit.key


def test_a_message_travels_as_text() -> None:
    messages: list[Message] = [Begun("a", "b"), Ended("a", 1, "x", "y"), Lost("a", "b"), Refused("a", "b")]
    assert [read_message(message_text(message)) for message in messages] == messages


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


def test_a_machine_with_another_version_is_refused_with_both_versions() -> None:
    other = {**facts([]), "suite": "0.0.9"}
    assert problem_with(other, same_python=True) == (
        "it has conformance 0.0.9, and this is 0.1.0; install the same version on both"
    )


def test_a_machine_with_another_python_is_refused_where_the_engine_needs_the_same() -> None:
    other = {**facts([]), "python": "3.99"}
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert problem_with(other, same_python=True) == (
        f"it runs Python 3.99, and this is {own}; Dask needs the same version on both"
    )
    assert problem_with(other, same_python=False) is None


def test_a_machine_whose_disk_is_full_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.cluster.machine.LEAST_FREE", 1 << 60)
    assert "its disk is full" in str(problem_with(facts([]), same_python=True))


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("tcp://example.org:8786", "neither TLS nor this machine"),
        ("tcp://10.0.0.1:8786", "say --insecure"),
        ("udp://127.0.0.1:8786", "expected tcp://SCHEDULER"),
        ("local:0", "at least one process"),
        ("locl:2", "expected tcp://SCHEDULER"),
        ("", "expected tcp://SCHEDULER"),
    ],
)
def test_a_place_that_units_cannot_run_on_is_refused_at_once(place: str, says: str) -> None:
    with pytest.raises(EngineError, match=says), connected([place], None, insecure=False):
        pass


def test_only_commands_may_be_given_several_times() -> None:
    with pytest.raises(EngineError, match="only commands"), connected(["ssh a", "local:2"], None, insecure=False):
        pass


def test_machines_are_connected_to_while_something_else_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, ended = threading.Event(), threading.Event()

    @contextmanager
    def connected_once_loaded(places: Sequence[str], each: int | None, *, insecure: bool) -> Iterator[Connection]:
        assert loaded.wait(PATIENCE)
        with connected(places, each, insecure=insecure) as connection:
            yield connection
        ended.set()

    monkeypatch.setattr(engines, "connected", connected_once_loaded)
    with connecting(["processes:2"], None, insecure=False) as connect:
        loaded.set()
        assert connect().slots == 2
        assert not ended.is_set()
    assert ended.is_set()


def test_a_connection_ends_after_its_engine_while_something_else_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    @contextmanager
    def connection(*_: Any, **__: Any) -> Iterator[Connection]:
        with connected(["processes:1"], None, insecure=False) as processes:
            yield processes
        ended.set()

    monkeypatch.setattr(engines, "connected", connection)
    with connecting(["processes:1"], None, insecure=False) as connect:
        with connect().engine({}, lambda _: None):
            assert not ended.is_set()
        assert ended.wait(PATIENCE)


def test_machines_that_cannot_be_connected_to_are_reported_when_they_are_needed() -> None:
    with connecting(["locl:2"], None, insecure=False) as connect, pytest.raises(EngineError, match="expected tcp"):
        connect()


def test_a_connection_ends_if_what_is_done_meanwhile_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str] = []

    @contextmanager
    def noted(*_: object, **__: object) -> Iterator[None]:
        try:
            yield
        finally:
            ends.append("ended")

    monkeypatch.setattr(engines, "connected", noted)
    with pytest.raises(ValueError, match="specs"), connecting(["processes:1"], None, insecure=False):
        raise ValueError("specs")
    assert ends == ["ended"]


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "conformance.cluster.on_dask", raising=False)
    with (
        pytest.raises(EngineError, match=r"pip install 'opconform\[dask\]'"),
        connected(["local:2"], None, insecure=False),
    ):
        pass

"""What memcheck's log says of a call, in the words of an outcome."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from conformance.worker import memcheck
from conformance.worker.memcheck import Memcheck, Window, described
from conformance.worker.views import build

READ = """Invalid read of size 4
   at 0x48471FC: memmove (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
   by 0x5EEB6CD: ???
   by 0x1D2A0B1: kernel(float*, long) (in /lib/libframe.so)
   by 0x49FDF6B: call (call.c:1)
 Address 0x{address:x} is 0 bytes after a block of size 12 alloc'd
   at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)"""
WRITE = READ.replace("read", "write")
JUMP = READ.replace("Invalid read of size 4", "Conditional jump or move depends on uninitialised value(s)")


class Fake(Memcheck):
    """Memcheck without valgrind: it counts the errors that a test has written to the log."""

    def __init__(self, log: Path) -> None:
        super().__init__(str(log))
        self.count = 0
        self.asked: list[tuple[int, int]] = []

    def ask(self, request: int, *arguments: int) -> int:
        if not arguments:
            return self.count
        self.asked.append((arguments[0], arguments[1]))
        return 0

    def write(self, text: str, process: int | None = None) -> None:
        with self._log.open("a") as stream:
            stream.writelines(f"=={process or os.getpid()}== {line}\n" for line in [*text.splitlines(), ""])
        self.count += 1


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    (tmp_path / "log").write_text("==1== Invalid write of size 8\n==1== \n")
    return Fake(tmp_path / "log")


def test_an_access_has_its_size_its_function_and_its_place() -> None:
    access = described(READ.format(address=0x1000).splitlines())
    assert access is not None
    assert access == {
        "access": "read",
        "size": 4,
        "function": "kernel(float*, long)",
        "address": 0x1000,
        "place": "0 bytes after a block of size 12 alloc'd",
    }


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("Invalid write of size 1", "wrote"),
        ("Invalid free() / delete / delete[] / realloc()", "freed"),
        ("Source and destination overlap in memcpy(0x1, 0x2, 8)", "overlap"),
        ("Conditional jump or move depends on uninitialised value(s)", None),
        ("", None),
    ],
)
def test_what_is_no_access_is_left_out(first: str, expected: str | None) -> None:
    access = described([first, "   at 0x1: f (f.c:1)"])
    assert (access and access["access"]) == expected


@pytest.mark.parametrize(("offset", "distance"), [(0, 1), (8, 3), (-28, -1), (-32, -2)])
def test_an_address_in_a_guard_zone_names_the_argument_and_the_distance(fake: Fake, offset: int, distance: int) -> None:
    view = build(np.zeros((2, 3), np.float32), None)
    window = Window(fake, {"input": view})
    end = view.array.__array_interface__["data"][0] + view.array.nbytes
    fake.write(WRITE.format(address=end + offset))
    [access] = window.end()
    assert (access["argument"], access["distance"], access["place"]) == ("input", distance, None)


def test_another_address_keeps_the_words_of_memcheck(fake: Fake) -> None:
    window = Window(fake, {"input": build(np.zeros(3), None)})
    fake.write(READ.format(address=16))
    [access] = window.end()
    assert (access["argument"], access["place"]) == (None, "0 bytes after a block of size 12 alloc'd")


def test_what_was_there_before_or_is_of_another_process_is_not_of_the_call(fake: Fake) -> None:
    fake.write(READ.format(address=16))
    window = Window(fake, {})
    fake.write(WRITE.format(address=32), process=1)
    assert window.end() == []


def test_of_the_accesses_next_to_an_argument_the_nearest_is_told(fake: Fake) -> None:
    view = build(np.zeros(4), None)
    window = Window(fake, {"index": view})
    end = view.array.__array_interface__["data"][0] + view.array.nbytes
    for offset in (16, 8, 24):
        fake.write(READ.format(address=end + offset))
    assert [access["distance"] for access in window.end()] == [2]


def test_guard_zones_are_closed_in_the_window_and_open_behind_it(fake: Fake) -> None:
    view = build(np.zeros(4), None)
    window = Window(fake, {"input": view})
    closed = list(fake.asked)
    start = view.array.__array_interface__["data"][0]
    before, behind = map(len, view.guards.zones)
    assert closed == [(start - before, before), (start + 32, behind)]
    window.end()
    assert fake.asked == closed * 2


def test_without_valgrind_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(memcheck.LOG, raising=False)
    memcheck._memcheck.cache_clear()
    assert memcheck.watched({}) is None

"""What valgrind's memcheck says of a call, if this process runs below it.

Between the start and the end of a call the guard zones of its arguments are closed, so that each access to them is an error. Errors
are read from memcheck's log; it describes those with the same stack once for each process, so a worker is replaced after a call
that had any.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from conformance.worker.views import BufferView

LOG = "CONFORMANCE_MEMCHECK_LOG"
"""The environment variable with the path of memcheck's log."""
_COUNT_ERRORS = 0x1201
_NO_ACCESS, _DEFINED, _CHECK = (0x4D430000 + number for number in (0, 2, 5))
"""The client requests of valgrind.h and memcheck.h that are used."""
_CODE = bytes.fromhex("4889f8 4889f2 48c1c703 48c1c70d 48c1c73d 48c1c733 4887db 4889d0 c3")
"""A function of the address of a request and of the answer without valgrind, which recognizes the rotations and the exchange."""
_REQUEST = ctypes.c_uint64 * 6

_ACCESSES = {"read": re.compile(r"Invalid read of size (\d+)"), "wrote": re.compile(r"Invalid write of size (\d+)")}
_FREED = re.compile(r"Invalid free\(\)|Mismatched free\(\)")
_OVERLAP = re.compile(r"Source and destination overlap in (\w+)")
_FRAME = re.compile(r"\s+(?:at|by) 0x[0-9A-F]+: (.+?)(?: \((?:in )?([^()]*)\))?$")
_ADDRESS = re.compile(r"\s+Address 0x([0-9a-fA-F]+) is (.+)$")

Access = dict[str, Any]
"""As an outcome has it: ``by``, ``argument``, ``access``, ``distance``, ``size``, ``place`` and ``function``."""


class Window:
    """The time of one call."""

    def __init__(self, memcheck: Memcheck, buffers: Mapping[str, BufferView]) -> None:
        self._memcheck = memcheck
        self._zones = {name: _Zones(view) for name, view in buffers.items()}
        self._ask_of_zones(_NO_ACCESS)
        self._errors, self._start = memcheck.errors(), memcheck.log_size()
        self._accesses: Optional[list[Access]] = None

    def end(self) -> list[Access]:
        """What memcheck found since the start; the guard zones are open again."""
        if self._accesses is None:
            errors = self._memcheck.errors() - self._errors
            self._ask_of_zones(_DEFINED)
            found = self._memcheck.accesses(self._start) if errors else ()
            self._accesses = _nearest_of_each(self._attributed(access) for access in found)
        return self._accesses

    def unwritten(self, result: np.ndarray) -> list[Access]:
        """The first element of a result that depends on memory that nobody wrote."""
        array = np.ascontiguousarray(result)
        place = self._memcheck.first_undefined(array)
        return (
            []
            if place is None
            else [{"by": "memcheck", "argument": None, "access": "unwritten", "distance": place // array.itemsize}]
        )

    def _ask_of_zones(self, request: int) -> None:
        for zones in self._zones.values():
            for start, length in zones.parts:
                self._memcheck.ask(request, start, length)

    def _attributed(self, access: Access) -> Access:
        """An access with the argument next to which it is, if its address says so."""
        address = access.pop("address")
        access["by"] = "memcheck"
        for name, zones in self._zones.items():
            distance = zones.distance(address)
            if distance is not None:
                return {**access, "argument": name, "distance": distance, "place": None}
        return {**access, "argument": None, "distance": None}


def _nearest_of_each(accesses: Iterable[Access]) -> list[Access]:
    """Of the accesses of a function next to an argument, on one side of it, that which is nearest."""
    nearest: dict[tuple[object, ...], Access] = {}
    for access in accesses:
        distance = access["distance"]
        side = distance is not None and distance > 0
        key = (access["argument"], access["access"], access["function"], access["place"], side)
        if key not in nearest or (distance is not None and abs(distance) < abs(nearest[key]["distance"])):
            nearest[key] = access
    return list(nearest.values())


class _Zones:
    """Where the guard zones of an argument lie."""

    def __init__(self, view: BufferView) -> None:
        guards = view.guards
        start: int = guards.array.__array_interface__["data"][0]
        self._start, self._end = start, start + guards.array.nbytes
        self._size = int(guards.array.itemsize)
        before, behind = len(guards.zones.before), len(guards.zones.behind)
        self.parts = ((start - before, before), (self._end, behind))

    def distance(self, address: Optional[int]) -> Optional[int]:
        """How far from the argument an address in its zones lies, in elements; None for any other address."""
        (before, _), (behind, length) = self.parts
        if address is None or not before <= address < behind + length or self._start <= address < self._end:
            return None
        if address < self._start:
            return -((self._start - 1 - address) // self._size + 1)
        return (address - self._end) // self._size + 1


class Memcheck:
    """Memcheck, as the process that it checks knows it."""

    def __init__(self, log: str) -> None:
        self._log = Path(log)
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(_CODE)
        self._page = page
        self._function: Callable[[int, int], int] = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64)(
            ctypes.addressof(ctypes.c_char.from_buffer(page))
        )

    def ask(self, request: int, *arguments: int) -> int:
        """The answer to a client request; 0 without valgrind."""
        block = _REQUEST(request, *arguments)
        return self._function(ctypes.addressof(block), 0)

    def errors(self) -> int:
        """The number of errors of this process so far."""
        return self.ask(_COUNT_ERRORS)

    def first_undefined(self, array: np.ndarray) -> Optional[int]:
        """The offset of the first byte of a dense array that depends on memory that nobody wrote; None if there is none."""
        start: int = array.__array_interface__["data"][0]
        address = self.ask(_CHECK, start, array.nbytes) if array.nbytes else 0
        return int(address - start) if address else None

    def log_size(self) -> int:
        return self._log.stat().st_size

    def accesses(self, start: int) -> Iterator[Access]:
        """The accesses of which the log speaks from a position on, of this process; none that it has described before."""
        with self._log.open("rb") as stream:
            stream.seek(start)
            text = stream.read().decode("utf-8", "replace")
        prefix = f"=={os.getpid()}== "
        lines = [line[len(prefix) :] for line in text.splitlines() if line.startswith(prefix.rstrip())]
        for block in "\n".join(lines).split("\n\n"):
            access = described(block.splitlines())
            if access is not None:
                yield access


def described(lines: list[str]) -> Optional[Access]:
    """An error of memcheck's log; None for one that is no access to memory, such as a jump that depends on memory that nobody wrote."""
    for access, pattern in _ACCESSES.items():
        found = pattern.match(lines[0]) if lines else None
        if found is not None:
            return {"access": access, "size": int(found[1]), **_of_stack(lines)}
    if lines and (_FREED.match(lines[0]) or _OVERLAP.match(lines[0])):
        return {"access": "freed" if _FREED.match(lines[0]) else "overlap", "size": None, **_of_stack(lines)}
    return None


def _of_stack(lines: list[str]) -> Access:
    """The innermost function with a name, and the address with what memcheck says of it."""
    function, address, place = None, None, None
    for line in lines[1:]:
        at = _ADDRESS.match(line)
        if at is not None:
            address, place = int(at[1], 16), at[2]
            break
        frame = _FRAME.match(line)
        if frame is not None and function is None and frame[1] != "???" and "vgpreload" not in (frame[2] or ""):
            function = frame[1]
    return {"function": function, "address": address, "place": place}


@functools.lru_cache(maxsize=1)
def _memcheck() -> Optional[Memcheck]:
    log = os.environ.get(LOG)
    return Memcheck(log) if log else None


def watched(buffers: Mapping[str, BufferView]) -> Optional[Window]:
    """A window on a call with these arguments; None if this process does not run below memcheck."""
    memcheck = _memcheck()
    return Window(memcheck, buffers) if memcheck is not None else None

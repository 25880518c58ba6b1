"""The suite's own specs, reference and cases are made once in each process of the tests, as nothing changes them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from conformance.cases import build, reference
from conformance.cases import stored as storage
from conformance.cases.build import SOURCES, Source
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.stored import StoredCases
from conformance.data_folders import adapters_folder, specs_folder
from conformance.environments.stored import home_folder, locked
from conformance.files import replacing
from conformance.specification import loader
from conformance.specification.model import Catalogue
from conformance.specification.problems import Problem

_SPECS = specs_folder()
_REFERENCE = adapters_folder() / "reference" / "adapter.py"
_load_specs = loader.load_sound_specs
_load_reference = reference.load_reference
_build_cases = build.build_sound_cases
_read_cases = storage.read_cases
_write_cases = storage.write_cases


def make_once() -> None:
    """Replace what reads specs and builds cases; before any module imports these functions by their names."""
    loader.load_sound_specs = _specs
    reference.load_reference = _reference
    build.build_sound_cases = _cases
    storage.read_cases = _stored
    storage.write_cases = _write


def _specs(path: Path | None = None) -> tuple[Catalogue, list[Problem]]:
    if (path or specs_folder()) != _SPECS:
        return _load_specs(path)
    catalogue, problems = _suite_specs()
    return catalogue, [*problems]


def _reference(path: Path, beside: Path | None = None) -> Reference:
    own = beside is None and path == _REFERENCE
    return _suite_reference() if own else _load_reference(path, beside)


def _cases(
    catalogue: Catalogue, reference: Reference, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES
) -> tuple[list[Case], list[Problem]]:
    known = _suite_specs.cache_info().currsize > 0  # else nobody has the suite's, and they need not be read to see that
    suite = known and catalogue is _suite_specs()[0] and reference is _suite_reference()
    if more or sources is not SOURCES or not suite:
        return _build_cases(catalogue, reference, more, sources=sources)
    cases, problems = _suite_cases()
    return [*cases], [*problems]


def _stored(file: Path, digest: bytes) -> StoredCases | None:
    """What is stored, which each command would read again; a file that was written in the meantime is another one."""
    try:
        status = file.stat()
    except OSError:
        return None
    first = _first.get(digest)
    if first is not None and first.exists() and file.samefile(first):
        return _shared()
    key = (status.st_dev, status.st_ino, status.st_mtime_ns, digest)
    if key not in _read:
        while len(_read) > 1:
            _read.pop(next(iter(_read)))
        _read[key] = _read_cases(file, digest)
    return _read[key]


_read: dict[tuple[int, int, int, bytes], StoredCases | None] = {}
"""The last two of other specs, by file and digest; links to a file are the same one."""


def _write(file: Path, digest: bytes, stored: StoredCases) -> None:
    """Store cases; those of the suite, of 130 MB, once: in other homes they are links to the first."""
    first = _first.get(digest)
    if first is not None:
        with contextlib.suppress(OSError):  # it is gone, or on another disk
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as temporary:
                os.link(first, temporary)
            return
    _write_cases(file, digest, stored)


_first: dict[bytes, Path] = {}
"""By digest."""


@cache
def _suite_specs() -> tuple[Catalogue, list[Problem]]:
    stored = _shared()
    return (stored.catalogue, []) if stored is not None else _load_specs(_SPECS)


@cache
def _suite_reference() -> Reference:
    return _load_reference(_REFERENCE)


@cache
def _suite_cases() -> tuple[list[Case], list[Problem]]:
    stored = _shared()
    if stored is not None:
        return [*stored.cases], []
    catalogue = _suite_specs()[0]
    cases, problems = _build_cases(catalogue, _suite_reference())
    if not problems:
        _keep(_shared_file(), storage.digest_of(_SPECS, _REFERENCE), StoredCases.of_built(catalogue, cases))
    return cases, problems


@cache
def _shared() -> StoredCases | None:
    """The suite's specs and cases, which one process builds for all that test the same code; None if they have problems.

    Also None in a process that is alone and the first: a test of specs does not wait for cases that it does not need.
    """
    digest, file = storage.digest_of(_SPECS, _REFERENCE), _shared_file()
    with locked(file.parent, "cases", lambda _: None):
        stored = _read_cases(file, digest)
        if stored is None and "PYTEST_XDIST_WORKER" in os.environ:
            catalogue, problems = _load_specs(_SPECS)
            cases, more = _build_cases(catalogue, _suite_reference()) if not problems else ([], problems)
            if not more:
                stored = StoredCases.of_built(catalogue, cases)
                _keep(file, digest, stored)
    if stored is not None:
        _first[digest] = file
        _write(storage.stored_file(home_folder(), _SPECS), digest, stored)  # for commands in processes of their own
    return stored


def _shared_file() -> Path:
    folder = Path(tempfile.gettempdir()) / f"conformance-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{storage.digest_of(_SPECS, _REFERENCE).hex()[:16]}.pickle"


def _keep(file: Path, digest: bytes, stored: StoredCases) -> None:
    """Store the cases for other processes, in place of the oldest ones."""
    for earlier in sorted(file.parent.glob("*.pickle"), key=lambda path: path.stat().st_mtime)[: 1 - _KEPT]:
        earlier.unlink(missing_ok=True)
    _write_cases(file, digest, stored)


_KEPT = 4
"""The number of files: of other versions of Python and NumPy, and of other code."""

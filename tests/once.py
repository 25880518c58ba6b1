"""The suite's own specs, reference and cases are made once in each process of the tests, as nothing changes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from conformance.cases import build, reference, stored
from conformance.cases.build import SOURCES, Source
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.stored import StoredCases
from conformance.data_folders import adapters_folder, specs_folder
from conformance.specification import loader
from conformance.specification.model import Catalogue
from conformance.specification.problems import Problem

_SPECS = specs_folder()
_load_specs = loader.load_sound_specs
_load_reference = reference.load_reference
_build_cases = build.build_sound_cases
_read_cases = stored.read_cases


def make_once() -> None:
    """Replace what reads specs and builds cases; before any module imports these functions by their names."""
    loader.load_sound_specs = _specs
    reference.load_reference = _reference
    build.build_sound_cases = _cases
    stored.read_cases = _stored


def _specs(path: Path | None = None) -> tuple[Catalogue, list[Problem]]:
    if (path or specs_folder()) != _SPECS:
        return _load_specs(path)
    catalogue, problems = _suite_specs()
    return catalogue, [*problems]


def _reference(path: Path, beside: Path | None = None) -> Reference:
    own = beside is None and path == adapters_folder() / "reference" / "adapter.py"
    return _suite_reference() if own else _load_reference(path, beside)


def _cases(
    catalogue: Catalogue, reference: Reference, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES
) -> tuple[list[Case], list[Problem]]:
    suite = catalogue is _suite_specs()[0] and reference is _suite_reference()
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
    return _stored_in(file, status.st_ino, status.st_mtime_ns, digest)


@lru_cache(maxsize=2)
def _stored_in(file: Path, _number: int, _written: int, digest: bytes) -> StoredCases | None:
    return _read_cases(file, digest)


@cache
def _suite_specs() -> tuple[Catalogue, list[Problem]]:
    return _load_specs(_SPECS)


@cache
def _suite_reference() -> Reference:
    return _load_reference(adapters_folder() / "reference" / "adapter.py")


@cache
def _suite_cases() -> tuple[list[Case], list[Problem]]:
    return _build_cases(_suite_specs()[0], _suite_reference())

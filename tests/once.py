"""The suite's own specs, reference and cases are made once in each process of the tests, as nothing changes them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from conformance.cases import build, reference
from conformance.cases.build import SOURCES, Source
from conformance.cases.model import Case
from conformance.cases.reference import LoadedReference, Reference
from conformance.cases.store import operations as storage
from conformance.cases.store.digests import Digests
from conformance.data_folders import adapters_folder, specs_folder
from conformance.environments.stored import locked
from conformance.specification import loader
from conformance.specification.model import Catalogue, Operation
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


def _specs(path: Path | None = None, only: Collection[str] | None = None) -> tuple[Catalogue, list[Problem]]:
    if (path or specs_folder()) != _SPECS:
        return _load_specs(path, only)
    catalogue, problems = _suite_specs()
    return catalogue if only is None else catalogue.only(only), [*problems]


def _reference(path: Path, beside: Path | None = None) -> LoadedReference:
    own = beside is None and path == _REFERENCE
    return _suite_reference() if own else _load_reference(path, beside)


def _cases(
    catalogue: Catalogue, reference: Reference, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES
) -> tuple[list[Case], list[Problem]]:
    operations = catalogue.operations.values()
    is_suite = all(map(_is_of_suite, operations)) and reference is _suite_reference()
    if more or sources is not SOURCES or not is_suite or _suite_specs()[1]:
        return _build_cases(catalogue, reference, more, sources=sources)
    return [case for operation in operations for case in _suite_cases(operation.name)], []


def _stored(folder: Path, digest: bytes, operation: Operation) -> Sequence[Case] | None:
    """What each command would read again."""
    return _suite_cases(operation.name) if _is_of_suite(operation) else _read_cases(folder, digest, operation)


def _write(folder: Path, digest: bytes, operation: Operation, cases: Sequence[Case]) -> None:
    if not _is_of_suite(operation):
        _write_cases(folder, digest, operation, cases)


def _is_of_suite(operation: Operation) -> bool:
    known = _suite_specs.cache_info().currsize > 0  # else nobody has the suite's, and they need not be read to see that
    return known and _suite_specs()[0].operations.get(operation.name) is operation


@cache
def _suite_specs() -> tuple[Catalogue, list[Problem]]:
    return _load_specs(_SPECS)


@cache
def _suite_reference() -> LoadedReference:
    return _load_reference(_REFERENCE)


@cache
def _digests() -> Digests:
    return Digests(_SPECS, _REFERENCE)


@cache
def _suite_cases(name: str) -> Sequence[Case]:
    """The cases of an operation, which one process builds for all that test the same code; SpecError if they have problems."""
    catalogue = _suite_specs()[0]
    operation, digest = catalogue.operations[name], _digests().of_cases(name)
    folder = _shared_folder()
    with locked(folder, name, lambda _: None):
        stored = _read_cases(folder, digest, operation)
        if stored is None:
            stored = build.build_cases(catalogue.only([name]), _suite_reference(), sources=[*SOURCES])
            _write_cases(folder, digest, operation, stored)
    return stored


def _shared_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"conformance-tests-{os.getuid()}" / _digests().of_cases("").hex()[:16]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for earlier in sorted(folder.parent.glob("*"), key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(earlier) if earlier.is_dir() else earlier.unlink()
    return folder


_KEPT = 4
"""The number of folders: of other versions of Python and NumPy, and of other code."""

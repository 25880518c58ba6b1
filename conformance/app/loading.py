"""Specs, cases and known divergences; whatever is wrong with them is a ConformanceError."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from conformance.app.errors import invalid
from conformance.app.selecting import operation_in
from conformance.app.waiting import waiting
from conformance.cases.build import SOURCES, Source, build_cases
from conformance.cases.facts import CaseFacts
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cases.store.loaded import BuiltCases, LoadedCases
from conformance.cases.store.suite import Building, SuiteCases
from conformance.data_folders import reference_adapter, suite_operations
from conformance.environments.stored import home_folder
from conformance.execution.measurements import cores
from conformance.known.load import known_beside, load_known, unknown_apis
from conformance.known.matching import NamedCases, unmatched
from conformance.known.model import NAME, KnownDivergences
from conformance.specification.adapter_files import api_names
from conformance.specification.case_files import read_case, with_case
from conformance.specification.loader import load_specs
from conformance.specification.model import Catalogue, Operation
from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.worker.adapters import AdapterError

_REFERENCE = reference_adapter()


@contextlib.contextmanager
def kept_to_the_end() -> Iterator[None]:
    """Exclude what the block creates from garbage collection, which takes longer than loading many cases.

    Only the first time in a process: one that loads again and again, as tests do, would keep all that it has loaded.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def catalogue(path: Path | None, only: Collection[str] | None = None) -> Catalogue:
    """Load the specs in a file or folder, by default the suite's; only: the operations that are needed, None for all."""
    try:
        return load_specs(path, only)
    except SpecError as error:
        raise invalid(error.problems, "in the specs") from None


def with_cases(path: Path | None, only: Collection[str] | None = None) -> LoadedCases:
    """The specs in a file or folder, by default the suite's, with their cases. only: as for ``catalogue``, of the suite's."""
    if path is None:
        return suite(only)
    own = catalogue(path)
    return BuiltCases(own, all_cases(own))


def suite(only: Collection[str] | None = None, *, quiet: bool = False) -> SuiteCases:
    """The specs of the suite with their cases, which are stored once they are built; quiet: nothing is said meanwhile."""
    building = Building(
        read=partial(catalogue, None),
        build=lambda part, sources: all_cases(part, sources=sources),
        waiting=lambda number: waiting("building the cases of operations, once", number, quiet=quiet),
        warn=lambda message: None if quiet else print(message, file=sys.stderr),
        helpers=cores() - 1,
    )
    return SuiteCases(home_folder(), building, only)


def named(ids: Iterable[str]) -> frozenset[str] | None:
    """The operations of the suite to which ids belong; None if one belongs to none, since a similar id may be in any."""
    names = frozenset(operation_in(one) for one in ids)
    return names if names and names <= {*suite_operations()} else None


def combined(first: Catalogue, second: Catalogue) -> Catalogue:
    """The operations and documents of both; those of the second take precedence."""
    return replace(
        first,
        operations={**first.operations, **second.operations},
        documents={**first.documents, **second.documents},
        gaps=first.gaps | second.gaps,
    )


def with_suite(own: Catalogue, names: Collection[str]) -> tuple[Catalogue, Sequence[Source]]:
    """A user's specs with those operations of the suite that are named, and the sources of the cases of both."""
    wanted = [name for name in suite_operations() if name in names and name not in own.operations]
    if not wanted:
        return own, SOURCES
    of_suite = suite(wanted)
    both = combined(of_suite.catalogue, own)
    operations = {name: operation for name, operation in both.operations.items() if name in {*own.operations, *wanted}}
    digest = f"{own.digest}+{of_suite.catalogue.digest}"
    stored = of_suite.source()

    def cases_of(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
        for source in SOURCES if operation.name in own.operations else [stored]:
            yield from source(operation, reference)

    return replace(both, operations=operations, digest=digest, reference=own.reference, epoch=None), [cases_of]


def with_case_files(loaded: Catalogue, files: Sequence[Path]) -> tuple[Catalogue, list[str]]:
    """Add the cases of files to the specs; also return their ids."""
    ids: list[str] = []
    for file in files:
        try:
            case = read_case(file, loaded)
        except SpecError as error:
            raise invalid(error.problems, "in a case file") from None
        loaded = with_case(loaded, case)
        ids += [f"{case.clause.id}/{entry.name}" for entry in case.entries]
    return loaded, ids


def all_cases(loaded: Catalogue, more: Sequence[Source] = (), *, sources: Sequence[Source] = SOURCES) -> list[Case]:
    """Build every case with its expectation, including those of additional sources."""
    try:
        return build_cases(loaded, reference_of(loaded), more, sources=sources)
    except SpecError as error:
        raise invalid(error.problems, "in the specs") from None


def digest_of_draws(loaded: Catalogue) -> str:
    """Differs if draws, or their expected results, may differ due to the specs or a reference."""
    return hashlib.sha256(loaded.digest.encode() + _REFERENCE.read_bytes()).hexdigest()[:16]


def reference_of(loaded: Catalogue) -> Reference:
    """The suite's reference, extended by the one beside the specs; SpecError if that one fails to load."""
    try:
        return load_reference(_REFERENCE, loaded.reference)
    except Exception as error:  # the user's file may raise anything when it is imported
        if loaded.reference is None:
            raise
        reason = error if isinstance(error, AdapterError) else f"{type(error).__name__}: {error}"
        problem = Problem(Location(display_path(loaded.reference)), f"the reference beside the specs failed: {reason}")
        raise SpecError([problem]) from None


def check_known(known_files: Iterable[KnownDivergences], cases: Sequence[CaseFacts]) -> None:
    """Fail if an entry matches no case."""
    named_cases = NamedCases(cases)
    problems = {problem for known_divergences in known_files for problem in unmatched(known_divergences, named_cases)}
    if problems:
        raise invalid(problems, f"in {NAME}")


def known_problems(adapter: Path, cases: NamedCases, folder: Path | None = None) -> list[Problem]:
    """The problems of the known divergences in a folder, by default that of the adapter, if it has any."""
    try:
        known_divergences = known_beside(folder / adapter.name if folder is not None else adapter)
    except SpecError as error:
        return error.problems
    if known_divergences.file is None:
        return []
    apis = sorted({name for file in adapter.parent.glob("*.py") for name in api_names(file)})
    return [*unmatched(known_divergences, cases), *unknown_apis(known_divergences, apis)]


def known_in(file: Path) -> KnownDivergences:
    """Load a file, which need not exist yet."""
    if not file.exists():
        return KnownDivergences(file)
    try:
        return load_known(file)
    except SpecError as error:
        raise invalid(error.problems, f"in {NAME}") from None

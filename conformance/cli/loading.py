"""Specs and cases for a command, with every way that they can be wrong as a Failure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformance.cases.build import Source, build_cases
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cli.failures import USAGE, Failure
from conformance.places import adapters_folder
from conformance.specification.case_files import read_case, with_case
from conformance.specification.loader import load_specs
from conformance.specification.model import Catalogue
from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.worker.adapters import AdapterError


def catalogue(path: Path | None) -> Catalogue:
    """The specs of a path, or the suite's own."""
    try:
        return load_specs(path)
    except SpecError as error:
        raise Failure(USAGE, f"{_count(error)} in the specs\n{error}") from None


def with_case_files(loaded: Catalogue, files: Sequence[Path]) -> tuple[Catalogue, list[str]]:
    """The specs with the cases of files, and the ids of these."""
    ids: list[str] = []
    for file in files:
        try:
            case = read_case(file, loaded)
        except SpecError as error:
            raise Failure(USAGE, f"{_count(error)} in a case file\n{error}") from None
        loaded = with_case(loaded, case)
        ids += [f"{case.clause.id}/{written_call.name}" for written_call in case.written_calls]
    return loaded, ids


def all_cases(loaded: Catalogue, more: Sequence[Source] = ()) -> list[Case]:
    """Every case, with its expectation; ``more`` are sources besides those that every run has."""
    try:
        return build_cases(loaded, reference_of(loaded), more)
    except SpecError as error:
        raise Failure(USAGE, f"{_count(error)} in the specs\n{error}") from None


def reference_of(loaded: Catalogue) -> Reference:
    """The suite's reference, and the one beside the specs, if there is one; SpecError where that cannot be used."""
    try:
        return load_reference(adapters_folder() / "reference" / "adapter.py", loaded.reference)
    except Exception as error:  # whatever a user's own file raises when it is imported
        if loaded.reference is None:
            raise
        said = error if isinstance(error, AdapterError) else f"{type(error).__name__}: {error}"
        text = f"the reference of the specs cannot be used: {said}"
        raise SpecError([Problem(Location(display_path(loaded.reference)), text)]) from None


def _count(error: SpecError) -> str:
    return f"{len(error.problems)} problem{'s' if len(error.problems) != 1 else ''}"

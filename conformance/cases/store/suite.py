"""The cases of the suite's own specs: listed beside the specs, and stored once they are built."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from conformance.cases.build import SOURCES, WRITTEN, Source
from conformance.cases.model import Case
from conformance.cases.store.building import build_together
from conformance.cases.store.digests import Digests
from conformance.cases.store.folder import cases_folder
from conformance.cases.store.listing import Listing, listing_of, suite_listing, write_stored
from conformance.cases.store.loaded import LoadedCases
from conformance.cases.store.operations import read_cases, write_cases
from conformance.data_folders import reference_adapter, specs_folder, suite_operations
from conformance.specification.model import Catalogue, Operation

Done = Callable[[str], None]
"""Is called with the name of each operation that is built."""


@dataclass(frozen=True)
class Building:
    """How specs are read and cases built."""

    read: Callable[[Collection[str] | None], Catalogue]
    """The specs of these operations; None for all."""
    build: Callable[[Catalogue, Sequence[Source]], Sequence[Case]]
    """The cases of specs from these sources."""
    waiting: Callable[[int], AbstractContextManager[Done]]
    """Tells whoever waits that the cases of so many operations are built."""
    warn: Callable[[str], None]
    helpers: int = 0
    """The number of other processes that build cases too."""


class SuiteCases(LoadedCases):
    """Specs and cases are read, or else built and stored, when they are asked for."""

    def __init__(self, home: Path, building: Building, only: Collection[str] | None = None) -> None:
        """home: the folder of the suite's data. only: the operations whose specs and cases are needed; None for all."""
        super().__init__()
        self._home = home
        self._only = only
        self._building = building
        self._folder = cases_folder(home, specs_folder())
        # Before anything is read: what is built of files that change meanwhile is not stored as that of the changed ones.
        self._digests = Digests(specs_folder(), reference_adapter())

    @cached_property
    def catalogue(self) -> Catalogue:
        return self._building.read(self._only)

    @cached_property
    def listing(self) -> Listing:
        """That of all operations, also those that are not needed; what has changed since it was made is built."""
        listing = suite_listing(self._folder, self._digests)
        missing = [name for name in suite_operations() if name not in listing]
        if missing:
            whole = self if self._only is None else SuiteCases(self._home, self._building)
            listing = {**listing, **listing_of(whole.catalogue.only(missing), whole.of_operations(missing))}
            with contextlib.suppress(OSError):  # said of the cases
                write_stored(self._folder, listing, self._digests.of_listing)
        return {name: listing[name] for name in sorted(listing)}

    def written(self, names: Collection[str]) -> Sequence[Case]:
        """The calls in specs are built without those that are derived from them, in less time than all are read."""
        return self._building.build(self.catalogue.only(names), WRITTEN)

    def _load(self, names: Sequence[str]) -> Mapping[str, Sequence[Case]]:
        operations = [self.catalogue.operations[name] for name in names]
        found = {one.name: read_cases(self._folder, self._digests.of_cases(one.name), one) for one in operations}
        cases = {name: of_operation for name, of_operation in found.items() if of_operation is not None}
        missing = [operation for operation in operations if operation.name not in cases]
        return {**cases, **self._built(missing)} if missing else cases

    def _built(self, missing: Sequence[Operation]) -> Mapping[str, Sequence[Case]]:
        longest_first = sorted(missing, key=_number_of_calls, reverse=True)
        with self._building.waiting(len(missing)) as done:
            cases = build_together(
                [operation.name for operation in longest_first],
                self._cases_of,
                done,
                folder=self._folder,
                digests=self._digests,
                helpers=self._building.helpers,
            )
        self._store([operation for operation in missing if operation.name in cases], cases)
        return cases | {one.name: self._read(one) for one in missing if one.name not in cases}

    def _read(self, operation: Operation) -> Sequence[Case]:
        """What a helping process has stored just now."""
        cases = read_cases(self._folder, self._digests.of_cases(operation.name), operation)
        return self._cases_of(operation.name) if cases is None else cases

    def _cases_of(self, name: str) -> Sequence[Case]:
        return self._building.build(self.catalogue.only([name]), SOURCES)

    def _store(self, operations: Sequence[Operation], cases: Mapping[str, Sequence[Case]]) -> None:
        try:
            for operation in operations:
                write_cases(self._folder, self._digests.of_cases(operation.name), operation, cases[operation.name])
            for earlier in self._folder.parent.glob(
                "*.pickle"
            ):  # of versions that kept all cases in one file of 160 MB
                earlier.unlink(missing_ok=True)
        except OSError as error:
            self._building.warn(
                f"the cases cannot be stored ({error.strerror}: {self._folder}), so that each command builds them again; "
                "CONFORMANCE_HOME names another folder"
            )


def _number_of_calls(operation: Operation) -> int:
    return sum(len(clause.written_calls) for clause in operation.clauses)

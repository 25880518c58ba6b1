"""Specs with their cases, which are built or read for the operations that are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from conformance.cases.build import Source
from conformance.cases.facts import CaseFacts
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.store.listing import Listing, listing_of
from conformance.specification.model import Catalogue, Operation


class LoadedCases(ABC):
    """Specs without problems, and their cases."""

    def __init__(self) -> None:
        self._cases: dict[str, Sequence[Case]] = {}
        """By operation, those that are built or read."""

    @property
    @abstractmethod
    def catalogue(self) -> Catalogue:
        """The specs."""

    @property
    @abstractmethod
    def listing(self) -> Listing:
        """What is asked of all cases."""

    @abstractmethod
    def _load(self, names: Sequence[str]) -> Mapping[str, Sequence[Case]]:
        """The cases of operations of the specs, by name."""

    @cached_property
    def facts(self) -> Sequence[CaseFacts]:
        """Of all cases, in the order of the specs."""
        return [case for operation in self.listing.values() for case in operation.cases]

    def of_operation(self, name: str) -> Sequence[Case]:
        """The cases of an operation; none if the specs do not have it."""
        return self.of_operations([name])

    def of_operations(self, names: Collection[str]) -> list[Case]:
        """The cases of these operations, in the order of the specs."""
        asked = [name for name in self.catalogue.operations if name in names]
        missing = [name for name in asked if name not in self._cases]
        if missing:
            self._cases |= self._load(missing)
        return [case for name in asked for case in self._cases[name]]

    @property
    def cases(self) -> list[Case]:
        """All cases, in the order of the specs."""
        return self.of_operations(self.catalogue.operations)

    def source(self) -> Source:
        """Yields the cases of an operation without building them again."""

        def cases_of(operation: Operation, _: Reference) -> Iterator[Case]:
            yield from self.of_operation(operation.name)

        return cases_of


class BuiltCases(LoadedCases):
    """All cases of specs, built at once."""

    def __init__(self, catalogue: Catalogue, cases: Sequence[Case]) -> None:
        super().__init__()
        self._catalogue = catalogue
        self._all = cases

    @property
    def catalogue(self) -> Catalogue:
        return self._catalogue

    @cached_property
    def listing(self) -> Listing:
        return listing_of(self._catalogue, self._all)

    def _load(self, names: Sequence[str]) -> Mapping[str, Sequence[Case]]:
        of_operation: dict[str, list[Case]] = {name: [] for name in names}
        for case in self._all:
            if case.operation_name in of_operation:
                of_operation[case.operation_name].append(case)
        return of_operation

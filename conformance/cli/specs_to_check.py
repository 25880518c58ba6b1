"""Specs that are checked: which of their operations have passed before, and the listing of their cases."""

from __future__ import annotations

from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

from conformance.app.listings import listing
from conformance.cases.store.checked import note_passed, passed
from conformance.cases.store.digests import Digests, digest_of_all
from conformance.cases.store.folder import cases_folder
from conformance.cases.store.listing import FILE_NAME, Listing, read_listing, write_listing
from conformance.data_folders import reference_adapter, specs_folder
from conformance.environments.stored import home_folder
from conformance.reports.text import counted
from conformance.specification.problems import display_path


@dataclass(frozen=True)
class SpecsToCheck:
    """A file or a folder of specs."""

    path: Path | None
    """None for the suite's."""
    _digest_of: Callable[[str], str] = field(compare=False, repr=False)
    """The digest of an operation, as its files were before they were read: what changes meanwhile has not passed."""

    @classmethod
    def at(cls, path: Path | None) -> SpecsToCheck:
        """Those of a file or folder; None for the suite's."""
        if path is None:
            return cls(None, Digests(specs_folder(), reference_adapter()).of_listing)
        digest = digest_of_all(path, reference_adapter())
        return cls(path, lambda _: digest)

    @property
    def _folder(self) -> Path:
        return cases_folder(home_folder(), self.path or specs_folder())

    def passed(self, names: Collection[str]) -> frozenset[str]:
        """The operations that have passed and have not changed since; those of the suite's listing have, or it would not be there."""
        return passed(self._folder, names, self._digest_of) | self._listed().keys()

    def note_passed(self, names: Collection[str]) -> None:
        note_passed(self._folder, names, self._digest_of)

    def listing(self, names: AbstractSet[str]) -> Listing:
        """Of operations that have passed: as it was written, or else from their cases."""
        listed = self._listed()
        every = listed if names <= listed.keys() else listing(self.path)
        return {name: every[name] for name in names}

    def write_listing(self, listing: Listing) -> str:
        """Write the suite's listing, and describe it."""
        file = specs_folder() / FILE_NAME
        write_listing(file, {name: listing[name] for name in sorted(listing)}, self._digest_of)
        return f"{display_path(file)}, {counted(sum(len(one.cases) for one in listing.values()), 'case')}"

    def _listed(self) -> Listing:
        return read_listing(specs_folder() / FILE_NAME, self._digest_of) if self.path is None else {}

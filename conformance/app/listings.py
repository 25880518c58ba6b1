"""The listing of all cases of specs, which is read without importing what builds them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from conformance.cases.store.digests import Digests, digest_of_all
from conformance.cases.store.folder import cases_folder
from conformance.cases.store.listing import Listing, read_stored, suite_listing, write_stored
from conformance.data_folders import reference_adapter, specs_folder, suite_operations
from conformance.environments.stored import home_folder


def listing(specs: Path | None) -> Listing:
    """That of a file or folder of specs, by default the suite's; ConformanceError for invalid specs."""
    if specs is not None:
        return _of_own(specs)
    folder = cases_folder(home_folder(), specs_folder())
    suite = suite_listing(folder, Digests(specs_folder(), reference_adapter()))
    return suite if suite.keys() >= {*suite_operations()} else _built(None)


def _of_own(specs: Path) -> Listing:
    digest = digest_of_all(specs, reference_adapter())
    folder = cases_folder(home_folder(), specs)
    if found := read_stored(folder, lambda _: digest):
        return found
    built = _built(specs)
    with contextlib.suppress(OSError):
        write_stored(folder, built, lambda _: digest)
    return built


def _built(specs: Path | None) -> Listing:
    from conformance.app import loading

    return loading.with_cases(specs).listing

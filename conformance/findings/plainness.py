"""Which of several APIs that do as much is the one to write: the plain function rather than another form of it."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.results.records import MappingRecord


def plainest_first(mappings: Iterable[MappingRecord]) -> list[MappingRecord]:
    """The mappings of one operation. Adapters begin with what users write, so their order is kept, with two exceptions.

    An API that follows the documentation of one mapped before it is another form of that one, such as ``torch.gather(out=)``,
    and comes after all that are not. An API that changes an argument comes after all that do not.
    """
    in_order = list(mappings)
    before: set[tuple[str, str]] = set()
    forms: set[tuple[str, str]] = set()
    for mapping in in_order:
        if mapping.follows and (mapping.target, mapping.follows) in before:
            forms.add((mapping.target, mapping.api))
        before.add((mapping.target, mapping.api))
    return sorted(in_order, key=lambda one: (one.in_place is not None, (one.target, one.api) in forms))

"""The sentences of shipped documentation that claims rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Sentences = Mapping[str, tuple[str, ...]]
"""By the dotted name of an object, hashes of sentences of its documentation."""


def sentences_of(written: Mapping[str, Sequence[str]], texts: Mapping[str, Sequence[str]]) -> Sentences:
    """The sentences by object, where a name of ``texts`` stands for each of its objects."""
    by_object: dict[str, tuple[str, ...]] = {}
    for name, hashes in written.items():
        for each in texts.get(name, (name,)):
            by_object[each] = (*by_object.get(each, ()), *hashes)
    return by_object

"""Whether a divergence would be the framework's own, or a fact for whoever ports to it."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.version import InvalidVersion, Version

from conformance.judging.vocabulary import Standing
from conformance.spec.model import Citation, Clause


def standing_of(
    clause: Clause, *, framework: str, version: str | None, names: Iterable[str], composed: bool
) -> Standing:
    """``own`` when an official document that speaks of this version describes this API, and the API is not composed.

    ``names`` are the API's own name and the one that it follows.
    """
    described = set(names)
    for citation in clause.citations:
        document = citation.document
        if (
            document.official
            and not composed
            and document.framework == framework
            and described & set(document.describes)
            and _speaks_of(citation, version)
        ):
            return "own"
    return "portability"


def _speaks_of(citation: Citation, version: str | None) -> bool:
    try:
        release = Version(version or "")
    except InvalidVersion:
        return False
    ranges = [citation.document.versions, citation.claim.versions]
    return all(one is None or one.contains(release, prereleases=True) for one in ranges)

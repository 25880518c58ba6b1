"""Whether a divergence would be the framework's own, or a fact for whoever ports to it."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from conformance.judging.vocabulary import Standing
from conformance.specification.model import Citation, Clause


def standing_of(
    clause: Clause, *, framework: str, version: str | None, api: str, follows: str | None, composed: bool
) -> Standing:
    """``own`` when an official document describes this API, or the one that it follows, and the API is not composed.

    The document must speak of the framework's version. One that is followed from another framework, as a backend does,
    binds whatever the version: the adapter says that it does.
    """
    if composed:
        return "portability"
    about = (binds(one, framework=framework, version=version, api=api, follows=follows) for one in clause.citations)
    return "own" if any(about) else "portability"


def binds(citation: Citation, *, framework: str, version: str | None, api: str, follows: str | None) -> bool:
    """Whether a claim is one of the API's own documentation, or of what it follows."""
    document = citation.document
    if not document.official:
        return False
    home = document.framework == framework
    if {api, follows} & set(document.describes) and home and _speaks_of(citation, version):
        return True
    return follows in document.describes and not home


def _speaks_of(citation: Citation, version: str | None) -> bool:
    ranges = [one for one in (citation.document.versions, citation.claim.versions) if one]
    try:
        release = Version(version or "")
    except InvalidVersion:
        return not ranges
    return all(one.contains(release, prereleases=True) for one in ranges)

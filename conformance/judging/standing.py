"""Whether a divergence breaks the framework's own documentation or only concerns portability."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from conformance.judging.vocabulary import Standing
from conformance.specification.model import Citation, Clause


def standing_of(
    clause: Clause,
    *,
    framework: str,
    version: str | None,
    api: str,
    follows: str | None,
    composed: bool,
    derived: bool = False,
) -> Standing:
    """``own`` if an official document describes this API, or the API that it follows, and it is not composed.

    The document must apply to the framework's version. A document of another framework, whose API this one follows
    according to the adapter, applies to every version. A worked example of an unofficial document about this API has
    the standing ``printed``, but not the cases that are derived from it.
    """
    about = [
        citation.document
        for citation in ([] if composed else clause.citations)
        if describes(citation, framework=framework, version=version, api=api, follows=follows)
    ]
    if any(document.official for document in about):
        return "own"
    return "printed" if about and clause.family == "example" and not derived else "portability"


def binds(citation: Citation, *, framework: str, version: str | None, api: str, follows: str | None) -> bool:
    """Whether a claim comes from the official documentation of the API, or of the API that it follows."""
    return citation.document.official and describes(
        citation, framework=framework, version=version, api=api, follows=follows
    )


def describes(citation: Citation, *, framework: str, version: str | None, api: str, follows: str | None) -> bool:
    """Whether a claim comes from a document about the API, or about the API that it follows."""
    document = citation.document
    if document.framework != framework:
        return follows in document.describes
    return bool({api, follows} & set(document.describes)) and _applies_to(citation, version)


def _applies_to(citation: Citation, version: str | None) -> bool:
    ranges = [versions for versions in (citation.document.versions, citation.claim.versions) if versions]
    try:
        release = Version(version or "")
    except InvalidVersion:
        return not ranges
    return all(versions.contains(release, prereleases=True) for versions in ranges)

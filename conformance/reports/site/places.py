"""Where the claim stands that a finding breaks: its document and place, and since which tested version it is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.findings.findings import Cause
from conformance.findings.sentences import ClaimHistory
from conformance.reports.text import counted
from conformance.results.file import Results
from conformance.results.records import CitationRecord, MappingRecord, ResultRecord


@dataclass(frozen=True)
class ClaimPlace:
    """A claim about the API of a finding."""

    says: str
    document: str
    locator: str
    url: str | None
    text: str
    """``2 sentences, which ship with every tested version``; empty for the claim of a captured page."""


class ClaimPlaces:
    """Finds the claims that causes break."""

    def __init__(self, results: Results) -> None:
        self._clauses = results.clauses
        self._describes = {document.document: document.describes for document in results.documents}
        self._mappings = {(mapping.target, mapping.api): mapping for mapping in results.mappings}
        self._history = ClaimHistory(results)

    def of(self, cause: Cause) -> list[ClaimPlace]:
        """The claims that the first finding of a cause breaks, if these are about its own API; those of its developers first."""
        broken = next((finding for finding in cause.findings if finding.is_binding), None)
        if broken is None:
            return []
        return [place for _, place in sorted(self._places(broken.first), key=lambda found: not found[0])]

    def _places(self, result: ResultRecord) -> Iterator[tuple[bool, ClaimPlace]]:
        """With whether the document is official."""
        clause = self._clauses.get(result.clause)
        mapping = self._mappings.get((result.target, result.api))
        for citation in clause.citations if clause and mapping else ():
            if mapping and self._is_about(citation, mapping):
                text = self._text(citation, result.target)
                if text is not None:
                    place = ClaimPlace(citation.says, citation.document, citation.locator, citation.url, text)
                    yield citation.official, place

    def _is_about(self, citation: CitationRecord, mapping: MappingRecord) -> bool:
        described = self._describes.get(citation.document, [citation.document])
        return bool({mapping.api, mapping.follows} & {*described})

    def _text(self, citation: CitationRecord, target: str) -> str | None:
        """Empty for a captured page; None if the version's own text does not make the claim."""
        sentences = self._history.sentences(citation)
        if sentences == 0:
            return ""
        standing = self._history.standing(citation, target)
        if standing is None:
            return None
        ships = "ships" if sentences == 1 else "ship"
        since = (
            f"since {standing.since.version}, the oldest tested"
            if standing.is_oldest
            else f"since {standing.since.version}"
        )
        return f"{counted(sentences, 'sentence')} that {ships} with it {since}"

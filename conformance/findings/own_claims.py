"""What the documentation of each API says, in the version of a target and for its kind of device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from packaging.specifiers import SpecifierSet

from conformance.findings.newest import version_of
from conformance.findings.situations import ARGUMENTS, INDEX_DTYPE, TWICE, USUAL, Place, Situation
from conformance.judging.vocabulary import BINDING
from conformance.results.records import CitationRecord, ClaimRecord, MappingRecord, ResultRecord, documents_device
from conformance.results.table import Table

Name = tuple[str, str]
"""The document and the locator of a claim."""


@dataclass(frozen=True)
class Said:
    """What the documentation of an API says of some of its calls."""

    claims: tuple[CitationRecord, ...] = ()
    """About what is unusual about them."""
    of_all_calls: bool = False
    """There is none, but what it says of all calls holds for these too."""


@dataclass(frozen=True)
class OwnClaims:
    """The claims of the documents that are about an API, or about the one that it follows."""

    table: Table
    places: Mapping[str, Place]
    """Case to the situation that its call is in."""

    def of_calls(self, results: Sequence[ResultRecord], situation: Situation) -> Said:
        """What it says of calls of one API in a situation, to which they are held.

        A clause that usual calls are held to as well says nothing of what is unusual, unless it forbids the call or is
        broken by it. Neither does one that leaves these calls open: it cites what raises the question. What clauses say of
        positions that are written twice follows from the formula of all calls. Only a claim about dtypes says something of
        the dtype of indices.
        """
        if situation == ARGUMENTS:
            return Said()
        if situation.of == INDEX_DTYPE:
            return Said(tuple(dict.fromkeys(self._of_index_dtypes(results))))
        found: dict[Name, CitationRecord] = {}
        of_all_calls = False
        for clause, of_clause in _by_clause(results).items():
            citations = self.table.results.clauses[clause].citations
            own = {_name(each): each for each in citations if self._is_own(each, results[0])}
            if situation.of in (USUAL.name, TWICE.name) or self._is_to_the_point(clause, of_clause):
                found |= own
            else:
                of_all_calls = of_all_calls or bool(own)
        for claim in self._of_situation.get(situation.name, ()):
            if self._is_own(claim, results[0]):
                found.setdefault(_name(claim), claim)
        in_order = sorted(found.values(), key=lambda claim: self._clauses[_name(claim)])
        return Said(tuple(in_order), of_all_calls and not found)

    def naming(self, result: ResultRecord, dtypes: Mapping[str, str]) -> str | None:
        """The official claim that lists the dtypes of arguments by name, as ``document#locator``."""
        for claim in self._about_dtypes(result):
            if all(dtype in claim.dtypes.get(name, ()) for name, dtype in dtypes.items()):
                return _id(_citation(claim))
        return None

    def _about_dtypes(self, result: ResultRecord) -> Iterator[ClaimRecord]:
        """The official claims of the API's own documentation that list dtypes of arguments of the operation."""
        operation = self.table.results.clauses[result.clause].operation
        mapping = self._mappings.get((result.target, result.api, operation))
        if mapping is not None and not mapping.composed:
            of_operation = self._of_dtypes[operation]
            yield from (claim for claim in of_operation if claim.official and self._is_own(_citation(claim), result))

    def _about_dtype(self, result: ResultRecord, argument: str, dtype: str) -> str | None:
        """The claim that lists a dtype of an argument; else the first one that lists others of it, or a family."""
        others = (_id(_citation(claim)) for claim in self._about_dtypes(result) if claim.dtypes.get(argument))
        return self.naming(result, {argument: dtype}) or next(others, None)

    def _is_to_the_point(self, clause: str, results: Sequence[ResultRecord]) -> bool:
        cases = self.table.results.cases
        if all("observed" in cases[result.case].expectation for result in results):
            return False
        return clause not in self._of_usual_calls or any(
            result.verdict == "diverges" or "raises" in cases[result.case].expectation for result in results
        )

    @cached_property
    def _of_usual_calls(self) -> frozenset[str]:
        """The clauses that calls are held to about which nothing is unusual."""
        return frozenset(place.case.clause for place in self.places.values() if place.situation == USUAL)

    @cached_property
    def _clauses(self) -> Counter[Name]:
        """How many clauses cite each claim: a claim about few is more to the point than one about all calls."""
        clauses = self.table.results.clauses.values()
        return Counter(_name(citation) for clause in clauses for citation in clause.citations)

    @cached_property
    def _of_dtypes(self) -> Mapping[str, Sequence[ClaimRecord]]:
        """By operation, the claims about dtypes in the documents that its clauses cite."""
        cited: dict[str, set[str]] = {}
        for clause in self.table.results.clauses.values():
            cited.setdefault(clause.operation, set()).update(citation.document for citation in clause.citations)
        of_dtypes = [claim for claim in self.table.results.claims if claim.dtypes]
        return {
            operation: [claim for claim in of_dtypes if claim.document in documents]
            for operation, documents in cited.items()
        }

    @cached_property
    def _of_situation(self) -> Mapping[str, Sequence[CitationRecord]]:
        """By the name of a situation, the claims that speak of it though no clause cites them."""
        found: dict[str, list[CitationRecord]] = {}
        for claim in self.table.results.claims:
            for situation in claim.situations:
                found.setdefault(situation, []).append(_citation(claim))
        return found

    def _of_index_dtypes(self, results: Sequence[ResultRecord]) -> Iterator[CitationRecord]:
        for result in results:
            if result.cast:
                continue
            place, claim = self.places.get(result.case), result.dtype_claim
            by = claim.by if claim else None
            if claim is None and place is not None and place.index is not None and place.index_dtype is not None:
                by = self._about_dtype(result, place.index, place.index_dtype)
            if by is not None and by in self._all:
                yield self._all[by]

    @cached_property
    def _all(self) -> Mapping[str, CitationRecord]:
        """All claims by ``document#locator``."""
        citations = map(_citation, self.table.results.claims)
        return {_id(citation): citation for citation in citations}

    @cached_property
    def _mappings(self) -> Mapping[tuple[str, str, str], MappingRecord]:
        return {(each.target, each.api, each.operation): each for each in self.table.results.mappings}

    @cached_property
    def _describing(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """By target and API, the documents that are about the API, or about the one that it follows."""
        return {
            (mapping.target, mapping.api): frozenset(
                document.document
                for document in self.table.results.documents
                if {mapping.api, mapping.follows} & {*document.describes}
            )
            for mapping in self.table.results.mappings
        }

    def _is_own(self, citation: CitationRecord, result: ResultRecord) -> bool:
        target = self.table.targets[result.target]
        if citation.document not in self._describing.get((result.target, result.api), ()):
            return False
        if _id(citation) in target.unread.get(result.api, ()):
            return False
        if citation.device not in (None, documents_device(target.device, gpu=target.gpu)):
            return False
        return not citation.versions or version_of(target.version) in SpecifierSet(citation.versions, prereleases=True)


def _by_clause(results: Iterable[ResultRecord]) -> Mapping[str, Sequence[ResultRecord]]:
    """The results that are held to the documentation of their API, by clause."""
    found: dict[str, list[ResultRecord]] = {}
    for result in results:
        if result.standing in BINDING:
            found.setdefault(result.clause, []).append(result)
    return found


def _name(citation: CitationRecord) -> Name:
    return citation.document, citation.locator


def _id(citation: CitationRecord) -> str:
    return f"{citation.document}#{citation.locator}"


def _citation(claim: ClaimRecord) -> CitationRecord:
    return CitationRecord(
        claim.document, claim.locator, claim.says, claim.official, claim.url, claim.versions, claim.device
    )

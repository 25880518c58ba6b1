"""What the documentation of each API says, in the version of a target and for its kind of device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from packaging.specifiers import SpecifierSet

from conformance.findings.sentences import objects_of, version_of
from conformance.findings.situations import (
    ARGUMENTS,
    INDEX_DTYPE,
    TWICE,
    USUAL,
    Place,
    Situation,
    choices,
    written_twice,
)
from conformance.judging.vocabulary import BINDING
from conformance.results.file import Results
from conformance.results.records import (
    CitationRecord,
    ClaimRecord,
    MappingRecord,
    ResultRecord,
    TargetRecord,
    documents_device,
)
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
class Describing:
    """Which documents are about which APIs of which targets."""

    results: Results

    def is_own(self, citation: CitationRecord | ClaimRecord, target: TargetRecord, api: str) -> bool:
        """Whether a claim is of the documentation of an API, or of the one that it follows, in this version and on this device."""
        if citation.document not in self._documents.get((target.id, api), ()):
            return False
        if f"{citation.document}#{citation.locator}" in target.unread.get(api, ()):
            return False
        if citation.device not in (None, documents_device(target.device, gpu=target.gpu)):
            return False
        return not citation.versions or version_of(target.version) in SpecifierSet(citation.versions, prereleases=True)

    @cached_property
    def _documents(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """By target and API, the documents that are about the API, or about the one that it follows."""
        about: dict[str, set[str]] = {}
        for document in self.results.documents:
            for api in document.describes:
                about.setdefault(api, set()).add(document.document)
        found: dict[tuple[str, str], set[str]] = {}
        for mapping in self.results.mappings:
            of_api = found.setdefault((mapping.target, mapping.api), set())
            for name in (mapping.api, mapping.follows):
                of_api |= about.get(name or "", set())
        return {key: frozenset(documents) for key, documents in found.items()}


@dataclass(frozen=True)
class OwnClaims:
    """The claims of the documents that are about an API, or about the one that it follows."""

    table: Table
    places: Mapping[str, Place]
    """Case to the situation that its call is in."""

    def of_calls(self, results: Sequence[ResultRecord], situation: Situation) -> Said:
        """What it says of calls of one API in a situation, to which they are held.

        What is about the choice that the calls make, such as ``reduce=add``, comes first, and holds of them even if they are
        held to nothing. What a document on several APIs says of another one comes last; where it says what this one does with
        the choice, only what it says of the choice is left of that.

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
            own = self._own(self.table.results.clauses[clause].citations, results[0])
            if situation.of in (USUAL.name, TWICE.name) or self._is_to_the_point(clause, of_clause):
                found |= own
            else:
                of_all_calls = of_all_calls or bool(own)
        found = self._own(self._of_situation.get(situation.name, ()), results[0]) | found
        operation = self.table.results.clauses[results[0].clause].operation
        about_choice = self._own(self._of_choice.get((operation, situation.detail), ()), results[0])
        return Said(self._in_order(found or about_choice, about_choice.keys(), results[0]), of_all_calls and not found)

    def _own(self, citations: Iterable[CitationRecord], result: ResultRecord) -> dict[Name, CitationRecord]:
        return {_name(each): each for each in citations if self._is_own(each, result)}

    def _in_order(
        self, found: Mapping[Name, CitationRecord], of_choice: Set[Name], result: ResultRecord
    ) -> tuple[CitationRecord, ...]:
        others = self._of_others(result)
        left_out = others - of_choice if of_choice & found.keys() - others else frozenset()
        names = (name for name in found if name not in left_out)
        in_order = sorted(names, key=lambda name: (name in others, name not in of_choice, self._clauses[name]))
        return tuple(found[name] for name in in_order)

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

    def _of_others(self, result: ResultRecord) -> frozenset[Name]:
        """The claims of a document on several APIs that rest on the sentences about others, as the sum does for a product."""
        operation = self.table.results.clauses[result.clause].operation
        mapping = self._mappings.get((result.target, result.api, operation))
        objects = frozenset(objects_of(mapping)) if mapping else frozenset()
        if objects not in self._resting_elsewhere:
            on_these = {claim.document for claim in self.table.results.claims if objects & claim.rests.keys()}
            self._resting_elsewhere[objects] = frozenset(
                (claim.document, claim.locator)
                for claim in self.table.results.claims
                if claim.document in on_these and claim.rests and not objects & claim.rests.keys()
            )
        return self._resting_elsewhere[objects]

    @cached_property
    def _resting_elsewhere(self) -> dict[frozenset[str], frozenset[Name]]:
        """By the objects that an API is documented by, what has been found; see ``_of_others``."""
        return {}

    @cached_property
    def _of_choice(self) -> Mapping[tuple[str, str], Sequence[CitationRecord]]:
        """By operation and a choice of arguments, such as ``reduce=add``, what clauses cite all whose calls make it.

        Claims about dtypes are left out: that only these calls test them says nothing of the choice.
        """
        about_dtypes = {(claim.document, claim.locator) for claim in self.table.results.claims if claim.dtypes}
        of_clause: dict[str, set[str]] = {}
        for case in self.table.results.cases.values():
            of_clause.setdefault(case.clause, set()).add(written_twice(choices(case)).detail)
        found: dict[tuple[str, str], list[CitationRecord]] = {}
        for name, clause in self.table.results.clauses.items():
            [choice, *more] = sorted(of_clause.get(name, {""}))
            if choice and not more:
                about = (each for each in clause.citations if _name(each) not in about_dtypes)
                found.setdefault((clause.operation, choice), []).extend(about)
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
    def _describing(self) -> Describing:
        return Describing(self.table.results)

    def _is_own(self, citation: CitationRecord, result: ResultRecord) -> bool:
        return self._describing.is_own(citation, self.table.targets[result.target], result.api)


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

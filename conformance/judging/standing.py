"""Whether a divergence breaks the framework's own documentation or only concerns portability."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from conformance.cases.expectations import Agrees
from conformance.cases.model import Case
from conformance.judging.vocabulary import Standing
from conformance.specification.applied import Applied
from conformance.specification.model import ACCUMULATES, DISTINCT, Citation, Clause, Operation, Printed, Raises
from conformance.specification.vocabulary import Device


@dataclass(frozen=True)
class DescribedApi:
    """An API of a version of a framework, and what its documentation says."""

    framework: str
    version: str | None
    name: str
    follows: str | None = None
    spoken: Collection[str] = frozenset()
    """Claims, as ``document#locator``, that rest on sentences and speak of the API in this version."""


def standing_of(clause: Clause, api: DescribedApi, *, composed: bool, derived: bool = False) -> Standing:
    """``own`` if an official document describes this API, or the API that it follows, and it is not composed.

    The document must apply to the framework's version, and a claim that rests on sentences must speak of it. A document
    of another framework, whose API this one follows according to the adapter, applies to every version. A worked example
    of an unofficial document about this API has the standing ``printed``, but not the cases that are derived from it.
    """
    about = [citation.document for citation in ([] if composed else clause.citations) if describes(citation, api)]
    if any(document.official for document in about):
        return "own"
    return "printed" if about and clause.family == "example" and not derived else "portability"


def concerns(case: Case, api: DescribedApi, *, composed: bool) -> bool:
    """Whether the call of a case is made on this API.

    What only some APIs document is tested on those alone, and a call that breaks a rule of this kind is made on the others
    alone, unless it tests the rule.
    """

    def is_documented(clause: Clause) -> bool:
        return standing_of(clause, api, composed=composed) == "own"

    if case.clause.only_documented and not is_documented(case.clause):
        return False
    return not any(map(is_documented, case.broken_promises))


def other_errors(case: Case) -> tuple[Clause, ...]:
    """The clauses besides that of a call by which it is an error; only behaviours if its own does not expect one.

    A rule may not hold by accident, such as one about an axis that the tensor lacks, where nothing is said of that. By what
    its control breaks too a call is no error, as the control is made in order that it returns.
    """
    if isinstance(case.expectation, Agrees):
        return ()
    must_raise = isinstance(case.expectation, Raises)
    errors = case.call.errors if must_raise else case.call.violated
    of_control = case.control.errors if must_raise and case.control is not None else ()
    return tuple(clause for clause in errors if not any(clause is other for other in (case.clause, *of_control)))


def promises_of(clauses: Iterable[Clause], api: DescribedApi, device: Device | None) -> tuple[Citation, ...]:
    """The claims of these clauses that are made by official documents of the API.

    A call that its clause alone leaves to portability breaks the API's own documentation by them. device: that of the case.
    """
    return tuple(
        citation
        for clause in clauses
        for citation in clause.citations
        if binds(citation, api) and citation.claim.device in (None, device)
    )


def binds(citation: Citation, api: DescribedApi) -> bool:
    """Whether a claim comes from the official documentation of the API, or of the API that it follows."""
    return citation.document.official and describes(citation, api)


def citations(operation: Operation) -> Iterator[Citation]:
    """All claims of every document that the clauses of an operation cite."""
    cited = [citation.document for clause in operation.clauses for citation in clause.citations]
    for document in {document.id: document for document in cited}.values():
        yield from (Citation(document, claim) for claim in document.claims.values())


def kept(operation: Operation, api: DescribedApi) -> frozenset[str]:
    """The arguments that a call leaves as they were, according to the official documentation of the API."""
    claims = [citation for citation in citations(operation) if citation.claim.keeps]
    return frozenset(name for citation in claims if binds(citation, api) for name in citation.claim.keeps)


def says_dtype_of_result(operation: Operation, api: DescribedApi) -> bool:
    """Whether the official documentation of the API says which dtype a result has, by a rule that requires it."""
    rules = [clause for clause in operation.clauses if clause.rule is not None and clause.rule.ensure is not None]
    return any(
        binds(citation, api)
        for clause in rules
        if clause.rule is not None and clause.rule.ensure is not None and _RESULT_DTYPE in clause.rule.ensure.terms
        for citation in clause.citations
    )


_RESULT_DTYPE = "result.dtype"


def says_result(operation: Operation, api: DescribedApi, *, composed: bool) -> bool:
    """Whether the official documentation of the API says what a valid call returns, by an example or a behaviour."""
    clauses = [clause for clause in operation.clauses if clause.family in ("example", "behaviour")]
    return any(
        standing_of(clause, api, composed=composed) == "own"
        and any(isinstance(written.expected, Printed) for written in clause.written_calls)
        for clause in clauses
    )


def excluding(call: Applied, api: DescribedApi) -> Citation | None:
    """The claim of the API's documentation by which a call has no right derivative in reverse mode; None if there is none."""
    inside = [each for each in call.geometries.values() if each.fits and each.inside.all()]
    is_distinct = not any(geometry.has_duplicates for geometry in inside)
    values = {**call.values, DISTINCT: is_distinct, ACCUMULATES: call.accumulates}
    for citation in citations(call.operation):
        condition = citation.claim.derivative
        if condition is not None and not condition.holds(values) and _speaks_of(citation, api):
            return citation
    return None


def _speaks_of(citation: Citation, api: DescribedApi) -> bool:
    """Whether a claim binds the API: by its own documentation, or as one that the claim says to do the same."""
    is_other = citation.document.framework == api.framework and api.name in citation.claim.also
    return binds(citation, api) or (is_other and citation.document.official and _applies_to(citation, api.version))


def describes(citation: Citation, api: DescribedApi) -> bool:
    """Whether a claim comes from a document about the API, or about the API that it follows."""
    document = citation.document
    if document.framework != api.framework:
        is_about = api.follows in document.describes
    else:
        is_about = bool({api.name, api.follows} & set(document.describes)) and _applies_to(citation, api.version)
    return is_about and (not citation.claim.rests or str(citation) in api.spoken)


def _applies_to(citation: Citation, version: str | None) -> bool:
    ranges = [versions for versions in (citation.document.versions, citation.claim.versions) if versions]
    try:
        release = Version(version or "")
    except InvalidVersion:
        return not ranges
    return all(versions.contains(release, prereleases=True) for versions in ranges)

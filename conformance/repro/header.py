"""What a script says of itself: who documents what, and where it was seen to be otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.cases.model import Agrees, Returns
from conformance.repro.values import listed
from conformance.results.observed import CaseResult
from conformance.specification.model import Citation, Raises
from conformance.targets.prepared import Prepared

MOST_ELEMENTS = 5
"""Elements that differ of which both values are printed."""
_MOST_PRINTED = 64
"""Elements up to which the documented result is printed whole."""


def head(shown: CaseResult, prepared: Prepared) -> list[str]:
    """Paragraphs: what happened, what is documented and by whom, and the versions."""
    result, clause = shown.result, shown.case.clause
    return [
        f"{result.api}: {result.explanation or 'does what is documented'}",
        *_whose(shown),
        "",
        f"What should hold: {clause.states}",
        *_cited(result.api, clause.citations),
        "",
        f"Seen with {_versions(shown)}.",
        *([f"Environment: {_variables(prepared)}"] if prepared.variables else []),
    ]


def documented_lines(shown: CaseResult) -> list[str]:
    """What the script prints before its calls."""
    expectation = shown.case.expectation
    documented = "documented" if shown.result.standing == "own" else f"documented for {_first_described(shown)}"
    if isinstance(expectation, Raises):
        return [f"{documented}: {expectation.error or 'an error'}"]
    if isinstance(expectation, Agrees):
        return [f"{documented}: left and right are the same", f"left:  {expectation.relation.left.text}",
                f"right: {expectation.relation.right.text}"]  # fmt: skip
    if isinstance(expectation, Returns):
        return [f"{documented}: {_value(expectation)}", *_differing(shown)]
    return ["documented: nothing about this"]


def _first_described(shown: CaseResult) -> str:
    """The API that the case is documented for: the one that was called, where a document is about it."""
    described = [api for citation in shown.case.clause.citations for api in citation.document.describes]
    return shown.result.api if shown.result.api in described else (described or ["no API"])[0]


def _whose(shown: CaseResult) -> list[str]:
    """Whether the API breaks its own documentation or differs from another's."""
    if shown.result.verdict != "diverges":
        return []
    if shown.result.standing == "own":
        return ["It breaks its own documentation: a defect of the code or of the text."]
    return [f"It differs from what is documented for {_first_described(shown)}; its own documentation does not say so."]


def _cited(api: str, citations: tuple[Citation, ...]) -> Iterator[str]:
    """Each document with what it claims, that of the API itself first."""
    documents = {citation.document.id: citation.document for citation in citations}
    for document in sorted(documents.values(), key=lambda document: api not in document.describes):
        about = "" if api in document.describes else f", about {' and '.join(document.describes)},"
        url = f" {document.url}" if document.url else ""
        yield f"{'Documented' if document.official else 'Described'}{about} in {document.title}{url}:"
        yield from (f"- {citation.claim.says}" for citation in citations if citation.document.id == document.id)


def _versions(shown: CaseResult) -> str:
    target = shown.target
    named = f"{target.title or target.framework} {target.version}" if target.version else target.framework
    return f"{named}, NumPy {target.numpy}, Python {target.python}; device {target.device}, mode {target.mode}"


def _variables(prepared: Prepared) -> str:
    return " ".join(f"{name}={value}" for name, value in prepared.variables.items())


def _value(expectation: Returns) -> str:
    value = expectation.value
    digits = f", to {expectation.digits} decimal places" if expectation.digits is not None else ""
    within = f", within {expectation.within:g}" if expectation.within is not None else ""
    elements = f": {listed(value.array)}" if value.array.size <= _MOST_PRINTED else ""
    remains = "; where several updates go to one element, any of them may remain" if expectation.writes else ""
    return f"{value.dtype} of shape {value.shape}{digits}{within}{elements}{remains}"


def _differing(shown: CaseResult) -> list[str]:
    differences = shown.result.differences
    if differences is None or differences.total <= _MOST_PRINTED:
        return []
    return [f"documented at {one['index']}: {one['expected']}" for one in differences.first[:MOST_ELEMENTS]]

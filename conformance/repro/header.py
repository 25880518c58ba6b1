"""What a script says of itself: who documents what, and where it was seen to be otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.cases.model import Agrees, Returns
from conformance.repro.seen import Called, Seen
from conformance.repro.values import listed
from conformance.specification.model import Citation, Raises
from conformance.targets.prepared import Prepared

MOST_ELEMENTS = 5
"""Elements that differ of which both values are printed."""
_MOST_PRINTED = 64
"""Elements up to which the documented result is printed whole."""


def head(seen: Seen, calls: Sequence[Called], prepared: Prepared) -> list[str]:
    """Paragraphs: what happened, what is documented and by whom, and the versions."""
    result, clause = seen.result, seen.case.clause
    return [
        f"{result.api}: {_happened(seen, calls)}",
        *_whose(seen),
        "",
        f"What should hold: {clause.states}",
        *_cited(seen, clause.citations),
        "",
        f"Seen with {_versions(seen)}.",
        *([f"Environment: {_variables(prepared)}"] if prepared.variables else []),
    ]


def documented_lines(seen: Seen) -> list[str]:
    """What the script prints before its calls."""
    expectation = seen.case.expectation
    documented = "documented" if seen.result.standing == "own" else f"documented for {_first_described(seen)}"
    if isinstance(expectation, Raises):
        return [f"{documented}: {expectation.error or 'an error'}"]
    if isinstance(expectation, Agrees):
        return [f"{documented}: left and right are the same", f"left:  {expectation.relation.left.text}",
                f"right: {expectation.relation.right.text}"]  # fmt: skip
    if isinstance(expectation, Returns):
        return [f"{documented}: {_value(expectation)}", *_differing(seen)]
    return ["documented: nothing about this"]


def _first_described(seen: Seen) -> str:
    """The API that the case is documented for: the one that was called, where a document is about it."""
    described = [api for citation in seen.case.clause.citations for api in citation.document.describes]
    return seen.result.api if seen.result.api in described else (described or ["no API"])[0]


def _happened(seen: Seen, calls: Sequence[Called]) -> str:
    explanation = seen.result.explanation or "does what is documented"
    names = [one.name for one in calls]
    if "earlier" in names:
        return explanation.partition("; right in a fresh process")[0] + "; only after an earlier call"
    return explanation


def _whose(seen: Seen) -> list[str]:
    """Whether the API breaks its own documentation or differs from another's."""
    if seen.result.verdict != "diverges":
        return []
    if seen.result.standing == "own":
        return ["It breaks its own documentation: a defect of the code or of the text."]
    return [f"It differs from what is documented for {_first_described(seen)}; its own documentation does not say so."]


def _cited(seen: Seen, citations: Sequence[Citation]) -> Iterator[str]:
    """Each document with what it claims, that of the API itself first."""
    documents = {one.document.id: one.document for one in citations}
    for document in sorted(documents.values(), key=lambda one: seen.result.api not in one.describes):
        about = "" if seen.result.api in document.describes else f", about {' and '.join(document.describes)},"
        url = f" {document.url}" if document.url else ""
        yield f"{'Documented' if document.official else 'Described'}{about} in {document.title}{url}:"
        yield from (f"- {one.claim.says}" for one in citations if one.document.id == document.id)


def _versions(seen: Seen) -> str:
    target = seen.target
    named = f"{target.title or target.framework} {target.version}" if target.version else target.framework
    return f"{named}, NumPy {target.numpy}, Python {target.python}; device {target.device}, mode {target.mode}"


def _variables(prepared: Prepared) -> str:
    return " ".join(f"{name}={value}" for name, value in prepared.variables.items())


def _value(expectation: Returns) -> str:
    value = expectation.value
    digits = f", to {expectation.digits} decimal places" if expectation.digits is not None else ""
    within = f", within {expectation.within:g}" if expectation.within is not None else ""
    elements = f": {listed(value.array)}" if value.array.size <= _MOST_PRINTED else ""
    anyone = "; where several updates go to one place, any of them may remain" if expectation.writes is not None else ""
    return f"{value.dtype} of shape {value.shape}{digits}{within}{elements}{anyone}"


def _differing(seen: Seen) -> list[str]:
    differences = seen.result.differences
    if differences is None or differences.total <= _MOST_PRINTED:
        return []
    return [f"documented at {one['index']}: {one['expected']}" for one in differences.first[:MOST_ELEMENTS]]

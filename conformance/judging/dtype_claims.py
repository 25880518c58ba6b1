"""Whether the documentation of an API claims the dtypes that a case is about."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from conformance.cases.model import Case
from conformance.judging.standing import binds
from conformance.specification.dtypes import kind_of
from conformance.specification.literals import Tensor
from conformance.specification.model import Citation, Operation

ADAPTER = "the adapter"


@dataclass(frozen=True)
class DtypeClaim:
    """Who speaks of a dtype."""

    by: str
    """``document#locator``, or the adapter."""
    named: bool
    """The dtype by its name; otherwise only its family, which promises no one dtype."""


def dtype_claim(
    case: Case,
    *,
    framework: str,
    version: str | None,
    api: str,
    follows: str | None,
    composed: bool,
    promised: Collection[str],
) -> DtypeClaim | None:
    """The claim that is nearest to the dtypes a case is about; None where all are silent.

    promised: the dtypes that the adapter says the API takes.
    """
    wanted = _dtypes(case)
    if wanted and set(wanted.values()) <= set(promised):
        return DtypeClaim(ADAPTER, named=True)
    found = []
    for citation in () if composed else _speaking(case.operation):
        claimed = citation.claim.dtypes
        if not binds(citation, framework=framework, version=version, api=api, follows=follows):
            continue
        if all(dtype in claimed.get(name, ()) for name, dtype in wanted.items()):
            return DtypeClaim(str(citation), named=True)
        if all(kind_of(dtype) in claimed.get(name, ()) for name, dtype in wanted.items()):
            found.append(DtypeClaim(str(citation), named=False))
    return found[0] if found else None


def _dtypes(case: Case) -> dict[str, str]:
    given = {name: case.call.arguments.get(name) for name in case.about_dtype}
    return {name: value.dtype for name, value in given.items() if isinstance(value, Tensor)}


def _speaking(operation: Operation) -> Iterator[Citation]:
    """The claims about dtypes of every document that the operation's clauses cite."""
    documents = {one.document.id: one.document for clause in operation.clauses for one in clause.citations}
    for document in documents.values():
        yield from (Citation(document, claim) for claim in document.claims.values() if claim.dtypes)

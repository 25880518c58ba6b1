"""Converts clauses, cases, claims and errata to the records of a results file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from conformance.cases.model import Agrees, Case, Expectation, Returns
from conformance.outcomes.reply import digest
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    DocumentRecord,
    ErratumRecord,
    TransformRecord,
    UntestableRecord,
)
from conformance.specification.axes import axes_of
from conformance.specification.literals import Tensor, written_form
from conformance.specification.model import Batch, Call, Citation, Claim, Clause, Document, Raises, Transform
from conformance.specification.numbers import elements

DOCUMENTED_ARRAY = 400
"""Maximum number of elements of an expected result to store."""


def claim_records(documents: Mapping[str, Document]) -> list[ClaimRecord]:
    """Every claim of every document."""
    return [
        ClaimRecord(
            document=document.id,
            title=document.title,
            locator=claim.locator,
            says=claim.says,
            official=document.official,
            url=document.url,
            untestable=claim.untestable,
            program=claim.program,
            broken=claim.broken,
            transform=claim.transform,
            versions=_versions(claim),
            device=claim.device,
            rests={name: list(sentences) for name, sentences in claim.rests.items()},
            situations=list(claim.situations),
            dtypes={argument: sorted(dtypes) for argument, dtypes in claim.dtypes.items()},
        )
        for document in documents.values()
        for claim in document.claims.values()
    ]


def erratum_records(documents: Mapping[str, Document]) -> list[ErratumRecord]:
    """Every erratum of every document."""
    return [
        ErratumRecord(
            document=document.id,
            id=erratum.slug,
            place=erratum.place,
            printed=erratum.printed,
            adopted=erratum.adopted,
            proof=erratum.proof_text,
            proof_kind=erratum.kind,
            rests={name: list(sentences) for name, sentences in erratum.rests.items()},
        )
        for document in documents.values()
        for erratum in document.errata.values()
    ]


def document_records(documents: Mapping[str, Document]) -> list[DocumentRecord]:
    """What each document is about."""
    return [
        DocumentRecord(
            document.id,
            document.framework,
            list(document.describes),
            [
                UntestableRecord(group.name, group.reason, {name: list(hashes) for name, hashes in group.rests.items()})
                for group in document.untestable
            ],
        )
        for document in documents.values()
    ]


def clause_record(clause: Clause) -> ClauseRecord:
    rule = clause.rule
    expression = rule and (rule.require or rule.ensure)
    return ClauseRecord(
        id=clause.id,
        operation=clause.operation,
        name=clause.name,
        family=clause.family,
        states=clause.states,
        citations=[_citation(citation) for citation in clause.citations],
        source=str(clause.location),
        file=clause.location.file,
        line=clause.location.line,
        requires=expression.text if expression else None,
        only_documented=clause.only_documented,
    )


def case_record(case: Case, number: int | None = None) -> CaseRecord:
    """The record of a case; ``number`` is its position in the run, None for a case that the run itself found."""
    axes = axes_of(case.operation, case.call) or {}
    indexing = {name: spec.indexing for name, spec in case.operation.arguments.items() if spec.indexing}
    return CaseRecord(
        id=case.id,
        clause=case.clause.id,
        operation=case.operation.name,
        call=_call(case.call),
        expectation=_expectation(case.expectation),
        dtypes={name: value.dtype for name, value in case.call.arguments.items() if isinstance(value, Tensor)},
        digest=case_digest(case),
        source=str(case.written.location),
        note=case.written.note,
        control=_call(case.control) if case.control else None,
        axes={name: list(groups) for name, groups in axes.items()} if case.operation.layout else None,
        points={name: asdict(declared) for name, declared in indexing.items() if name in axes},
        number=number,
        provenance=case.provenance,
        breaks=case.written.breaks,
        derived_from=case.derived_from,
        device=case.device,
        passed=dict(case.call.passed),
        program=case.call.program,
        breaks_promises=[clause.id for clause in case.broken_promises],
        transform=_transform(case.call.transform),
    )


def written_digests(cases: Iterable[Case]) -> dict[str, str]:
    """By id, the digests of those cases that specs list."""
    return {case.id: case_digest(case) for case in cases if case.provenance in ("written", "found")}


def _citation(citation: Citation) -> CitationRecord:
    document = citation.document
    claim = citation.claim
    return CitationRecord(
        document.id, claim.locator, claim.says, document.official, document.url, _versions(claim), claim.device
    )


def _versions(claim: Claim) -> str | None:
    return str(claim.versions) if claim.versions is not None else None


def _transform(transform: Transform | None) -> TransformRecord | None:
    if transform is None:
        return None
    if isinstance(transform, Batch):
        stacks = {name: written_form(stack) for name, stack in transform.stacks.items()}
        return TransformRecord(transform.kind, transform.of, stacks=stacks, axis=transform.axis)
    return TransformRecord(transform.kind, transform.of, written_form(transform.seed))


def _call(call: Call) -> dict[str, Any]:
    return {name: written_form(value) for name, value in call.arguments.items()}


def _expectation(expectation: Expectation) -> dict[str, Any]:
    if isinstance(expectation, Returns):
        return {"returns": _returns(expectation)}
    if isinstance(expectation, Raises):
        return {"raises": expectation.error or True}
    if isinstance(expectation, Agrees):
        return {"relation": {"left": expectation.relation.left.text, "right": expectation.relation.right.text}}
    return {"observed": expectation.reason}


def _returns(expectation: Returns) -> dict[str, Any]:
    value = expectation.value
    content: dict[str, Any] = {"dtype": value.dtype, "shape": list(value.shape), "source": expectation.source}
    if expectation.digits is not None:
        content["digits"] = expectation.digits
    if expectation.within is not None:
        content["within"] = expectation.within
    if expectation.writes is not None:
        content["remains"] = "any"
    if value.array.size <= DOCUMENTED_ARRAY:
        content["values"] = elements(value.array)
    else:
        content["text"] = value.written if isinstance(value.written, str) else f"digest {digest(value)}"
    return content


def _tensor_digest(value: Tensor) -> str:
    return f"{digest(value)} {value.view}" if value.view else digest(value)


def _transform_digest(transform: Transform) -> str:
    tensors = transform.stacks.values() if isinstance(transform, Batch) else [transform.seed]
    return f"{transform.kind} of {transform.of} with {' and '.join(map(digest, tensors))}"


def case_digest(case: Case) -> str:
    """Differs if the call of a case, its control or its expectation does."""
    parts = [case.operation.name]
    for call in filter(None, [case.call, case.control]):
        for name, value in sorted(call.arguments.items()):
            parts.append(f"{name}={_tensor_digest(value)}" if isinstance(value, Tensor) else f"{name}={value!r}")
        parts += [call.program] if call.program is not None else []
        if call.transform is not None:
            parts.append(_transform_digest(call.transform))
        parts += [f"{name} passed as {way}" for name, way in sorted(call.passed.items())]
    expectation = case.expectation
    if isinstance(expectation, Returns):
        parts.append(f"{digest(expectation.value)} {expectation.digits}")
        parts += [f"within {expectation.within!r}"] if expectation.within is not None else []
        parts += ["any remains"] if expectation.writes is not None else []
    elif isinstance(expectation, Agrees):
        parts.append(f"{expectation.relation.left.text} == {expectation.relation.right.text}")
    else:
        parts.append(repr(asdict(expectation)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

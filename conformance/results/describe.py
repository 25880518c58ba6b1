"""Converts clauses, cases, claims and errata to the records of a results file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from conformance.cases.expectations import (
    Agrees,
    Expectation,
    Returning,
    Returns,
    ReturnsAnyWritten,
    ToDigits,
    Within,
    tolerance_of,
)
from conformance.cases.model import Case
from conformance.cases.variation import (
    AsView,
    Batched,
    Contradicting,
    Differentiated,
    Drawn,
    DrawnProgram,
    Found,
    InDtype,
    InProgram,
    NestedTransform,
    Passed,
    RareForm,
    SharingMemory,
    TwiceDifferentiated,
    Variation,
    Written,
)
from conformance.outcomes.reply import digest
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    DocumentRecord,
    ErratumRecord,
    UntestableRecord,
)
from conformance.results.variations import (
    AsViewRecord,
    BatchRecord,
    ContradictingRecord,
    DerivativeRecord,
    DrawnProgramRecord,
    DrawnRecord,
    FoundRecord,
    InDtypeRecord,
    InProgramRecord,
    NestedRecord,
    PassedRecord,
    RareFormRecord,
    SecondDerivativeRecord,
    SharingMemoryRecord,
    VariationRecord,
    WrittenRecord,
)
from conformance.specification.applied import Applied
from conformance.specification.axes import axes_of
from conformance.specification.indices.declarations import indexing_record
from conformance.specification.literals import Tensor, written_form
from conformance.specification.model import (
    Around,
    AsUsual,
    Batch,
    Citation,
    Claim,
    Clause,
    Derivative,
    Document,
    Manner,
    Nested,
    PassedAs,
    Raises,
    SecondDerivative,
    Sharing,
    around_of,
)
from conformance.specification.numbers import elements
from conformance.specification.programs.meaning import received

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
    axes = axes_of(_received(case.call)) or {}
    indexing = {name: spec.indexing for name, spec in case.operation.arguments.items() if spec.indexing}
    return CaseRecord(
        id=case.id,
        clause=case.clause.id,
        operation=case.operation.name,
        call=_call(case.call),
        expectation=_expectation(case.expectation),
        dtypes={name: value.dtype for name, value in case.call.arguments.items() if isinstance(value, Tensor)},
        digest=case_digest(case),
        source=str(case.entry.location),
        note=case.entry.note,
        control=_call(case.control) if case.control else None,
        axes={name: list(groups) for name, groups in axes.items()} if case.operation.layout else None,
        points={name: indexing_record(declared) for name, declared in indexing.items() if name in axes},
        number=number,
        variation=variation_record(case.variation),
        device=case.device,
        breaks_promises=[clause.id for clause in case.broken_promises],
    )


def _received(call: Applied) -> Applied:
    """The call that is made, inside a program if there is one around it."""
    around = around_of(call.manner)
    arguments = received(around.program, call.arguments) if around is not None else None
    return call if arguments is None else call.with_arguments(arguments)


def written_digests(cases: Iterable[Case]) -> dict[str, str]:
    """By id, the digests of those cases that specs list."""
    return {case.id: case_digest(case) for case in cases if isinstance(case.variation, Written | Found)}


def _citation(citation: Citation) -> CitationRecord:
    document = citation.document
    claim = citation.claim
    return CitationRecord(
        document.id, claim.locator, claim.says, document.official, document.url, _versions(claim), claim.device
    )


def _versions(claim: Claim) -> str | None:
    return str(claim.versions) if claim.versions is not None else None


def variation_record(variation: Variation) -> VariationRecord:  # noqa: C901, PLR0912 - one case for each kind
    """The record of how a case varies the call of its clause."""
    match variation:
        case Written(breaks=breaks):
            return WrittenRecord(breaks)
        case Found(breaks=breaks):
            return FoundRecord(breaks)
        case Drawn(rule=rule):
            return DrawnRecord(rule is not None)
        case InDtype(base):
            return InDtypeRecord(base)
        case AsView(base, view):
            return AsViewRecord(base, view)
        case SharingMemory(Sharing(changed, read, shift)):
            return SharingMemoryRecord(changed, read, shift)
        case RareForm(breaks=breaks, form=form):
            return RareFormRecord(breaks, form)
        case Contradicting(argument, way, breaks=breaks):
            return ContradictingRecord(argument, way, breaks)
        case Passed(base, PassedAs(ways), breaks=breaks):
            return PassedRecord(base, dict(ways), breaks)
        case InProgram(Around(program, apis, passed=passed)):
            return InProgramRecord(program.text, apis, dict(passed.ways))
        case DrawnProgram(Around(program, apis)):
            return DrawnProgramRecord(program.text, apis)
        case Differentiated(base, Derivative(mode, of, seed)):
            return DerivativeRecord(base, mode, of, written_form(seed))
        case Batched(base, Batch(stacks, axis)):
            return BatchRecord(base, _literals(stacks), axis)
        case NestedTransform(base, Nested(mode, Derivative(of=of, seed=seed), Batch(stacks, axis), around)):
            text = around.program.text if around is not None else None
            return NestedRecord(base, mode, of, written_form(seed), _literals(stacks), axis, text)
        case TwiceDifferentiated(base, SecondDerivative(mode, first, second)):
            seeds = written_form(first.seed), written_form(second.seed)
            return SecondDerivativeRecord(base, mode, first.of, second.of, *seeds)


def _literals(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    return {name: written_form(value) for name, value in tensors.items()}


def _call(call: Applied) -> dict[str, Any]:
    return {name: written_form(value) for name, value in call.arguments.items()}


def _expectation(expectation: Expectation) -> dict[str, Any]:
    if isinstance(expectation, Returning):
        return {"returns": _returns(expectation)}
    if isinstance(expectation, Raises):
        return {"raises": expectation.error or True}
    if isinstance(expectation, Agrees):
        return {"relation": {"left": expectation.relation.left.text, "right": expectation.relation.right.text}}
    return {"observed": expectation.reason}


def _returns(expectation: Returning) -> dict[str, Any]:
    value = expectation.value
    source = expectation.source if isinstance(expectation, Returns) else "reference"
    content: dict[str, Any] = {"dtype": value.dtype, "shape": list(value.shape), "source": source}
    match tolerance_of(expectation):
        case ToDigits(digits):
            content["digits"] = digits
        case Within(largest=largest):
            content["within"] = largest
    if isinstance(expectation, ReturnsAnyWritten):
        content["remains"] = "any"
    if isinstance(expectation, Returns) and expectation.parts:
        content["parts"] = [{**asdict(part), "shape": list(part.shape)} for part in expectation.parts]
    if value.array.size <= DOCUMENTED_ARRAY:
        content["values"] = elements(value.array)
    else:
        content["text"] = value.written if isinstance(value.written, str) else f"digest {digest(value)}"
    return content


def _tensor_digest(value: Tensor) -> str:
    return f"{digest(value)} {value.view}" if value.view else digest(value)


def _manner_parts(manner: Manner) -> list[str]:
    """What of a digest depends on how a call is made."""
    match manner:
        case AsUsual():
            return []
        case PassedAs(ways):
            return [f"{name} passed as {way}" for name, way in sorted(ways.items())]
        case Around(program, passed=passed):
            return [program.text, *_manner_parts(passed)]
        case Sharing(changed, other, shift):
            return [f"{other} begins {shift} behind {changed}"]
        case Derivative(seed=seed):
            return [f"{manner.kind} of {manner.of} with {digest(seed)}"]
        case Batch(stacks=stacks):
            return [f"{manner.kind} of {manner.of} with {' and '.join(map(digest, stacks.values()))}"]
        case Nested(kind, derivative, batch, around):
            inner = [*_manner_parts(derivative), *_manner_parts(batch)]
            return [kind, *inner, *(_manner_parts(around) if around is not None else [])]
        case SecondDerivative(kind, first, second):
            return [kind, *_manner_parts(first), *_manner_parts(second)]


def case_digest(case: Case) -> str:
    """Differs if the call of a case, its control or its expectation does."""
    parts = [case.operation.name]
    for call in filter(None, [case.call, case.control]):
        for name, value in sorted(call.arguments.items()):
            parts.append(f"{name}={_tensor_digest(value)}" if isinstance(value, Tensor) else f"{name}={value!r}")
        parts += _manner_parts(call.manner)
    expectation = case.expectation
    if isinstance(expectation, Returning):
        tolerance = tolerance_of(expectation)
        if isinstance(expectation, Returns) and expectation.parts:
            parts.append(repr(expectation.parts))
        parts.append(f"{digest(expectation.value)} {tolerance.digits if isinstance(tolerance, ToDigits) else None}")
        parts += [f"within {tolerance.largest!r}"] if isinstance(tolerance, Within) else []
        parts += ["any remains"] if isinstance(expectation, ReturnsAnyWritten) else []
    elif isinstance(expectation, Agrees):
        parts.append(f"{expectation.relation.left.text} == {expectation.relation.right.text}")
    else:
        parts.append(repr(asdict(expectation)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

"""``conformance trace``: the claims of the documents, and the cases that test them."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError, invalid
from conformance.reports.text import counted, json_text, wrapped
from conformance.specification.errata import Erratum
from conformance.specification.model import Catalogue, Clause
from conformance.specification.problems import nearest
from conformance.specification.trace import TracedClaim, TracedDocument, trace, trace_problems


def show_trace(documents: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
    """Print what tests each claim of the documents, and fail if a claim is not tested."""
    catalogue = loading.catalogue(specs)
    traced = _selected(trace(catalogue), catalogue, documents)
    if as_json:
        click.echo(json_text({"documents": [_as_json(document) for document in traced]}, indent=1))
    else:
        width = shutil.get_terminal_size().columns
        click.echo("\n\n".join("\n".join(_lines(document, width)) for document in traced))
    problems = trace_problems(catalogue, traced)
    if problems:
        raise invalid(problems)
    return 0


def _selected(traced: Sequence[TracedDocument], catalogue: Catalogue, names: Sequence[str]) -> list[TracedDocument]:
    for name in names:
        if name not in catalogue.documents:
            raise ConformanceError(f"undefined document {name!r}{nearest(name, catalogue.documents)}")
    return [document for document in traced if not names or document.document.id in names]


def _lines(traced: TracedDocument, width: int) -> Iterator[str]:
    document = traced.document
    yield document.id
    yield from wrapped(f"{document.title}; {'official' if document.official else 'unofficial'}", width, "  ", deeper=0)
    yield from wrapped(_summary(traced), width, "  ", deeper=0)
    column = max(len(claim.claim.locator) for claim in traced.claims) + 4
    for claim in traced.claims:
        yield from _claim_lines(claim, column, width)
    if document.errata:
        yield ""
        yield f"  errata of {document.id}"
    for erratum in document.errata.values():
        yield from _erratum_lines(erratum, width)


def _summary(traced: TracedDocument) -> str:
    current = [claim for claim in traced.claims if not claim.claim.history]
    tested = sum(claim.cases > 0 for claim in current)
    former = len(traced.claims) - len(current)
    cases = sum(len(clause.written_calls) for clause in traced.clauses)
    programs = sum(claim.claim.program is not None for claim in traced.claims)
    transforms = sum(claim.claim.transform is not None for claim in traced.claims)
    untestable = sum(claim.claim.untestable is not None for claim in traced.claims)
    return (
        f"{counted(len(current), 'claim')}: {tested} tested by {counted(len(traced.clauses), 'clause')} "
        f"with {counted(cases, 'case')}{f', {programs} by a program' if programs else ''}"
        f"{f', {transforms} by all derivatives or batches' if transforms else ''}, {untestable} not testable"
        f"{f'; besides, {former} of releases that cannot be installed' if former else ''}"
    )


def _claim_lines(traced: TracedClaim, column: int, width: int) -> Iterator[str]:
    claim = traced.claim
    yield ""
    yield from wrapped(claim.says, width, f"  {claim.locator}".ljust(column), deeper=0)
    if claim.versions is not None:
        yield (
            " " * column + f"in releases {claim.versions}{', none of which can be installed' if claim.history else ''}"
        )
    for clause in traced.clauses:
        yield from wrapped(f"{clause.id}: {_cases(clause)}", width, " " * column)
    if claim.untestable is not None:
        yield from wrapped(f"not testable: {claim.untestable}", width, " " * column, deeper=0)
    elif claim.program is not None:
        yield " " * column + "a program: conformance check --frameworks"
        if claim.broken is not None:
            yield " " * column + f"the framework breaks it: the program raises {claim.broken}"
    elif claim.transform is not None:
        yield " " * column + f"all calls with the transform {claim.transform}"
    elif not traced.cases:
        yield " " * column + "NO CASE tests it"


def _cases(clause: Clause) -> str:
    devices = ", ".join(f"{number} on {device} only" for device, number in _devices(clause).items())
    return counted(len(clause.written_calls), "case") + (f" ({devices})" if devices else "")


def _devices(clause: Clause) -> dict[str, int]:
    """The number of cases of a clause that are only for one kind of device, by device."""
    return dict(
        Counter(written_call.device for written_call in clause.written_calls if written_call.device is not None)
    )


def _erratum_lines(erratum: Erratum, width: int) -> Iterator[str]:
    yield ""
    yield f"  {erratum.slug} ({erratum.place})"
    parts = [("printed", erratum.printed), ("adopted", erratum.adopted), ("proof", erratum.proof_text)]
    for label, text in parts:
        yield from wrapped(text, width, f"    {label}  ".ljust(13), deeper=0)


def _as_json(traced: TracedDocument) -> dict[str, Any]:
    document = traced.document
    return {
        "id": document.id,
        "title": document.title,
        "official": document.official,
        "claims": [_claim_as_json(claim) for claim in traced.claims],
        "errata": [
            {
                "id": erratum.slug,
                "place": erratum.place,
                "printed": erratum.printed,
                "adopted": erratum.adopted,
                "proof": {"kind": erratum.kind, **erratum.proof.model_dump(by_alias=True)},
            }
            for erratum in document.errata.values()
        ],
    }


def _claim_as_json(traced: TracedClaim) -> dict[str, Any]:
    claim = traced.claim
    return {
        "locator": claim.locator,
        "says": claim.says,
        "versions": str(claim.versions) if claim.versions is not None else None,
        "untestable": claim.untestable,
        "program": claim.program,
        "broken": claim.broken,
        "transform": claim.transform,
        "clauses": [
            {"id": clause.id, "cases": len(clause.written_calls), "on": _devices(clause)} for clause in traced.clauses
        ],
        "cases": traced.cases,
    }

"""``conformance trace``: from each claim of a document to the cases that test it."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from conformance.cli import loading
from conformance.cli.failures import USAGE, Failure
from conformance.specification.errata import Erratum, Proof
from conformance.specification.file_format import (
    EditionsDifferPart,
    FalseOnExamplePart,
    ImpossibleTypePart,
    SentencesConflictPart,
)
from conformance.specification.model import Catalogue, Clause
from conformance.specification.problems import nearest
from conformance.specification.trace import TracedClaim, TracedDocument, trace, trace_problems


@click.command(name="trace")
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@click.option("--specs", type=click.Path(path_type=Path), metavar="PATH", help="A folder of specs of your own.")
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON object.")
def command(documents: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
    """Show what each document claims, and which clauses test it with how many cases; then the document's errata.

    With no DOCUMENT, all of them. Fails with 4 where a claim has neither a case nor a reason why none can test it,
    and where a clause cites no claim.
    """
    catalogue = loading.catalogue(specs)
    traced = _chosen(trace(catalogue), catalogue, documents)
    problems = trace_problems(catalogue, traced)
    if as_json:
        click.echo(json.dumps({"documents": [_as_json(one) for one in traced]}, ensure_ascii=False, indent=1))
    else:
        width = shutil.get_terminal_size().columns
        for number, one in enumerate(traced):
            for line in [*([""] if number else []), *_lines(one, width)]:
                click.echo(line)
    if problems:
        raise Failure(USAGE, "\n".join([_counted(len(problems), "problem") + " found", *map(str, sorted(problems))]))
    return 0


def _chosen(traced: Sequence[TracedDocument], catalogue: Catalogue, names: Sequence[str]) -> list[TracedDocument]:
    for name in names:
        if name not in catalogue.documents:
            raise Failure(USAGE, f"undefined document {name!r}{nearest(name, catalogue.documents)}")
    return [one for one in traced if not names or one.document.id in names]


def _lines(traced: TracedDocument, width: int) -> Iterator[str]:
    document = traced.document
    yield document.id
    yield f"  {document.title}; {'official' if document.official else 'unofficial'}"
    yield f"  {_summary(traced)}"
    column = max(len(one.claim.locator) for one in traced.claims) + 4
    for one in traced.claims:
        yield from _claim_lines(one, column, width)
    if document.errata:
        yield ""
        yield f"  errata of {document.id}"
    for erratum in document.errata.values():
        yield from _erratum_lines(erratum, width)


def _summary(traced: TracedDocument) -> str:
    tested = sum(one.cases > 0 for one in traced.claims)
    cases = sum(len(clause.written_calls) for clause in traced.clauses)
    untestable = sum(one.claim.untestable is not None for one in traced.claims)
    return (
        f"{_counted(len(traced.claims), 'claim')}: {tested} tested by {_counted(len(traced.clauses), 'clause')} "
        f"with {_counted(cases, 'case')}, {untestable} not testable"
    )


def _claim_lines(traced: TracedClaim, column: int, width: int) -> Iterator[str]:
    claim = traced.claim
    yield ""
    yield from _wrapped(claim.says, f"  {claim.locator}".ljust(column), column, width)
    if claim.versions is not None:
        yield " " * column + f"in releases {claim.versions}"
    for clause in traced.clauses:
        yield from _wrapped(f"{clause.id}: {_cases(clause)}", " " * column, column + 2, width)
    if claim.untestable is not None:
        yield from _wrapped(f"not testable: {claim.untestable}", " " * column, column, width)
    elif not traced.cases:
        yield " " * column + "NO CASE tests it"


def _cases(clause: Clause) -> str:
    devices = ", ".join(f"{number} on {device} only" for device, number in _devices(clause).items())
    return _counted(len(clause.written_calls), "case") + (f" ({devices})" if devices else "")


def _devices(clause: Clause) -> dict[str, int]:
    """How many of a clause's cases are for one kind of device alone."""
    return dict(
        Counter(written_call.device for written_call in clause.written_calls if written_call.device is not None)
    )


def _erratum_lines(erratum: Erratum, width: int) -> Iterator[str]:
    yield ""
    yield f"  {erratum.slug} ({erratum.place})"
    told = [("printed", erratum.printed), ("adopted", erratum.adopted), ("proof", _told(erratum.proof))]
    for label, text in told:
        yield from _wrapped(text, f"    {label}  ".ljust(13), 13, width)


def _told(proof: Proof) -> str:
    """A proof as a sentence."""
    if isinstance(proof, FalseOnExamplePart):
        return f'on {proof.example}, "{proof.printed}" is false and "{proof.adopted}" is true'
    if isinstance(proof, EditionsDifferPart):
        readings = [
            f'"{text}" (edition {name}) is {"true" if name == proof.adopted else "false"}'
            for name, text in proof.readings.items()
        ]
        return f"on {proof.example}, {' and '.join(readings)}"
    if isinstance(proof, SentencesConflictPart):
        return f"as printed it contradicts the claim {proof.with_}"
    if isinstance(proof, ImpossibleTypePart):
        return f'on {proof.example}, "{proof.value}" is a {proof.adopted} and no {proof.printed}'
    return f'"{proof.call}" raises {proof.error}, "{proof.instead}" does not'


def _wrapped(text: str, first: str, column: int, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, column + 30),
        initial_indent=first,
        subsequent_indent=" " * column,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _as_json(traced: TracedDocument) -> dict[str, Any]:
    document = traced.document
    return {
        "id": document.id,
        "title": document.title,
        "official": document.official,
        "claims": [_claim_as_json(one) for one in traced.claims],
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
        "clauses": [
            {"id": clause.id, "cases": len(clause.written_calls), "on": _devices(clause)} for clause in traced.clauses
        ],
        "cases": traced.cases,
    }

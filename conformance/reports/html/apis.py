"""The data of the view of an API: what it does by situation and version, its documents, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from conformance.findings.behaviours import Behaviour
from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause
from conformance.findings.newest import version_of
from conformance.findings.sentences import coverage
from conformance.findings.verbs import VERBS
from conformance.reports.behaviours import WORDS
from conformance.reports.html.claims import address_of, claim_id
from conformance.reports.html.columns import ResultColumns
from conformance.reports.html.string_table import Table, TextTable
from conformance.reports.text import visible, visible_tree
from conformance.reports.wording import DANGERS, standing_text, upstream_text
from conformance.results.file import Results
from conformance.results.records import ClaimRecord
from conformance.results.table import Table as ResultsTable


def api_address(api: str) -> str:
    """The address of the view of an API."""
    return f"#view=api&name={quote(visible(api), safe='/')}"


def apis_payload(conclusions: Conclusions, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    """``Apis`` of ``payload.d.ts``."""
    results = conclusions.results
    situations: Table[str] = Table()
    does = [
        [
            texts.index(each.operation),
            situations.index(each.situation.title),
            VERBS.index(each.verb),
            columns.number(each.worst),
            len(each.results),
            texts.optional_index(each.since.text if each.since and each.since.first.id == each.target else None),
        ]
        for each in _does(conclusions)
    ]
    return {
        "list": _list(conclusions.table, texts),
        "verbs": [[*WORDS[verb]] for verb in VERBS],
        "does": does,
        "situations": visible_tree(situations.values),
        "documents": visible_tree(_documents(results)),
        "coverage": _coverage(conclusions.table, texts),
        "causes": [_cause(cause, columns, texts) for cause in conclusions.causes],
        "dangers": DANGERS,
    }


def _does(conclusions: Conclusions) -> Iterator[Behaviour]:
    """What each API of each version does, in the order of the table."""
    table = conclusions.behaviour_table
    rows = {(row.operation, row.situation): number for number, row in enumerate(table.rows)}
    versions = [target.id for column in table.columns for target in column.versions]
    targets = {target: number for number, target in enumerate(versions)}
    shown = (
        each for each in conclusions.behaviours if (each.operation, each.situation) in rows and each.target in targets
    )
    return iter(sorted(shown, key=lambda each: (rows[each.operation, each.situation], targets[each.target])))


def _list(table: ResultsTable, texts: TextTable) -> list[list[Any]]:
    """Each API of a framework: its name, operations, and targets with the oldest version first."""
    targets = {target.id: (number, target) for number, target in enumerate(table.targets.values())}
    apis: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    calls = [(mapping.target, mapping.api, mapping.operation) for mapping in table.results.mappings]
    owners = ((target, api, table.operation(results[0])) for (target, api, _), results in table.cells.items())
    for target, api, operation in dict.fromkeys([*calls, *owners]):
        operations, of = apis.setdefault((targets[target][1].framework if target in targets else target, api), ({}, {}))
        operations[operation] = None
        of[target] = None

    def age(target: str) -> tuple[str, str, Any]:
        record = targets[target][1]
        return record.mode if not record.default_mode else "", record.device, version_of(record.version)

    return [
        [
            texts.index(api),
            visible(framework),
            [texts.index(operation) for operation in operations],
            [targets[target][0] for target in sorted((name for name in of if name in targets), key=age)],
        ]
        for (framework, api), (operations, of) in apis.items()
    ]


def _documents(results: Results) -> list[dict[str, Any]]:
    """The documents about APIs, each with its claims and the groups of sentences that no call can test."""
    about = {document.document: document for document in results.documents}
    claims: dict[str, list[ClaimRecord]] = {}
    for claim in results.claims:
        claims.setdefault(claim.document, []).append(claim)
    return [
        {
            "name": name,
            "describes": about[name].describes if name in about else [name],
            "official": of_document[0].official,
            "url": address if (address := of_document[0].url) and address.startswith("https://") else None,
            "claims": [_claim(claim) for claim in of_document],
            "untestable": [[group.name, group.reason, _most(group.rests)] for group in about[name].untestable]
            if name in about
            else [],
        }
        for name, of_document in claims.items()
    ]


def _claim(claim: ClaimRecord) -> list[Any]:
    """Locator, words, why nothing can test it, whether a program does, its address on the page, and number of sentences."""
    return [
        claim.locator,
        claim.says,
        claim.untestable,
        claim.program is not None,
        address_of(claim_id(claim)),
        _most(claim.rests),
    ]


def _most(rests: dict[str, list[str]]) -> int:
    return max(map(len, rests.values()), default=0)


def _coverage(table: ResultsTable, texts: TextTable) -> list[list[int]]:
    numbers = {target: number for number, target in enumerate(table.targets)}
    return [
        [numbers[each.target], texts.index(each.api), each.sentences, each.claimed, each.untestable, each.unread]
        for each in coverage(table.results)
    ]


def _cause(cause: Cause, columns: ResultColumns, texts: TextTable) -> list[Any]:
    return [
        list(DANGERS).index(cause.danger),
        [texts.index(api) for api in cause.apis],
        visible(cause.framework),
        columns.number(cause.worst.first),
        len(cause.results),
        texts.index(standing_text(cause)),
        texts.index(upstream_text(cause)),
        texts.optional_index(cause.entry.reason if cause.entry else cause.worst.first.explanation),
    ]

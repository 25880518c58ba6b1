"""Forms of calls that an API does not have. A call of such a form tests nothing, so that it is counted apart from the others."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.results.records import ResultRecord
from conformance.results.table import Table


@dataclass(frozen=True)
class MissingForm:
    """The calls of an API that are ``unsupported`` for one reason."""

    target: str
    api: str
    operation: str
    reason: str
    results: tuple[ResultRecord, ...]


def missing_forms(table: Table) -> list[MissingForm]:
    """By target, API, operation and reason, those with the most calls first."""
    members: dict[tuple[str, str, str, str], list[ResultRecord]] = {}
    for result in table.results.results:
        if result.verdict == "unsupported":
            key = result.target, result.api, table.operation(result), result.explanation or "no reason recorded"
            members.setdefault(key, []).append(result)
    forms = [MissingForm(*key, tuple(results)) for key, results in members.items()]
    return sorted(forms, key=lambda form: -len(form.results))

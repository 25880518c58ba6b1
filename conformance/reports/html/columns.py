"""The cases and results of a payload as columns of numbers, so that a hundred thousand results stay small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.outcomes.model import Outcome, Returned
from conformance.reports.details import index_text, remarks
from conformance.reports.html.string_table import Table, Texts, deltas
from conformance.reports.literals import (
    argument_line,
    element,
    expectation_text,
    flat,
    outcome_text,
    returned_text,
    source_text,
)
from conformance.reports.statistics import sort_of, word_of
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import CaseRecord, Differences, MappingRecord, ResultRecord

Columns = dict[str, Any]


class CaseColumns:
    """The cases in the order of the file; ``number`` finds one by its id, ``expects`` its expectation's text."""

    def __init__(self, results: Results, texts: Texts) -> None:
        self._texts = texts
        self.number: dict[str, int] = {}
        self.expects: list[int] = []
        self._signatures: Table[tuple[str, ...]] = Table()
        self._clauses = {name: place for place, name in enumerate(results.clauses)}
        self._names: list[str] = []
        self._rows = [self._row(case) for case in results.cases.values()]
        self._controls = [self._control(case) for case in results.cases.values()]

    def _row(self, case: CaseRecord) -> tuple[int, ...]:
        texts = self._texts
        self.number[case.id] = len(self.number)
        clause, name = self._named(case)
        self._names.append(visible(name))
        arguments = [texts.of(argument_line(value)) for value in case.call.values()]
        self.expects.append(texts.of(expectation_text(case.expectation, flat)))
        signature = self._signatures.of(tuple(visible(name) for name in case.call))
        others = (texts.maybe(source_text(case.expectation)), texts.maybe(case.note), texts.of(case.source))
        return clause, signature, *others, *arguments

    def _named(self, case: CaseRecord) -> tuple[int, str]:
        """The number of its clause and its name below that; -1 and the whole id where there is no such clause."""
        below = case.id.removeprefix(f"{case.clause}/")
        return (
            (self._clauses[case.clause], below) if case.clause in self._clauses and below != case.id else (-1, case.id)
        )

    def _control(self, case: CaseRecord) -> list[int]:
        """The place and text of each argument in which the valid control differs from the call."""
        pairs = enumerate(case.call.items())
        control = case.control or {}
        changed = [(at, control[name]) for at, (name, value) in pairs if name in control and control[name] != value]
        return [number for at, value in changed for number in (at, self._texts.of(argument_line(value)))]

    def columns(self) -> Columns:
        """What the page's ``data.js`` reads; ``calls`` has as many texts for a case as its signature has names."""
        names = ("clause", "signature", "from", "note", "source")
        columns: Columns = {name: deltas(row[at] for row in self._rows) for at, name in enumerate(names)}
        columns["id"] = self._names
        columns["calls"] = deltas(number for row in self._rows for number in row[len(names) :])
        columns["expects"] = deltas(self.expects)
        columns["controls"] = {at: control for at, control in enumerate(self._controls) if control}
        columns["signatures"] = self._signatures.values
        return columns


Told = tuple[str, str, tuple[str, ...], int, str | None]
"""What many results share: sort, word, kinds of divergence, explanation, ledger entry."""


class ResultColumns:
    """The results, those of an API of a target together and in the order of the cases."""

    def __init__(self, results: Results, cases: CaseColumns, texts: Texts) -> None:
        self._texts, self._cases = texts, cases
        self._arrays: dict[str, int] = {}
        self._told: Table[Told] = Table()
        self._remarks: Table[tuple[int, ...]] = Table()
        self._owners: Table[tuple[str, str]] = Table()
        self._strangers: Table[tuple[str, str]] = Table()
        ordered = sorted(results.results, key=self._place)
        self._numbers = {id(result): at for at, result in enumerate(ordered)}
        self._rows = [self._row(result) for result in ordered]
        self._sparse = {at: some for at, result in enumerate(ordered) if (some := self._rare(result))}

    def number(self, result: ResultRecord) -> int:
        """The place of a result of the file."""
        return self._numbers[id(result)]

    def _place(self, result: ResultRecord) -> tuple[int, int]:
        return self._owners.of((result.target, result.api)), self._case(result)

    def _case(self, result: ResultRecord) -> int:
        """The number of its case; a case without a record comes after all those that have one."""
        known = self._cases.number.get(result.case)
        return len(self._cases.number) + self._strangers.of((result.case, result.clause)) if known is None else known

    def _row(self, result: ResultRecord) -> tuple[int, ...]:
        owner, case = self._place(result)
        kinds = tuple(map(visible, result.divergence))
        known = visible(result.known) if result.known else None
        told = (sort_of(result), visible(word_of(result)), kinds, self._texts.maybe(result.explanation), known)
        said = tuple(self._texts.of(text) for text in remarks(result))
        return owner, case, self._told.of(told), self._got(result, case), self._remarks.of(said)

    def _got(self, result: ResultRecord, case: int) -> int:
        """0 where it gave just what was expected, else one more than the number of its text."""
        number = self._outcome(result.outcome)
        expected = self._cases.expects
        return 0 if case < len(expected) and expected[case] == number else number + 1

    def _outcome(self, outcome: Outcome) -> int:
        """The number of the text of an outcome."""
        if not isinstance(outcome, Returned):
            return self._texts.of(outcome_text(outcome))
        if outcome.digest not in self._arrays:
            self._arrays[outcome.digest] = self._texts.of(returned_text(outcome, flat))
        return self._arrays[outcome.digest]

    def _rare(self, result: ResultRecord) -> Columns:
        """What few results have: elements that differ, the right side of a relation, and a script that shows it."""
        some: Columns = {}
        if result.differences:
            some["differs"] = _differences(result.differences)
        if result.relation and result.relation.right:
            some["right"] = self._outcome(result.relation.right)
        if result.script:
            some["script"] = self._texts.of(result.script)
        return some

    def columns(self) -> Columns:
        """What the page's ``data.js`` reads."""
        names = ("owner", "case", "told", "got", "remarks")
        columns: Columns = {name: deltas(row[at] for row in self._rows) for at, name in enumerate(names)}
        columns["owners"] = [tuple(map(visible, owner)) for owner in self._owners.values]
        columns["strangers"] = [tuple(map(visible, stranger)) for stranger in self._strangers.values]
        columns["tolds"] = self._told.values
        columns["saids"] = self._remarks.values
        columns["rare"] = self._sparse
        return columns


def mapping_rows(mappings: Sequence[MappingRecord], texts: Texts) -> list[list[Any]]:
    """Target, API, operation, composed, in_place, follows and the number of the source, a row each."""
    return [
        [visible(one.target), visible(one.api), visible(one.operation), one.composed, _seen(one.in_place),
         _seen(one.follows), texts.of(one.source)]
        for one in mappings
    ]  # fmt: skip


def _seen(text: str | None) -> str | None:
    return visible(text) if text else None


def _differences(differences: Differences) -> dict[str, Any]:
    largest = differences.largest
    return {
        "said": f"{differences.count} of {differences.total}",
        "rows": [[index_text(one), _number(one["expected"]), _number(one["got"])] for one in differences.first],
        "more": max(0, differences.count - len(differences.first)),
        "largest": [_number(largest.get("difference")), index_text(largest)] if largest else None,
    }


def _number(value: Any) -> str:
    return visible(element(value))

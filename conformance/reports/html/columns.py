"""The cases and results of a payload as columns of numbers, so that a hundred thousand results stay small."""

from __future__ import annotations

from typing import Any

from conformance.outcomes.model import Outcome, Returned
from conformance.reports.details import remarks
from conformance.reports.html.arrays import CellTable, DescriptionTable
from conformance.reports.html.string_table import Table, TextTable, deltas
from conformance.reports.literals import (
    call_texts,
    element,
    expectation_description,
    outcome_description,
    source_text,
)
from conformance.reports.text import visible
from conformance.reports.wording import word_of
from conformance.results.file import Results
from conformance.results.records import CaseRecord, Differences, ResultRecord
from conformance.results.table import sort_of

Columns = dict[str, Any]

CALL_INDENT = 2
"""Columns before an argument where the page shows a call."""


class Tables:
    """The tables that the parts of a payload share."""

    def __init__(self) -> None:
        self.texts = TextTable()
        self.cells: CellTable = Table()
        self.descriptions = DescriptionTable(self.texts, self.cells)


class CaseColumns:
    """The cases in the order of the file, then cases without a record that results refer to."""

    def __init__(self, results: Results, tables: Tables) -> None:
        self._texts, self._descriptions = tables.texts, tables.descriptions
        clauses = {case.id: case.clause for case in results.cases.values()}
        for result in results.results:
            clauses.setdefault(result.case, result.clause)
        self.numbers = {case: number for number, case in enumerate(clauses)}
        self._clauses: Table[str] = Table()
        for clause in results.clauses:
            self._clauses.index(clause)
        self._clause = [self._clauses.index(clause) for clause in clauses.values()]
        self._names = [visible(case.removeprefix(f"{clause}/")) for case, clause in clauses.items()]
        self._signatures: Table[tuple[str, ...]] = Table()
        self._calls: list[int] = []
        self.expected: list[int] = []
        """For each case, the number of the description of its expectation."""
        self._rows = [self._row(case) for case in results.cases.values()]
        controls = enumerate(map(self._control, results.cases.values()))
        self._controls = {number: control for number, control in controls if control}

    def _row(self, case: CaseRecord) -> tuple[int, ...]:
        texts = self._texts
        self._calls += map(texts.index, call_texts(case.call, CALL_INDENT).values())
        self.expected.append(self._descriptions.index(expectation_description(case.expectation)))
        signature = self._signatures.index(tuple(map(visible, case.call)))
        origin = texts.optional_index(source_text(case.expectation))
        return signature, origin, texts.optional_index(case.note), texts.index(case.source)

    def _control(self, case: CaseRecord) -> list[int]:
        """The position and text of each argument in which the control differs from the call."""
        control = case.control or {}
        written = call_texts({**case.call, **control}, CALL_INDENT)
        names = [(position, name) for position, name in enumerate(case.call) if name in control]
        changed = [(position, name) for position, name in names if control[name] != case.call[name]]
        return [number for position, name in changed for number in (position, self._texts.index(written[name]))]

    def columns(self) -> Columns:
        """``Cases`` of ``payload.d.ts``; ``calls`` has as many texts for a case as its signature has names."""
        names = ("signature", "origin", "note", "source")
        return {
            "id": [visible(case) for case in self.numbers],
            "name": self._names,
            "clauses": [visible(clause) for clause in self._clauses.values],
            "clause": deltas(self._clause),
            **{name: deltas(row[at] for row in self._rows) for at, name in enumerate(names)},
            "calls": deltas(self._calls),
            "expected": deltas(self.expected),
            "controls": self._controls,
            "signatures": self._signatures.values,
        }


Judgement = tuple[str, str, tuple[str, ...], int, str | None, str | None]
"""Sort, word, kinds of divergence, explanation, id of the known divergence and behaviour, which many results share."""


class ResultColumns:
    """The results, grouped by target and API, in the order of the cases."""

    def __init__(self, results: Results, cases: CaseColumns, tables: Tables) -> None:
        self._texts, self._descriptions, self._cases = tables.texts, tables.descriptions, cases
        self._described: dict[str, int] = {}
        self._judgements: Table[Judgement] = Table()
        self._remarks: Table[tuple[int, ...]] = Table()
        self._owners: Table[tuple[str, str]] = Table()
        ordered = sorted(results.results, key=self._position)
        self._numbers = {id(result): at for at, result in enumerate(ordered)}
        self._rows = [self._row(result) for result in ordered]
        self._rare = {at: parts for at, result in enumerate(ordered) if (parts := self._rare_parts(result))}

    def number(self, result: ResultRecord) -> int:
        """The number of a result of the file."""
        return self._numbers[id(result)]

    def _position(self, result: ResultRecord) -> tuple[int, int]:
        return self._owners.index((result.target, result.api)), self._cases.numbers[result.case]

    def _row(self, result: ResultRecord) -> tuple[int, ...]:
        texts = self._texts
        owner, case = self._position(result)
        kinds = tuple(map(visible, result.divergence))
        reason, known = texts.optional_index(result.explanation), _visible_name(result.known)
        judgement = (sort_of(result), visible(word_of(result)), kinds, reason, known, _visible_name(result.behaviour))
        remark_set = tuple(map(texts.index, remarks(result)))
        outcome = self._outcome_unless_expected(result.outcome, case)
        return owner, case, self._judgements.index(judgement), outcome, self._remarks.index(remark_set)

    def _outcome_unless_expected(self, outcome: Outcome, case: int) -> int:
        """0 if the outcome is what was expected, or else the number of its description plus one."""
        number = self._outcome(outcome)
        expected = self._cases.expected
        return 0 if case < len(expected) and expected[case] == number else number + 1

    def _outcome(self, outcome: Outcome) -> int:
        """The number of the description of an outcome."""
        if not isinstance(outcome, Returned):
            return self._descriptions.index(outcome_description(outcome))
        if outcome.digest not in self._described:
            self._described[outcome.digest] = self._descriptions.index(outcome_description(outcome))
        return self._described[outcome.digest]

    def _rare_parts(self, result: ResultRecord) -> Columns:
        """Fields that few results have: differing elements, the right side of a relation, and a script."""
        right = result.relation.right if result.relation else None
        return {
            **({"differs": _differences(result.differences)} if result.differences else {}),
            **({"right": self._outcome(right)} if right else {}),
            **({"script": self._texts.index(result.script)} if result.script else {}),
        }

    def columns(self) -> Columns:
        """``ResultColumns`` of ``payload.d.ts``."""
        names = ("owner", "case", "judgement", "outcome", "remarks")
        return {
            **{name: deltas(row[at] for row in self._rows) for at, name in enumerate(names)},
            "owners": [tuple(map(visible, owner)) for owner in self._owners.values],
            "judgements": self._judgements.values,
            "remark_sets": self._remarks.values,
            "rare": self._rare,
        }


def mapping_rows(results: Results, texts: TextTable) -> list[list[Any]]:
    """A row for each mapping: target, API, operation, composed, in_place, follows, numbers of the script and the source.

    The script is of a call that does what is documented, and has been run; -1 if there is none.
    """
    scripts = {
        (result.target, result.api, results.cases[result.case].operation): result.script
        for result in results.results
        if result.script and result.verdict == "conforms" and result.case in results.cases
    }
    return [
        [visible(mapping.target), visible(mapping.api), visible(mapping.operation), mapping.composed,
         _visible_name(mapping.in_place), _visible_name(mapping.follows),
         texts.optional_index(scripts.get((mapping.target, mapping.api, mapping.operation))), texts.index(mapping.source)]
        for mapping in results.mappings
    ]  # fmt: skip


def _visible_name(text: str | None) -> str | None:
    return visible(text) if text else None


def _differences(differences: Differences) -> Columns:
    """The number of differing elements, the first of them, how many more there are, and the largest difference."""
    largest = differences.largest
    return {
        "count": differences.count,
        "total": differences.total,
        "rows": [[row.index, _number(row.expected), _number(row.got)] for row in differences.first],
        "more": max(0, differences.count - len(differences.first)),
        "largest": [_number(largest.difference), largest.index] if largest else None,
    }


def _number(value: Any) -> str:
    return visible(element(value))

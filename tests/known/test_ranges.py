"""The versions that an entry of the suite's ledgers names are those in which the published run saw it happen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.app.ledgers import ledger_of
from conformance.cases.facts import CaseFacts
from conformance.known.ledger import Ledger
from conformance.known.model import KnownDivergence, KnownDivergences, facts_of_records
from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord, TargetRecord
from tests.findings.published import PUBLISHED

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def published() -> Results:
    return read_results(PUBLISHED)


def targets(results: Results) -> Iterator[tuple[TargetRecord, KnownDivergences]]:
    for target in results.targets:
        if target.blocked is None:
            yield target, ledger_of(target)


def compared(
    entries: tuple[KnownDivergence, ...],
    target: TargetRecord,
    results: Results,
    cases: list[CaseFacts],
    own: list[ResultRecord],
) -> Ledger:
    """A ledger of these entries that has noted the results of a target."""
    ledger = Ledger(KnownDivergences(None, entries), target, cases, results.mappings)
    for result in own:
        ledger.note(ledger.known(replace(result, known=None)))
    return ledger


def test_an_entry_names_all_versions_in_which_it_happens_and_no_other(published: Results) -> None:
    cases = facts_of_records(published.cases.values())
    own: dict[str, list[ResultRecord]] = {}
    for result in published.results:
        own.setdefault(result.target, []).append(result)
    too_wide, too_narrow = [], []
    for target, known in targets(published):
        results = own.get(target.id, [])
        too_wide += [each.says for each in compared(known.entries, target, published, cases, results).unexpected()]
        unknown = [result for result in results if result.known is None]
        elsewhere = tuple(
            replace(entry, conditions=replace(entry.conditions, versions=None))
            for entry in known.entries
            if not entry.conditions.hold(target)
        )
        counts = compared(elsewhere, target, published, cases, unknown).pattern_counts()
        happens = {count.entry for count in counts if count.as_recorded == count.seen == count.calls > 0}
        too_narrow += [f"{target.id}: {entry}" for entry in sorted(happens)]
    assert too_wide == [], "\n".join(too_wide)
    assert too_narrow == [], "\n".join(too_narrow)

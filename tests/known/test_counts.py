"""What parts of a run saw of a ledger, added up."""

from __future__ import annotations

from pathlib import Path

from conformance.known.counts import stale, together
from conformance.known.matching import Book
from conformance.results.records import ResultRecord, TallyRecord
from tests.known.small import book, ledger, result

FIRST, SECOND = result("rank/first", "accepted"), result("rank/second", "accepted")


def part(of: Book, *results: ResultRecord) -> list[TallyRecord]:
    for one in results:
        of.note(of.known(one))
    return of.tallies()


def judged(folder: Path, *parts: list[ResultRecord]) -> list[str]:
    """What is stale of several parts, each of which saw some results."""
    tallies = [tally for results in parts for tally in part(book(ledger(folder)), *results)]
    return [record.how for record in stale(together(tallies))]


def test_an_entry_that_happened_in_one_part_is_not_gone_in_whichever_that_was(tmp_path: Path) -> None:
    right = result("rank/first")
    assert judged(tmp_path, [right], [SECOND]) == []
    assert judged(tmp_path, [SECOND], [right]) == []


def test_an_entry_is_gone_once_all_its_cases_were_run_in_some_part_and_none_came_out_so(tmp_path: Path) -> None:
    first, second = result("rank/first"), result("rank/second")
    assert judged(tmp_path, [first]) == []
    assert judged(tmp_path, [first], [second]) == ["gone"]


def test_what_happened_otherwise_is_told_by_the_first_case_and_counted_over_all_parts(tmp_path: Path) -> None:
    first, second = result("rank/first", "value"), result("rank/second", "value")
    parts = [part(book(ledger(tmp_path)), one) for one in (second, first)]
    [told] = stale(together([*parts[0], *parts[1]]))
    whole = book(ledger(tmp_path))
    part(whole, first, second)
    assert [told] == whole.stale()
    assert "value in gather_elements.rule.rank/first and 1 more, where accepted is recorded" in told.says

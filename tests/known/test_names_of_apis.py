"""What is recorded of an API is recorded under any name that an API has, of this suite or of somebody else's adapter."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from conformance.data_folders import adapters_folder
from conformance.known.editing import edited, entry_content, save
from conformance.known.ledger import Ledger
from conformance.known.load import load_known
from conformance.known.model import KnownDivergences
from conformance.known.proposals import not_known, proposals
from conformance.specification.adapter_files import api_names
from tests.known.small import CASES, mapping, result, results

OF_OTHERS = (
    "__getitem__",
    "Array.__getitem__",
    "mine._private",
    "mine._",
    "mine.-",
    "mine.x[i]",
    "mine.x[[1]].at[...].set",
    "mine.take(mode='raise', axis=*)",
    "mine.what?",
    "mine.größe",
    "取る",
    "mine: a colon",
    "#mine",
    "123",
    "null",
    "mine." + "x" * 300,
)


def test_a_baseline_records_each_api_of_the_suite_and_of_others_and_then_nothing_is_left(tmp_path: Path) -> None:
    """It takes some seconds, since it writes and reads an entry for each of nearly 500 names."""
    of_suite = (name for file in adapters_folder().glob("*/adapter.py") for name in api_names(file))
    names = list(dict.fromkeys([*of_suite, *OF_OTHERS]))
    assert len(names) > 400
    wrong = results(*(result("rank/first", "value", api=name) for name in names))
    wrong = replace(wrong, mappings=[mapping(name) for name in names])
    new = proposals(not_known(wrong, wrong.targets, KnownDivergences(), "own"), [wrong], KnownDivergences())
    assert {one.api for one in new} == {*names}

    day = date(2999, 11, 30)
    entries = {one.id: entry_content(one, "Not triaged.", "unreported", day, day, triaged=False) for one in new}
    file = tmp_path / "divergences.yaml"
    save(file, edited("", added=entries), entries.keys())
    known = load_known(file)
    assert not_known(wrong, wrong.targets, known, "own") == []
    ledger = Ledger(known, wrong.targets[0], CASES, wrong.mappings)
    recorded = [ledger.known(one).known for one in wrong.results]
    assert sorted(map(str, recorded)) == sorted(entries)

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from conformance.app.errors import ConformanceError
from conformance.cases.facts import CaseFacts
from conformance.cli.known import migrate_known
from conformance.known.ageing import migrated, remarks
from conformance.known.editing import edited
from conformance.known.ledger import Ledger
from conformance.known.load import load_known
from conformance.known.matching import NamedCases, unmatched
from conformance.known.model import KnownDivergences
from tests.known.small import API, CASES, TARGET, case_facts, entry, known_divergences, mapping, result

DAY = date(2026, 11, 24)
OLD, NEW = "gather_elements.rule.axes", "gather_elements.rule.rank"


def held(known: KnownDivergences, cases: list[CaseFacts] = CASES, day: date = DAY) -> Ledger:
    return Ledger(known, TARGET, cases, [mapping()], day=day)


@pytest.mark.parametrize(("expires", "applies"), [("2026-11-24", True), ("2026-11-23", False), ("", True)])
def test_an_entry_applies_up_to_the_day_on_which_it_expires(tmp_path: Path, expires: str, applies: bool) -> None:
    known = held(known_divergences(tmp_path, entry(expires=expires))).known(result("rank/first", "accepted")).known
    assert known == ("rank" if applies else None)


def test_an_expired_entry_is_named_with_its_place_and_passes_nothing_unexpectedly(tmp_path: Path) -> None:
    ledger = held(known_divergences(tmp_path, entry(expires="2026-11-23")))
    [remark] = ledger.remarks
    assert "divergences.yaml:2: rank expired on 2026-11-23" in remark
    for case in ("rank/first", "rank/second"):
        ledger.note(ledger.known(result(case)))
    assert ledger.unexpected() == []


def test_the_calls_of_an_entry_that_is_not_run_are_named_by_it(tmp_path: Path) -> None:
    ledger = held(known_divergences(tmp_path, entry(run="false")))
    for case in ("rank/first", "rank/second"):
        left_out = ledger.not_run(f"gather_elements.rule.{case}", API)
        assert left_out is not None
        assert left_out.id == "rank"
    assert ledger.not_run("gather_elements.rule.range/first", API) is None
    assert held(known_divergences(tmp_path)).not_run("gather_elements.rule.rank/first", API) is None


def renamed(*names: str, clause: str = NEW) -> list[CaseFacts]:
    """Cases of a clause that was renamed, and one of another clause."""
    cases = [case_facts(f"{clause}/{name}", "float32") for name in names]
    return [
        *(CaseFacts(**{**vars(case), "earlier": (f"{OLD}/{case.id.rpartition('/')[2]}",)}) for case in cases),
        CASES[3],
    ]


@pytest.mark.parametrize(
    ("pattern", "now"),
    [
        (f"{OLD}/*", [f"{NEW}/*"]),
        (f"{OLD}/first", [f"{NEW}/first"]),
        (f"{OLD}/first*", [f"{NEW}/first*"]),
        ("*.axes/first", [f"{NEW}/first"]),
        ("gather_elements.rule.ax*", [f"{NEW}*"]),
    ],
)
def test_an_entry_about_renamed_cases_still_records_them_and_says_how_to_rewrite_it(
    tmp_path: Path, pattern: str, now: list[str]
) -> None:
    known, cases = known_divergences(tmp_path, entry(cases=f'"{pattern}"')), renamed("first", "first.float16")
    assert unmatched(known, NamedCases(cases)) == []
    assert held(known, cases).known(result("rank/first", "accepted")).known == "rank"
    [remark] = remarks(known.entries, cases, DAY)
    assert f"rank: {pattern!r} is an earlier id of {NEW}/first" in remark
    assert "`conformance known migrate` rewrites it" in remark
    assert migrated(known.entries, cases) == {"rank": {pattern: now}}


def test_a_pattern_that_ends_in_a_renamed_name_becomes_one_pattern_unless_that_records_more(tmp_path: Path) -> None:
    known = known_divergences(tmp_path, entry(cases=f'"{OLD}/fi*"'))
    cases = [
        CaseFacts(**{**vars(case_facts(f"{NEW}/one{suffix}", "float32")), "earlier": (f"{OLD}/first{suffix}",)})
        for suffix in ("", ".int8")
    ]
    assert migrated(known.entries, cases) == {"rank": {f"{OLD}/fi*": [f"{NEW}/one*"]}}
    another = case_facts(f"{NEW}/one-more", "float32")
    assert migrated(known.entries, [*cases, another]) == {"rank": {f"{OLD}/fi*": [f"{NEW}/one", f"{NEW}/one.int8"]}}


def test_a_mistake_in_the_file_is_found_before_cases_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "divergences.yaml").write_text("divergences: {rank: 7}")
    (tmp_path / "adapter.py").write_text("")
    monkeypatch.setattr("conformance.cli.known._facts", lambda _: pytest.fail("cases were built"))
    with pytest.raises(ConformanceError, match=r"divergences\.yaml"):
        migrate_known((str(tmp_path / "adapter.py"),))


def test_after_it_was_rewritten_an_entry_records_the_same_cases_and_nothing_is_left_to_say(tmp_path: Path) -> None:
    known, cases = known_divergences(tmp_path, entry(cases=f'["{OLD}/*", "{CASES[3].id}"]')), renamed("first", "second")
    file = tmp_path / "divergences.yaml"
    file.write_text(edited(file.read_text(), replaced=migrated(known.entries, cases)))
    after = load_known(file)
    assert [pattern.text for pattern in after.entries[0].patterns] == [f"{NEW}/*", CASES[3].id]
    assert list(remarks(after.entries, cases, DAY)) == []
    assert held(after, cases).known(result("rank/second", "accepted")).known == "rank"


def test_a_pattern_that_names_cases_of_today_too_keeps_them(tmp_path: Path) -> None:
    known = known_divergences(tmp_path, entry(cases='"gather_elements.rule.[ar]*/first"'))
    cases = renamed("first", clause="gather_elements.example.rank")
    [patterns] = migrated(known.entries, cases).values()
    assert patterns == {
        "gather_elements.rule.[ar]*/first": ["gather_elements.rule.[ar]*/first", "gather_elements.example.rank/first"]
    }


def test_the_command_rewrites_the_file_shows_the_change_and_does_nothing_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known_divergences(tmp_path, entry(cases=f'"{OLD}/*"'))
    (tmp_path / "adapter.py").write_text("")
    monkeypatch.setattr("conformance.cli.known._facts", lambda _: renamed("first", "second"))
    assert migrate_known((str(tmp_path / "adapter.py"),)) == 0
    shown = capsys.readouterr().out
    assert f'-    cases: "{OLD}/*"' in shown
    assert f'+    cases: "{NEW}/*"' in shown
    migrate_known((str(tmp_path / "adapter.py"),))
    assert capsys.readouterr().err.startswith("nothing to migrate")

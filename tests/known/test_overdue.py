from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from conformance.cli.known import list_known
from conformance.known.model import is_overdue
from conformance.specification.problems import SpecError
from tests.known.small import entry, known_divergences

DAY = date(2026, 11, 22)
THIRTY_DAYS_BEFORE, A_DAY_EARLIER = "2026-10-23", "2026-10-22"
URL = "https://example.org/issues/1"


@pytest.mark.parametrize(
    ("since", "link", "overdue"),
    [
        (THIRTY_DAYS_BEFORE, "unreported", False),
        (A_DAY_EARLIER, "unreported", True),
        (A_DAY_EARLIER, URL, False),
        ("", "unreported", True),
        ("", URL, False),
    ],
)
def test_only_what_is_unreported_for_more_than_thirty_days_is_overdue(
    tmp_path: Path, since: str, link: str, overdue: bool
) -> None:
    [read] = known_divergences(tmp_path, entry(since=since, link=link)).entries
    assert is_overdue(read, DAY) == overdue


def adapter(folder: Path, *entries: str) -> str:
    """An adapter file with these known divergences, which are numbered."""
    (folder / "adapter.py").write_text("")
    texts = [text.removeprefix("divergences:\n").replace("  rank:", f"  number-{n}:") for n, text in enumerate(entries)]
    known_divergences(folder, "divergences:\n" + "".join(texts))
    return str(folder / "adapter.py")


@pytest.fixture
def three(tmp_path: Path) -> str:
    """The first of three entries is overdue."""
    links = {"unreported": A_DAY_EARLIER, "unreported ": THIRTY_DAYS_BEFORE, URL: A_DAY_EARLIER}
    return adapter(tmp_path, *(entry(since=since, link=link.strip()) for link, since in links.items()))


def test_the_list_marks_what_is_overdue_and_ends_with_how_many(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert list_known((three,), DAY, overdue=False, as_json=False) == 0
    shown = capsys.readouterr()
    links = [shown.out.splitlines()[number] for number in (5, 12, 19)]
    assert links == ["  unreported since 2026-10-22, overdue", "  unreported since 2026-10-23", f"  {URL}"]
    assert shown.err.startswith("1 entry has been unreported for more than 30 days")


def test_the_overdue_entries_can_be_listed_alone(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    list_known((three,), DAY, overdue=True, as_json=True)
    [listed] = json.loads(capsys.readouterr().out)
    assert (listed["id"], listed["since"], listed["overdue"]) == ("number-0", "2026-10-22", True)


def test_where_nothing_is_overdue_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    list_known((adapter(tmp_path, entry(link=URL)),), DAY, overdue=True, as_json=False)
    assert capsys.readouterr() == ("", "")


def test_what_nobody_has_reported_is_listed_with_the_worst_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = ["rejected", "died", "value", "[value, unstable]"]
    entries = [entry(link="unreported").replace("kind: accepted", f"kind: {kind}") for kind in kinds]
    file = adapter(tmp_path, *entries, entry(link=URL))
    list_known((file,), DAY, unreported=True, worst=3, as_json=True)
    assert [one["kind"] for one in json.loads(capsys.readouterr().out)] == [["unstable", "value"], ["died"], ["value"]]


def test_searches_that_found_no_report_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = entry(link="unreported").rstrip() + "\n    searched: the tracker, rank and refusal\n"
    list_known((adapter(tmp_path, read),), DAY, as_json=False)
    assert capsys.readouterr().out.splitlines()[-1] == "  searched: the tracker, rank and refusal"
    with pytest.raises(SpecError, match="searched says that no report was found"):
        known_divergences(tmp_path, entry(link=URL).rstrip() + "\n    searched: the tracker\n")

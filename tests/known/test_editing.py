from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from conformance.known.editing import EditError, edited, entry_content, save
from conformance.known.load import load_known
from conformance.known.model import KnownDivergences
from conformance.known.proposals import Proposal
from tests.cli.command import REPOSITORY

COMMENTED = """\
# Known divergences.
divergences:
    # the first
    one:
        cases:  # two of them
            - gather_nd.rule.a/x
            - gather_nd.rule.a/y
        api: torch.gather
        kind: value
        reason: First.
        link: unreported
        # inside

    # the second
    two:
        cases: gather_nd.rule.b/*
        api: torch.gather
        kind: value
        reason: Second.
        link: unreported
# the end
"""


def written(folder: Path, text: str) -> KnownDivergences:
    (folder / "divergences.yaml").write_text(text)
    return load_known(folder / "divergences.yaml")


def proposal(**changes: object) -> Proposal:
    given = {
        "id": "three",
        "cases": ("gather_nd.rule.c/x", "gather_nd.rule.c/y"),
        "programs": (),
        "api": "torch.gather",
        "when": {"version": ">=2.9,<=2.13.0", "device": "cpu"},
        "kinds": ("value", "dtype"),
        "behaviour": "clamps",
        "explanation": "",
        **changes,
    }
    return Proposal(**given)  # type: ignore[arg-type] # of as many types as there are fields


DAY = date(2026, 11, 22)
HARD = 'Ends in a colon: "quoted", # not a comment\n\tand \\ a tab; é'


def with_entry(text: str, fields: Any) -> str:
    return edited(text, {}, {"three": fields})


def test_what_is_written_is_read_back_as_it_was_meant(tmp_path: Path) -> None:
    text = with_entry("", entry_content(proposal(), HARD, "https://example.org/1#c?x=1", DAY))
    [read] = written(tmp_path, text).entries
    assert [pattern.text for pattern in read.patterns] == ["gather_nd.rule.c/x", "gather_nd.rule.c/y"]
    assert (read.reason, read.link, read.since) == (HARD, "https://example.org/1#c?x=1", DAY)
    assert (sorted(read.kinds), read.behaviour) == (["dtype", "value"], "clamps")
    assert (str(read.conditions.versions), read.conditions.devices) == ("<=2.13.0,>=2.9", ("cpu",))


@pytest.mark.parametrize("word", ["null", "true", "*", "a: b", "12", "- x", "[x]", "", "~", "x #y"])
def test_a_text_that_yaml_reads_as_something_else_is_quoted(tmp_path: Path, word: str) -> None:
    reason = word or "."
    [read] = written(tmp_path, with_entry("", entry_content(proposal(api=reason), reason, "unreported", DAY))).entries
    assert read.reason == reason
    assert read.is_about(reason)
    assert not read.is_about("x and more")  # the name of an API is no pattern


@pytest.mark.parametrize("file", sorted((REPOSITORY / "adapters").glob("*/divergences.yaml")), ids=str)
def test_without_changes_the_suites_files_stay_as_they_are(file: Path) -> None:
    assert edited(file.read_text(), {}, {}) == file.read_text()


def test_new_entries_come_last_in_the_files_own_indentation_and_nothing_else_changes(tmp_path: Path) -> None:
    text = with_entry(COMMENTED, entry_content(proposal(), "Third.", "unreported", DAY))
    assert text.startswith(COMMENTED)
    assert "\n    three:\n        cases:\n            - gather_nd.rule.c/x\n" in text
    assert [one.id for one in written(tmp_path, text).entries] == ["one", "two", "three"]


def test_an_entry_can_be_added_to_an_empty_file(tmp_path: Path) -> None:
    text = with_entry("# none yet\ndivergences: {}\n", entry_content(proposal(), "Third.", "unreported", DAY))
    assert text.startswith("# none yet\ndivergences:\n  three:\n")
    assert len(written(tmp_path, text).entries) == 1


def test_an_entry_is_removed_and_every_comment_outside_it_stays(tmp_path: Path) -> None:
    text = edited(COMMENTED, {"two": {"gather_nd.rule.b/*"}}, {})
    assert [one.id for one in written(tmp_path, text).entries] == ["one"]
    assert "    # the second\n" in text
    assert text.endswith("# the end\n")
    first = edited(COMMENTED, {"one": {"gather_nd.rule.a/x", "gather_nd.rule.a/y"}}, {})
    assert [one.id for one in written(tmp_path, first).entries] == ["two"]
    assert "    # the first\n" in first
    assert "# inside" not in first
    assert "    # the second\n    two:\n" in first


@pytest.mark.parametrize("name", ["first", "second", "third"])
def test_no_empty_line_is_left_for_an_entry_that_is_removed(name: str) -> None:
    entries = {
        one: f"  {one}:\n    cases: {one}/*\n    api: f\n    kind: value\n    reason: So.\n    link: unreported\n"
        for one in ("first", "second", "third")
    }
    left = [text for one, text in entries.items() if one != name]
    after = edited("divergences:\n" + "\n".join(entries.values()), {name: {f"{name}/*"}})
    assert after.rstrip("\n") + "\n" == "divergences:\n" + "\n".join(left)


def test_one_of_several_patterns_is_removed_alone() -> None:
    text = edited(COMMENTED, {"one": {"gather_nd.rule.a/y"}}, {})
    assert text == COMMENTED.replace("            - gather_nd.rule.a/y\n", "")


def test_a_pattern_on_the_line_of_another_is_removed_too() -> None:
    flow = COMMENTED.replace("cases: gather_nd.rule.b/*", "cases: [gather_nd.rule.b/x, gather_nd.rule.b/y]")
    text = edited(flow, {"two": {"gather_nd.rule.b/y"}}, {})
    assert text == flow.replace(", gather_nd.rule.b/y", "")


def test_removing_the_last_entry_leaves_an_empty_file(tmp_path: Path) -> None:
    text = with_entry(
        "# ours\ndivergences: {}\n", entry_content(proposal(cases=("gather_nd.rule.c/x",)), "x", "unreported", DAY)
    )
    empty = edited(text, {"three": {"gather_nd.rule.c/x"}}, {})
    assert written(tmp_path, empty).entries == ()
    assert empty.startswith("# ours\n")


def test_a_change_that_would_break_the_file_leaves_it_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "divergences.yaml"
    file.write_text(COMMENTED)
    for text, ids in [("divergences: [", ["one"]), (COMMENTED, ["one"])]:
        with pytest.raises(EditError):
            save(file, text, ids)
    assert file.read_text() == COMMENTED
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_no_mapping_is_not_edited() -> None:
    with pytest.raises(EditError, match="not a file of known divergences"):
        edited("- x\n", {}, {})


@pytest.mark.parametrize("mark", ["202e", "2066", "200f", "2028"])
def test_marks_that_change_the_direction_of_text_are_escaped_and_nothing_else_is(tmp_path: Path, mark: str) -> None:
    raw = chr(int(mark, 16))
    content = entry_content(proposal(api=f"torch.g{raw}x"), f"Why{raw}: \u00e9", "unreported", date(2026, 1, 1))
    text = edited("# \u00e9\n" + COMMENTED, added={"new": content})
    assert raw not in text
    assert text.startswith("# \u00e9\n" + COMMENTED.removesuffix("# the end\n"))
    [entry] = [one for one in written(tmp_path, text).entries if one.id == "new"]
    assert entry.reason == f"Why{raw}: é"

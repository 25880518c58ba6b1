from __future__ import annotations

from pathlib import Path

import pytest

from conformance.known.editing import EditError, appended, entry_text, save, without
from conformance.known.load import load_known
from conformance.known.model import KnownDivergences
from conformance.known.proposals import Proposal

COMMENTED = """\
# Known to us.
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
        "api": "torch.gather",
        "when": {"version": ">=2.9,<=2.13.0", "device": "cpu"},
        "kinds": ("value", "dtype"),
        "behaviour": "clamps",
        "seen": "",
        **changes,
    }
    return Proposal(**given)  # type: ignore[arg-type] # of as many types as there are fields


HARD = 'Ends in a colon: "quoted", # not a comment\n\tand \\ a tab; é'


def test_what_is_written_is_read_back_as_it_was_meant(tmp_path: Path) -> None:
    text = appended("", [entry_text(proposal(), HARD, "https://example.org/1#c?x=1")])
    [entry] = written(tmp_path, text).entries
    assert [pattern.text for pattern in entry.patterns] == ["gather_nd.rule.c/x", "gather_nd.rule.c/y"]
    assert (entry.reason, entry.link) == (HARD, "https://example.org/1#c?x=1")
    assert (sorted(entry.kinds), entry.behaviour) == (["dtype", "value"], "clamps")
    assert (str(entry.conditions.versions), entry.conditions.device) == ("<=2.13.0,>=2.9", "cpu")


@pytest.mark.parametrize("word", ["null", "true", "*", "a: b", "12", "- x", "[x]", "", "~", "x #y"])
def test_a_text_that_yaml_reads_as_something_else_is_quoted(tmp_path: Path, word: str) -> None:
    reason = word or "."
    [entry] = written(tmp_path, appended("", [entry_text(proposal(api=reason), reason, "unreported")])).entries
    assert (entry.apis, entry.reason) == ((reason,), reason)


def test_new_entries_come_last_in_the_files_own_indentation_and_nothing_else_changes(tmp_path: Path) -> None:
    text = appended(COMMENTED, [entry_text(proposal(), "Third.", "unreported")])
    assert text.startswith(COMMENTED)
    assert "\n    three:\n" in text
    assert [entry.id for entry in written(tmp_path, text).entries] == ["one", "two", "three"]


def test_a_ledger_that_was_empty_is_one_no_longer(tmp_path: Path) -> None:
    text = appended("# none yet\ndivergences: {}\n", [entry_text(proposal(), "Third.", "unreported")])
    assert text.startswith("# none yet\ndivergences:\n  three:\n")
    assert len(written(tmp_path, text).entries) == 1


def test_an_entry_is_removed_and_every_comment_outside_it_stays(tmp_path: Path) -> None:
    text = without(COMMENTED, written(tmp_path, COMMENTED), {"two": {"gather_nd.rule.b/*"}})
    assert [entry.id for entry in written(tmp_path, text).entries] == ["one"]
    assert "# the second" in text
    assert text.endswith("# the end\n")
    first = without(COMMENTED, written(tmp_path, COMMENTED), {"one": {"gather_nd.rule.a/x", "gather_nd.rule.a/y"}})
    assert [entry.id for entry in written(tmp_path, first).entries] == ["two"]
    assert "# the first" in first
    assert "# inside" not in first
    assert "# the second" in first


def test_one_of_several_patterns_is_removed_alone(tmp_path: Path) -> None:
    text = without(COMMENTED, written(tmp_path, COMMENTED), {"one": {"gather_nd.rule.a/y"}})
    assert text == COMMENTED.replace("            - gather_nd.rule.a/y\n", "")


def test_a_pattern_on_the_line_of_another_is_left_to_be_removed_by_hand(tmp_path: Path) -> None:
    flow = COMMENTED.replace("cases: gather_nd.rule.b/*", "cases: [gather_nd.rule.b/x, gather_nd.rule.b/y]")
    with pytest.raises(EditError, match=r"remove by hand: gather_nd\.rule\.b/y"):
        without(flow, written(tmp_path, flow), {"two": {"gather_nd.rule.b/y"}})


def test_a_ledger_without_its_last_entry_is_an_empty_one(tmp_path: Path) -> None:
    text = appended("", [entry_text(proposal(cases=("gather_nd.rule.c/x",)), "x", "unreported")])
    empty = without(text, written(tmp_path, text), {"three": {"gather_nd.rule.c/x"}})
    assert written(tmp_path, empty).entries == ()


def test_a_change_that_would_break_the_ledger_leaves_it_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "divergences.yaml"
    file.write_text(COMMENTED)
    for text, ids in [("divergences: [", ["one"]), (COMMENTED, ["one"])]:
        with pytest.raises(EditError):
            save(file, text, ids)
    assert file.read_text() == COMMENTED
    assert list(tmp_path.iterdir()) == [file]


def test_a_ledger_on_one_line_is_not_edited(tmp_path: Path) -> None:
    with pytest.raises(EditError, match="on a line of its own"):
        appended("{divergences: {}}\n", ["x:"])

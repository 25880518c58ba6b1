from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.data_folders import adapters_folder
from conformance.environments.target_toml import FILE_NAME, base_folder
from conformance.known.file_format import KINDS, EntryPart, WhenPart
from conformance.known.load import concerns, known_beside, load_known, unknown_apis
from conformance.known.matching import NamedCases, unmatched
from conformance.specification.adapter_files import api_names
from conformance.specification.problems import SpecError
from tests.cli.command import REPOSITORY
from tests.known.small import API, CASES, ENTRY, entry, known_divergences


def problem(folder: Path, text: str) -> str:
    with pytest.raises(SpecError) as caught:
        known_divergences(folder, text)
    return str(caught.value)


def test_an_adapter_without_the_file_has_no_known_divergences(tmp_path: Path) -> None:
    assert known_beside(tmp_path / "adapter.py").entries == ()


def test_the_known_divergences_of_an_adapter_are_in_the_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "divergences.yaml").write_text(ENTRY)
    [one] = known_beside(tmp_path / "adapter.py").entries
    assert (one.id, sorted(one.kinds), one.link, one.location.line) == ("rank", ["accepted"], "unreported", 2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"reason": ""}, "key 'reason' is missing"),
        ({"link": ""}, "key 'link' is missing"),
        ({"reason": '" "'}, "the reason is empty"),
        ({"link": "unrepoted"}, "did you mean 'unreported'?"),
        ({"link": "ask me"}, "expected the URL of the thread"),
        ({"kind": "acepted"}, "not a kind of divergence, one of value, "),
        ({"kind": "[value, hangs]"}, "did you mean"),
        ({"kind": "[]"}, "expected 1 or more entries; found 0"),
        ({"behaviour": "clamp"}, "did you mean 'clamps'?"),
        ({"when": "{version: 2.13}"}, "expected text, which for a number needs quotes; found 2.13"),
        ({"when": '{version: "2.13"}'}, "not a version range"),
        ({"when": "{dtype: flaot32}"}, "did you mean 'float32'?"),
        ({"when": "{devise: cpu}"}, "unknown key 'devise'"),
        ({"when": "{mode: []}"}, "expected 1 or more entries; found 0"),
        ({"resaon": "x"}, "unknown key 'resaon'"),
        ({"sometimes": "often"}, "expected true or false; found 'often'"),
        ({"since": "22.11.2026"}, "not a date; expected year, month and day, as in 2026-11-22; found '22.11.2026'"),
        ({"since": "20261122"}, "not a date"),
        ({"since": "2026-02-30"}, "not a date"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_is_meant(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    text = entry(**changes)
    told = problem(tmp_path, text)
    assert said in told
    assert "divergences.yaml:" in told
    assert told.count("\n") == 0
    if all(changes.values()):
        [key] = changes
        line = next(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(f"{key}:"))
        assert f"divergences.yaml:{line}:" in told


def test_the_example_in_the_documentation_is_valid(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "known-divergences.md").read_text()
    for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL):
        [one] = known_divergences(tmp_path, text).entries
        assert one.conditions.dtype == "float32"


def test_a_reason_says_what_happens_without_the_entries_around_it() -> None:
    """A page shows it alone."""
    elsewhere = re.compile(r"\bas (above|below)\b|\bentry (above|below)\b|, below\.|^the same\b", re.IGNORECASE)
    ledgers = [
        known_beside(path.parent / "adapter.py") for path in sorted(adapters_folder().glob("*/divergences.yaml"))
    ]
    entries = [one for ledger in ledgers for one in ledger.entries]
    assert len(entries) > 100
    assert [one.id for one in entries if elsewhere.search(one.reason)] == []


def test_the_documentation_names_every_kind_of_divergence_and_every_key() -> None:
    page = (REPOSITORY / "docs" / "known-divergences.md").read_text()
    words = [*KINDS, *EntryPart.model_fields, *WhenPart.model_fields]
    assert [word for word in words if f"`{word}`" not in page] == []


def test_the_suites_known_divergences_name_apis_that_its_adapters_map() -> None:
    files = sorted(adapters_folder().glob("*/divergences.yaml"))
    assert files
    for file in files:
        adapter = base_folder(file.parent / FILE_NAME) / "adapter.py"
        assert unknown_apis(load_known(file), api_names(adapter)) == []


@pytest.mark.parametrize(
    "file", sorted(adapters_folder().glob("*/divergences.yaml")), ids=lambda file: file.parent.name
)
def test_the_suites_known_divergences_say_when_they_were_written(file: Path) -> None:
    assert [entry.id for entry in load_known(file).entries if entry.since is None] == []


def test_a_pattern_that_matches_no_case_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    [said] = unmatched(known_divergences(tmp_path, entry(cases="gather_elements.rule.rnak/*")), NamedCases(CASES))
    assert "no case matches 'gather_elements.rule.rnak/*'; did you mean 'gather_elements.rule.rank/*'?" in str(said)
    assert said.location.line == 3


def test_each_pattern_of_an_entry_must_match_a_case(tmp_path: Path) -> None:
    text = entry(cases='["gather_elements.rule.rank/*", "gather_elements.rule.rank/third"]')
    [said] = unmatched(known_divergences(tmp_path, text), NamedCases(CASES))
    assert "rank/third" in said.message


def test_a_dtype_that_no_matching_case_has_is_told_with_those_that_they_have(tmp_path: Path) -> None:
    [said] = unmatched(known_divergences(tmp_path, entry(when="{dtype: bool}")), NamedCases(CASES))
    assert "has a tensor of dtype bool; they have float32, int32, int64" in said.message


def test_an_entry_about_draws_needs_no_case_in_a_run_without_them(tmp_path: Path) -> None:
    assert (
        unmatched(known_divergences(tmp_path, entry(cases="gather_elements.rule.rank/draw.*")), NamedCases(CASES)) == []
    )


def test_an_api_that_no_adapter_maps_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    [said] = unknown_apis(known_divergences(tmp_path, entry(api="torch.gathr")), [API])
    assert "did you mean 'torch.gather'?" in said.message
    assert unknown_apis(known_divergences(tmp_path, entry(api="torch.*")), [API]) == []


def test_an_entry_is_about_derivatives_only_if_it_names_their_transform(tmp_path: Path) -> None:
    plain, derivative = CASES[0], replace(CASES[0], transformation="jvp")
    for when, about in ((None, [plain]), ("{transform: jvp}", [derivative]), ("{transform: [vjp, jvp]}", [derivative])):
        [one] = known_divergences(tmp_path, entry(when=when) if when else entry()).entries
        assert [case for case in (plain, derivative) if concerns(one, one.patterns[0], case)] == about

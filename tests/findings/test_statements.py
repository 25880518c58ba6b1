"""Every statement of conclusions.json against what a naive count of the lines of results.jsonl gives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from conformance.reports.conclusions import conclusions_json
from conformance.results.file import read_results
from tests.findings.naive.behaviours import false_behaviours, false_since
from tests.findings.naive.compare import false_changes
from tests.findings.naive.ports import false_ports
from tests.findings.naive.ran import false_dtypes, false_extents, false_gaps, false_transforms
from tests.findings.naive.records import Json, Records
from tests.findings.naive.situations import naive_situations
from tests.findings.naive.verbs import naive_verbs
from tests.findings.naive.wrong import false_causes, false_findings
from tests.findings.published import lines_about, published_lines

OPERATIONS, FRAMEWORKS = ("gather_elements", "index_add"), ("torch", "mindspore", "openvino")
SEGMENTS = ("unsorted_segment_reduce",)


@dataclass(frozen=True)
class Run:
    """The records of a results file, and what conclusions.json says of it."""

    records: Records
    said: Json


def run_of(lines: list[str], folder: Path) -> Run:
    (folder / "results.jsonl").write_text("".join(lines), encoding="utf-8")
    return Run(Records(lines), json.loads(conclusions_json(read_results(folder))))


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A part of the published run."""
    return run_of(lines_about(OPERATIONS, FRAMEWORKS), tmp_path_factory.mktemp("part"))


@pytest.fixture(scope="module")
def segment_lines() -> list[str]:
    """Of the published run, what two frameworks do with segments."""
    return lines_about(SEGMENTS, ("jax", "mindspore"))


@pytest.fixture(scope="module")
def jax_lines(segment_lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What one of them does in its newest version, of which nothing false is said."""
    targets = [json.loads(line)["id"] for line in segment_lines if '"kind":"target"' in line]
    newest = f'"target":"{next(target for target in targets if target.startswith("jax=="))}"'
    lines = [line for line in segment_lines if '"kind":"result"' not in line or newest in line]
    false = false_statements(run_of(lines, tmp_path_factory.mktemp("jax")))
    assert {kind: shown(false[kind]) for kind in ("findings", "behaviours")} == {"findings": [], "behaviours": []}
    return lines


def false_statements(run: Run) -> dict[str, Iterator[str]]:
    """The false statements of each kind, which are looked for when they are asked for."""
    records, said = run.records, run.said
    situations = naive_situations(records)
    verbs = naive_verbs(records, situations)
    return {
        "findings": false_findings(records, said["findings"]),
        "causes": false_causes(records, said["findings"], said["causes"]),
        "behaviours": false_behaviours(records, verbs, said["behaviours"], situations),
        "since": false_since(records, verbs, said["behaviours"]),
        "changes": false_changes(records, said["changes"]),
        "dtypes": false_dtypes(records, said["dtypes"]),
        "transforms": false_transforms(records, said["transforms"]),
        "ports": false_ports(records, said["ports"]),
        "extents": false_extents(records, said["extents"]),
        "gaps": false_gaps(records, said["gaps"], said["behaviours"], situations),
    }


def shown(false: Iterator[str]) -> list[str]:
    """The first false statements."""
    return list(islice(false, 5))


def all_shown(run: Run) -> dict[str, list[str]]:
    """The first of each kind."""
    return {kind: shown(false) for kind, false in false_statements(run).items()}


NOTHING: dict[str, list[str]] = {
    kind: []
    for kind in (
        "findings",
        "causes",
        "behaviours",
        "since",
        "changes",
        "dtypes",
        "transforms",
        "ports",
        "extents",
        "gaps",
    )
}


def test_no_statement_about_a_part_of_the_published_run_is_false(part: Run) -> None:
    assert all_shown(part) == NOTHING
    assert all(part.said[kind] for kind in NOTHING if kind != "since")
    assert sum(each["since"] is not None for each in part.said["behaviours"]) > 5


def test_no_statement_about_segments_of_the_published_run_is_false(segment_lines: list[str], tmp_path: Path) -> None:
    run = run_of(segment_lines, tmp_path)
    assert all_shown(run) == NOTHING
    verbs = {each["verb"] for each in run.said["behaviours"]}
    assert verbs >= {"ignores", "adds", "multiplies", "keeps-largest", "keeps-smallest"}


CUT = "unsorted_segment_reduce.behaviour.ids-outside-are-dropped/sums-two-to-the-32-plus-one"
LARGEST = "unsorted_segment_reduce.behaviour.ids-past-the-end/largest.cpu"


@pytest.mark.parametrize(
    ("case", "edits", "kind"),
    [
        (CUT, {'"behaviour":"other"': '"behaviour":"ignores"'}, "behaviours"),
        (CUT, {"[0.0,200.0,0.0,300.0,100.0,0.0,0.0]": "[0.0,0.0,0.0,300.0,100.0,0.0,0.0]"}, "behaviours"),
        (LARGEST, {'"-inf","-inf",300.0,': '"-inf","inf",300.0,'}, "behaviours"),
        (
            LARGEST,
            {'"-inf","-inf",300.0,': '"-inf",12345.0,300.0,', '"behaviour":"ignores"': '"behaviour":"other"'},
            "findings",
        ),
    ],
    ids=["it was added to segment 1", "it was dropped", "the smallest of no slices", "an element of no slice"],
)
def test_a_false_word_for_a_label_outside_is_noticed(
    jax_lines: list[str], tmp_path: Path, case: str, edits: dict[str, str], kind: str
) -> None:
    """And no element that is in no slice, nor what has no slices, is taken for one that was read."""
    lines = [edited(line, edits) if f'"case":"{case}"' in line else line for line in jax_lines]
    assert sum(line != before for line, before in zip(lines, jax_lines, strict=True)) == 1
    assert is_noticed(false_statements(run_of(lines, tmp_path))[kind])


def edited(line: str, edits: dict[str, str]) -> str:
    """A line in which each key stands as its value."""
    for was, now in edits.items():
        line = line.replace(was, now)
    return line


def test_no_statement_about_the_published_run_is_false(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--published"):
        pytest.skip("it takes minutes, and is made with --published before a report is published; CONTRIBUTING.md")
    assert all_shown(run_of(list(published_lines()), tmp_path)) == NOTHING


def changed(statements: Sequence[Json], number: int = 0, **fields: Any) -> list[Json]:
    """The statements, the first of them one with other fields, so that it is noticed before the true ones are looked at."""
    return [{**statements[number], **fields}, *statements[:number], *statements[number + 1 :]]


def is_noticed(false: Iterator[str]) -> bool:
    """Whether any of the statements, of which at most one is false, is found to be."""
    return any(false)


def test_a_false_finding_is_noticed(part: Run) -> None:
    found = part.said["findings"]
    index = next(number for number, each in enumerate(found) if each["danger"] == "accepts")
    for fields in (
        {"danger": "outside"},  # for any index out of bounds of which no policy gives the result
        {"results": [*found[index]["results"], found[0]["results"][0]]},
        {"results": found[index]["results"][1:]},
        {"of": found[index]["of"] + 1},
        {"sort": "own" if found[index]["sort"] != "own" else "portability"},
    ):
        assert is_noticed(false_findings(part.records, changed(found, index, **fields))), fields
    elsewhere = next(number for number, each in enumerate(found) if each["elsewhere"])
    assert is_noticed(
        false_findings(part.records, changed(found, elsewhere, elsewhere=[]))
    )  # which says that it is new
    assert is_noticed(false_findings(part.records, found[1:]))


def test_a_false_cause_is_noticed(part: Run) -> None:
    found, causes = part.said["findings"], part.said["causes"]
    for fields in (
        {"danger": "error"},
        {"own": not causes[0]["own"]},
        {"apis": ["f"]},
        {"findings": causes[1]["findings"]},
    ):
        assert is_noticed(false_causes(part.records, found, changed(causes, **fields))), fields


def test_a_false_behaviour_is_noticed(part: Run) -> None:
    situations, said = naive_situations(part.records), part.said["behaviours"]
    verbs = naive_verbs(part.records, situations)
    new = next(number for number, each in enumerate(said) if each["since"])
    assert is_noticed(false_since(part.records, verbs, changed(said, new, since=None)))
    old = next(number for number, each in enumerate(said) if not each["since"])
    assert is_noticed(false_since(part.records, verbs, changed(said, old, since=said[new]["since"])))
    says = next(
        number for number, each in enumerate(said) if each["claims"] and each["verdicts"].keys() == {"conforms"}
    )
    others: list[Json] = [
        {"verb": "dies"},
        {"verdicts": {"own": len(said[says]["cases"])}},  # the colour of another API, or of an overwritten argument
        {"claims": []},
        {"of_all_calls": True},
        {"known": ["it"]},
        {"links": ["https://example.org"]},
        {"of": said[says]["of"] + 1},
    ]
    for fields in others:
        assert is_noticed(false_behaviours(part.records, verbs, changed(said, says, **fields), situations)), fields


def test_a_false_change_port_dtype_extent_or_gap_is_noticed(part: Run) -> None:
    records, said = part.records, part.said
    assert is_noticed(false_changes(records, said["changes"][1:]))
    assert is_noticed(false_changes(records, changed(said["changes"], now=said["changes"][0]["was"])))
    port = next(each for each in said["ports"] if each["different"])
    side = port["sides"][0]
    call = (side["target"], side["api"], port["different"][0])
    lacking = copy(records)  # a form that is missing is no disagreement
    lacking.results = [
        {**each, "outcome": {"status": "unsupported"}} if (each["target"], each["api"], each["case"]) == call else each
        for each in records.results
    ]
    assert is_noticed(false_ports(lacking, [port]))
    assert not is_noticed(false_ports(records, [port]))
    assert is_noticed(false_ports(records, changed(said["ports"], same=said["ports"][0]["same"] + 1)))
    assert is_noticed(false_dtypes(records, changed(said["dtypes"], dtype="int4")))
    assert is_noticed(false_transforms(records, changed(said["transforms"], of="nothing")))
    assert is_noticed(false_transforms(records, changed(said["transforms"], arguments=["nothing"])))
    assert is_noticed(false_transforms(records, changed(said["transforms"], axis="last")))
    assert is_noticed(false_extents(records, changed(said["extents"], called=said["extents"][0]["cases"])))
    assert is_noticed(false_gaps(records, said["gaps"][1:], said["behaviours"], naive_situations(records)))

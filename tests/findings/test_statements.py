"""Every statement of conclusions.json against what a naive count of the lines of results.jsonl gives."""

from __future__ import annotations

import gzip
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

PUBLISHED = Path(__file__).parents[2] / "reports/results.jsonl.gz"
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


def published_lines() -> list[str]:
    with gzip.open(PUBLISHED, "rt", encoding="utf-8") as file:
        return list(file)


def is_chosen(line: str, operations: Sequence[str] = OPERATIONS, frameworks: Sequence[str] = FRAMEWORKS) -> bool:
    """Whether it is about one of the operations and frameworks, or about the run."""
    if '"kind":"result"' in line and not any(f'"target":"{name}=' in line for name in frameworks):
        return False
    record = json.loads(line)
    operation = record.get("operation") or str(record.get("clause")).partition(".")[0]
    return record["kind"] in ("run", "target", "end", "known", "document", "claim") or operation in operations


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A part of the published run."""
    return run_of([line for line in published_lines() if is_chosen(line)], tmp_path_factory.mktemp("part"))


@pytest.fixture(scope="module")
def segment_lines() -> list[str]:
    """Of the published run, what two frameworks do with segments."""
    return [line for line in published_lines() if is_chosen(line, SEGMENTS, ("jax", "mindspore"))]


def false_statements(run: Run) -> dict[str, list[str]]:
    """The first false statements of each kind."""
    records, said = run.records, run.said
    situations = naive_situations(records)
    verbs = naive_verbs(records, situations)
    false = {
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
    return {kind: shown(statements) for kind, statements in false.items()}


def shown(false: Iterator[str]) -> list[str]:
    """The first false statements."""
    return list(islice(false, 5))


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
    assert false_statements(part) == NOTHING
    assert all(part.said[kind] for kind in NOTHING if kind != "since")
    assert sum(each["since"] is not None for each in part.said["behaviours"]) > 5


def test_no_statement_about_segments_of_the_published_run_is_false(segment_lines: list[str], tmp_path: Path) -> None:
    run = run_of(segment_lines, tmp_path)
    assert false_statements(run) == NOTHING
    verbs = {each["verb"] for each in run.said["behaviours"]}
    assert verbs >= {"ignores", "adds", "multiplies", "keeps-largest", "keeps-smallest"}


CUT = "unsorted_segment_reduce.behaviour.ids-outside-are-dropped/sums-two-to-the-32-plus-one"
LARGEST = "unsorted_segment_reduce.behaviour.ids-past-the-end/largest.cpu"


@pytest.mark.parametrize(
    ("case", "was", "now", "kind"),
    [
        (CUT, '"behaviour":"other"', '"behaviour":"ignores"', "behaviours"),
        (CUT, "[0.0,200.0,0.0,300.0,100.0,0.0,0.0]", "[0.0,0.0,0.0,300.0,100.0,0.0,0.0]", "behaviours"),
        (LARGEST, '"-inf","-inf",300.0,', '"-inf","-inf",12345.0,', "findings"),
        (LARGEST, '"-inf","-inf",300.0,', '"-inf","inf",300.0,', "findings"),
    ],
    ids=["it was added to segment 1", "it was dropped", "an element of no slice", "the smallest of no slices"],
)
def test_a_false_word_for_a_label_outside_is_noticed(
    segment_lines: list[str], tmp_path: Path, case: str, was: str, now: str, kind: str
) -> None:
    """And no element that is in no slice, nor what has no slices, is taken for one that was read."""
    of_jax = [line for line in segment_lines if '"kind":"result"' not in line or '"target":"jax==' in line]
    lines = [line.replace(was, now) if f'"case":"{case}"' in line else line for line in of_jax]
    assert sum(line != before for line, before in zip(lines, of_jax, strict=True)) == 1
    assert false_statements(run_of(of_jax, tmp_path))[kind] == []
    assert false_statements(run_of(lines, tmp_path))[kind]


def test_no_statement_about_the_published_run_is_false(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--published"):
        pytest.skip("it takes minutes, and is made with --published before a report is published; CONTRIBUTING.md")
    assert false_statements(run_of(published_lines(), tmp_path)) == NOTHING


def changed(statements: Sequence[Json], number: int = 0, **fields: Any) -> list[Json]:
    """The statements, one of them with other fields."""
    return [{**each, **fields} if at == number else each for at, each in enumerate(statements)]


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
        assert shown(false_findings(part.records, changed(found, index, **fields))), fields
    elsewhere = next(number for number, each in enumerate(found) if each["elsewhere"])
    assert shown(false_findings(part.records, changed(found, elsewhere, elsewhere=[])))  # which says that it is new
    assert shown(false_findings(part.records, found[1:]))


def test_a_false_cause_is_noticed(part: Run) -> None:
    found, causes = part.said["findings"], part.said["causes"]
    for fields in (
        {"danger": "error"},
        {"own": not causes[0]["own"]},
        {"apis": ["f"]},
        {"findings": causes[1]["findings"]},
    ):
        assert shown(false_causes(part.records, found, changed(causes, **fields))), fields


def test_a_false_behaviour_is_noticed(part: Run) -> None:
    situations, said = naive_situations(part.records), part.said["behaviours"]
    verbs = naive_verbs(part.records, situations)
    new = next(number for number, each in enumerate(said) if each["since"])
    assert shown(false_since(part.records, verbs, changed(said, new, since=None)))
    old = next(number for number, each in enumerate(said) if not each["since"])
    assert shown(false_since(part.records, verbs, changed(said, old, since={"first": "2.13.0", "not_in": "2.6.0"})))
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
        assert shown(false_behaviours(part.records, verbs, changed(said, says, **fields), situations)), fields


def test_a_false_change_port_dtype_extent_or_gap_is_noticed(part: Run) -> None:
    records, said = part.records, part.said
    assert shown(false_changes(records, said["changes"][1:]))
    assert shown(false_changes(records, changed(said["changes"], now=said["changes"][0]["was"])))
    port = next(each for each in said["ports"] if each["different"])
    side = port["sides"][0]
    call = (side["target"], side["api"], port["different"][0])
    lacking = copy(records)  # a form that is missing is no disagreement
    lacking.results = [
        {**each, "outcome": {"status": "unsupported"}} if (each["target"], each["api"], each["case"]) == call else each
        for each in records.results
    ]
    assert shown(false_ports(lacking, [port]))
    assert not shown(false_ports(records, [port]))
    assert shown(false_ports(records, changed(said["ports"], same=said["ports"][0]["same"] + 1)))
    assert shown(false_dtypes(records, changed(said["dtypes"], dtype="int4")))
    assert shown(false_transforms(records, changed(said["transforms"], of="nothing")))
    assert shown(false_transforms(records, changed(said["transforms"], arguments=["nothing"])))
    assert shown(false_transforms(records, changed(said["transforms"], axis="last")))
    assert shown(false_extents(records, changed(said["extents"], called=said["extents"][0]["cases"])))
    assert shown(false_gaps(records, said["gaps"][1:], said["behaviours"], naive_situations(records)))

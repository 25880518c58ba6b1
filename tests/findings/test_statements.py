"""Every statement of conclusions.json against what a naive count of the lines of results.jsonl gives."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.reports.conclusions import conclusions_json
from conformance.results.file import read_results
from tests.findings.naive.behaviours import false_behaviours, false_since, naive_situations, naive_verbs
from tests.findings.naive.compare import false_changes
from tests.findings.naive.ports import false_ports
from tests.findings.naive.ran import false_dtypes, false_extents, false_gaps
from tests.findings.naive.records import Json, Records
from tests.findings.naive.wrong import false_causes, false_findings

PUBLISHED = Path(__file__).parents[2] / "reports/results.jsonl.gz"
OPERATIONS, FRAMEWORKS = ("gather_elements", "index_add"), ("torch", "mindspore", "openvino")


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


def is_chosen(line: str) -> bool:
    """Whether it is about one of the operations and frameworks, or about the run."""
    if '"kind":"result"' in line and not any(f'"target":"{name}=' in line for name in FRAMEWORKS):
        return False
    record = json.loads(line)
    operation = record.get("operation") or str(record.get("clause")).partition(".")[0]
    return record["kind"] in ("run", "target", "end", "known", "document") or operation in OPERATIONS


@pytest.fixture(scope="module", params=["a part of it", pytest.param("all of it", marks=pytest.mark.slow)])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The published run."""
    lines = published_lines()
    chosen = lines if request.param == "all of it" else [line for line in lines if is_chosen(line)]
    return run_of(chosen, tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def situations(run: Run) -> dict[str, str | None]:
    return naive_situations(run.records)


def shown(false: Iterator[str]) -> list[str]:
    """The first false statements."""
    return list(false)[:5]


def test_findings(run: Run) -> None:
    assert run.said["findings"]
    assert not shown(false_findings(run.records, run.said["findings"]))


def test_causes(run: Run) -> None:
    assert not shown(false_causes(run.records, run.said["findings"], run.said["causes"]))


def test_behaviours(run: Run, situations: dict[str, str | None]) -> None:
    verbs = naive_verbs(run.records, situations)
    assert not shown(false_behaviours(run.records, verbs, run.said["behaviours"]))
    assert not shown(false_since(run.records, verbs, run.said["behaviours"]))
    assert sum(each["since"] is not None for each in run.said["behaviours"]) > 5


def test_changes(run: Run) -> None:
    assert run.said["changes"]
    assert not shown(false_changes(run.records, run.said["changes"]))


def test_dtypes(run: Run) -> None:
    assert run.said["dtypes"]
    assert not shown(false_dtypes(run.records, run.said["dtypes"]))


def test_ports(run: Run) -> None:
    assert run.said["ports"]
    assert not shown(false_ports(run.records, run.said["ports"]))


def test_extents(run: Run) -> None:
    assert not shown(false_extents(run.records, run.said["extents"]))


def test_gaps(run: Run, situations: dict[str, str | None]) -> None:
    assert not shown(false_gaps(run.records, run.said["gaps"], run.said["behaviours"], situations))

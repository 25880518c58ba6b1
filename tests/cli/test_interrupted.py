"""What an interrupted run says of what it could not confirm, and what others make of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES

REPORT = "conformance-report"
WRONG = "return np.take_along_axis(input, index, dim) + 1"
INTERRUPTS = f"""if 13 in input:
        os.kill({{suite}}, signal.SIGINT)
        time.sleep(600)
    {WRONG}"""
ADAPTER = """\
import os
import signal
import time

import numpy as np

from conformance.adapter import api


def describe():
    return {{"framework": "order_dependent"}}


@api("fake.steady", operation="gather_elements")
def steady(input, dim, index):
    {body}
"""


def run(folder: Path, body: str, output: str = REPORT) -> Done:
    (folder / "mine.py").write_text(ADAPTER.format(body=body))
    specs = FAKES / "specs"
    return conformance("run", "./mine.py", "--here", "--specs", specs, "--output", output, cwd=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interrupted")


@pytest.fixture(scope="module")
def interrupted(folder: Path) -> Done:
    """A run that the user interrupts after its first finding, which was not repeated in a fresh process."""
    return run(folder, INTERRUPTS.format(suite=os.getpid()), "interrupted")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Done:
    return run(folder, "return np.take_along_axis(input, index, dim)", "whole")


def test_a_finding_that_was_not_confirmed_is_marked(interrupted: Done, folder: Path) -> None:
    assert interrupted.status == 2
    [finding] = [result for result in read_results(folder / "interrupted").results if result.verdict == "diverges"]
    assert finding.confirmed == "no"
    assert "gather_elements.example.lucky: value (not confirmed) in 1 of" in interrupted.out
    assert "not confirmed in a fresh process: the run ended before" in " ".join(interrupted.out.split())


def test_the_verdict_counts_it_as_not_confirmed_and_names_the_command_that_resumes(interrupted: Done) -> None:
    [verdict] = [
        line for line in interrupted.out.splitlines() if line.startswith("failed: incomplete run: interrupted")
    ]
    assert "1 finding that was not confirmed" in verdict
    assert "new divergence" not in verdict
    assert "--output interrupted --resume interrupted\n" in interrupted.out
    assert "conformance repro" not in interrupted.out


@pytest.mark.usefixtures("interrupted", "whole")
def test_diff_compares_it_with_nothing(folder: Path) -> None:
    done = conformance("diff", "whole", "interrupted", cwd=folder)
    assert done.status == 2
    assert "1 not comparable (1 not confirmed, since a run ended before)" in done.out
    assert "now breaks" not in done.out


@pytest.mark.usefixtures("interrupted", "whole")
def test_known_update_does_not_record_it(folder: Path) -> None:
    done = conformance("known", "update", "interrupted", "--reason", "It adds.", "--link", "unreported", cwd=folder)
    assert (done.status, done.out) == (0, "")


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("order", [("cut", "whole"), ("whole", "cut")])
def test_what_a_cut_off_file_lacks_is_neither_new_nor_removed(folder: Path, order: tuple[str, str]) -> None:
    lines = (folder / "whole" / "results.jsonl").read_text().splitlines(keepends=True)
    first_case = next(number for number, line in enumerate(lines) if json.loads(line)["kind"] == "case")
    (folder / "cut").mkdir(exist_ok=True)
    (folder / "cut" / "results.jsonl").write_text("".join(lines[: first_case + 1]))
    done = conformance("diff", *order, cwd=folder)
    assert done.status == 2
    assert "Nothing could be compared, since no target is in both files (exit status 2)." in done.out
    assert "What is missing in it is not listed as new or removed." in " ".join(done.out.split())
    assert "new case" not in done.out
    assert "removed:" not in done.out
    assert "new:" not in done.out

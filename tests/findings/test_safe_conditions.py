"""What a report of ports calls safe, against the calls of the published run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.findings.naive.received import EQUAL, GREATER
from tests.findings.naive.records import Records
from tests.findings.naive.safety import Said, false_safety
from tests.findings.published import lines_about, published_lines
from tests.findings.safe import said_of


def run_of(lines: Iterator[str], folder: Path) -> tuple[Records, list[Said]]:
    file = folder / "results.jsonl"
    with file.open("w", encoding="utf-8") as written:
        written.writelines(lines)
    with file.open(encoding="utf-8") as read:
        return Records(read), [*said_of(read_results(folder))]


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> tuple[Records, list[Said]]:
    """Of the published run, how two frameworks gather."""
    return run_of(iter(lines_about(["gather_elements"], ["torch", "jax"])), tmp_path_factory.mktemp("part"))


def test_no_condition_called_safe_holds_a_call_that_one_side_raises_on(part: tuple[Records, list[Said]]) -> None:
    records, said = part
    assert [*false_safety(records, said)] == []
    [port] = said
    assert len(port.safe) > 20
    assert EQUAL in port.unsafe
    assert any("/program." in name for name in port.safe["every index in range"])


@pytest.mark.parametrize("condition", [EQUAL, GREATER])
def test_a_condition_that_is_falsely_called_safe_is_noticed(part: tuple[Records, list[Said]], condition: str) -> None:
    records, [port] = part
    proof = next(iter(port.safe["every index in range"]))
    false = replace(port, safe={condition: [proof]}, unsafe=[name for name in port.unsafe if name != condition])
    found = [*false_safety(records, [false])]
    assert any(f"has not {condition}" in each for each in found)
    assert any(f"{condition} is safe, and ['raised', " in each for each in found)


def test_no_condition_of_the_published_run_called_safe_holds_a_call_that_one_side_raises_on(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not request.config.getoption("--published"):
        pytest.skip("it takes minutes, and is made with --published before a report is published; CONTRIBUTING.md")
    records, said = run_of(published_lines(), tmp_path)
    assert [*islice(false_safety(records, said), 5)] == []

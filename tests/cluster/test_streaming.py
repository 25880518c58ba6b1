"""Results on standard output."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.cli.command import conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS

RUN = ("run", WRONG_ADAPTERS / "order_dependent.py", "--here", "--specs", FAKES / "specs", "-q")
REPORT = Path("conformance-report")


def test_standard_output_has_the_records_of_the_run_and_nothing_else(tmp_path: Path) -> None:
    done = conformance(*RUN, "-k", "lucky", "--output", "-", cwd=tmp_path)
    assert done.status == 1
    (tmp_path / "results.jsonl").write_text(done.out, encoding="utf-8")
    results = read_results(tmp_path)
    assert results.complete
    assert len(results.results) == len(results.cases) * len(results.mappings)
    assert not (tmp_path / REPORT).exists()


@pytest.mark.parametrize("option", [("--resume", "."), ("--lf",), ("--gzip",), ("--on", "local:1")])
def test_what_needs_a_folder_cannot_be_combined_with_standard_output(option: tuple[str, ...], tmp_path: Path) -> None:
    done = conformance(*RUN, "--output", "-", *option, cwd=tmp_path)
    assert done.status == 4
    assert f"cannot be combined with {option[0]}" in done.err

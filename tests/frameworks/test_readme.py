"""README prints what its commands print of real frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import REPOSITORY, conformance
from tests.readme import readme


@pytest.mark.frameworks
def test_the_first_run_prints_what_readme_says(tmp_path: Path) -> None:
    done = conformance("run", "--quick", cwd=tmp_path)
    assert done.status == 0, done.err
    assert readme().block("passed: nothing unexpected").missing_in(done.out) == []


@pytest.mark.frameworks
def test_a_smoke_run_of_torch_prints_what_readme_says(tmp_path: Path) -> None:
    done = conformance("run", "torch", "--smoke", cwd=tmp_path)
    assert done.status == 0, done.err
    assert readme().printed("conformance run torch --smoke").missing_in(done.out) == []


@pytest.mark.slow
def test_the_comparison_of_two_frameworks_prints_what_readme_says() -> None:
    words = (
        "report",
        "reports/results.jsonl.gz",
        "--porting",
        "torch==2.13.0@cpu",
        "--porting",
        "mindspore==2.10.0@cpu",
    )
    done = conformance(*words, cwd=REPOSITORY)
    assert readme().printed(f"conformance {' '.join(words)}").missing_in(done.out) == []

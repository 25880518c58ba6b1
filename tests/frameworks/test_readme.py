"""README prints what its commands print of real frameworks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.command import REPOSITORY, conformance
from tests.frameworks.conftest import FinishedRun
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
        "reports",
        "--porting",
        "torch==2.13.0@cpu",
        "--porting",
        "mindspore==2.10.0@cpu",
        "--api",
        "torch.gather",
    )
    done = conformance(*words, cwd=REPOSITORY)
    assert readme().printed(f"conformance {' '.join(words)}").missing_in(done.out) == []


_COUNTED = re.compile(r"^[\s-]*`?([\w' ]+?)`?: (\d+) (?:causes|entries), (\d+) findings$", re.MULTILINE)


@pytest.mark.frameworks
def test_the_numbers_of_the_whole_run_are_about_those_that_readme_says(
    default_run: FinishedRun, request: pytest.FixtureRequest
) -> None:
    """A few results of torch and MindSpore differ from run to run: races, and what lies behind a tensor."""
    if not request.config.getoption("--whole"):
        pytest.skip("it is about a run of all cases, which --whole makes")
    [block] = [block for block in readme().blocks if block.startswith("New: nothing\n\nIn all") and "Known" in block]
    said = {name: (int(first), int(second)) for name, first, second in _COUNTED.findall(block)}
    summary = (default_run.folder / "results" / "summary.md").read_text(encoding="utf-8")
    found = {name: (int(first), int(second)) for name, first, second in _COUNTED.findall(summary)}
    assert len(said) == 7
    far = {name: found.get(name) for name, counts in said.items() if not _is_about(counts, found.get(name, (0, 0)))}
    assert far == {}


def _is_about(said: tuple[int, int], found: tuple[int, int]) -> bool:
    return all(abs(one - other) <= 2 + one // 20 for one, other in zip(said, found, strict=True))

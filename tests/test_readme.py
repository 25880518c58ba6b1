"""README prints what its commands print, as far as they need no framework; ``tests/frameworks/test_readme.py`` has the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.command import REPOSITORY, conformance
from tests.readme import Printed, readme


def test_show_prints_what_readme_says() -> None:
    printed = readme().printed("conformance show gather_elements.rule.index-range")
    done = conformance("show", "gather_elements.rule.index-range", cwd=REPOSITORY)
    assert printed.missing_in(done.out) == []


def test_an_adapter_of_two_functions_passes_with_the_counts_that_readme_says(tmp_path: Path) -> None:
    guide = (REPOSITORY / "docs" / "adapters.md").read_text(encoding="utf-8")
    [first, *_] = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.py").write_text(first)
    printed = readme().printed("conformance run ./mine.py --here --smoke")
    done = conformance("run", "./mine.py", "--here", "--smoke", cwd=tmp_path)
    assert done.status == 0
    assert printed.missing_in(done.out) == []


@pytest.mark.parametrize(
    ("output", "missing"),
    [
        ("one 1 in 37 s\n two 2, then three 3", []),
        ("one 1 in 4 s two\n  2", ["three 3"]),
        ("three 3, one 1 in 4 s two 2", ["three 3"]),
        ("one 2 in 37 s\ntwo 2\nthree 3", ["one 1 in some s two 2"]),
    ],
)
def test_counts_and_their_order_matter_and_times_and_line_breaks_do_not(output: str, missing: list[str]) -> None:
    assert Printed("", ["one 1 in some s two 2", "three 3"]).missing_in(output) == missing

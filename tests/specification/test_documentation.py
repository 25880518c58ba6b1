"""The specs that docs/specs.md shows are specs."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from conformance.specification.check import check
from conformance.specification.loader import load_specs
from conformance.specification.trace import trace, trace_problems
from tests.cli.command import conformance
from tests.specification.specs_page import PAGE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL):
        key, name = re.match(r"(\w+):(?: (\w+))?", text).groups()  # type: ignore[union-attr] # each begins with a key
        (tmp_path / f"{name or key}.yaml").write_text(text)
    return tmp_path


def test_every_yaml_on_the_page_is_right_about_itself_and_tests_every_claim(folder: Path) -> None:
    catalogue = load_specs(folder)
    assert len(catalogue.operations) == 4
    assert catalogue.whole
    assert check(catalogue) == []
    assert trace_problems(catalogue, trace(catalogue)) == []


def test_the_output_of_trace_on_the_page_is_what_it_prints(folder: Path) -> None:
    [printed] = re.findall(r"    torch\.Tensor\.scatter_\n.*?\n(?=\S)", PAGE, re.DOTALL)
    done = conformance("trace", "torch.Tensor.scatter_", "--specs", folder, cwd=folder)
    assert done.out.strip() == textwrap.dedent(printed).strip()

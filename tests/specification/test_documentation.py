"""The specs that the pages on specs show are specs, and the page on their keys is what the forms say."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest
from pydantic import BaseModel

from conformance import spec_keys
from conformance.specification import file_format
from conformance.specification.check import check
from conformance.specification.loader import load_specs
from conformance.specification.trace import trace, trace_problems
from tests.cli.command import conformance
from tests.specification.specs_page import INDICES, PAGES, write_specs_of_pages


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_specs_of_pages(tmp_path)
    return tmp_path


def test_every_spec_on_the_pages_is_right_about_itself_and_tests_every_claim(folder: Path) -> None:
    catalogue = load_specs(folder)
    assert len(catalogue.operations) == 4
    assert catalogue.whole
    assert check(catalogue) == []
    assert trace_problems(catalogue, trace(catalogue)) == []


def test_the_output_of_trace_on_the_page_is_what_trace_prints(folder: Path) -> None:
    [printed] = re.findall(r"    torch\.Tensor\.scatter_\n.*?\n(?=\S)", PAGES["specs"], re.DOTALL)
    done = conformance("trace", "torch.Tensor.scatter_", "--specs", folder, cwd=folder)
    assert done.out.strip() == textwrap.dedent(printed).strip()


def test_the_page_on_keys_is_made_from_the_forms() -> None:
    assert PAGES["spec-keys"] == spec_keys.page(), "run: python -m conformance.spec_keys docs/spec-keys.md"


def test_the_page_on_keys_has_every_form_of_the_file_format() -> None:
    forms = {each for each in vars(file_format).values() if isinstance(each, type) and issubclass(each, BaseModel)}
    on_page = {each for parts in spec_keys.SECTIONS.values() for each in parts}
    assert {each for each in forms - {BaseModel} - on_page if each.model_fields} == set()


FIRST_AXIS = """
result: {{shape: "ids.shape + table.shape[1:]", dtype: table.dtype}}
drawn: rows
rules:
  matrix:
    states: The table is a matrix.
    cite: {{rows: [matrix]}}
    require: "table.rank == 2"
    otherwise: observed
    keep:
      three: {{call: {{table: {table}, ids: {{int64: 1}}, axis: 0}}}}
    break:
      one: {{call: {{table: {{float32: [1, 2, 3]}}, ids: {{int64: [1]}}, axis: 0}}, fix: {{table: {table}}}}}
behaviours:
  rows:
    states: Each id selects a row.
    cite: {{rows: [rows]}}
    cases:
      two: {{call: {{table: {table}, ids: {{int64: [2, 0]}}, axis: 0}}}}
"""
ROWS = """
documents:
  rows:
    title: A page about a function that does not exist
    official: true
    framework: mine
    describes: [mine.rows]
    claims: {rows: Each id selects a row., matrix: The table is a matrix.}
"""


def test_an_index_along_the_first_axis_is_declared_and_computed_as_the_page_shows(tmp_path: Path) -> None:
    """The part of a spec with an axis that is always 0, and the only reference on the page on specs."""
    [part] = re.findall(r'^    arguments:\n      table: .*?ids: "picked..."\n', INDICES, re.DOTALL | re.MULTILINE)
    [reference] = re.findall(
        r"```python\n(import numpy as np\n\nfrom conformance.adapter.*?)```", PAGES["specs"], re.DOTALL
    )
    rest = FIRST_AXIS.format(table="{float32: [[1, 2], [3, 4], [5, 6]]}")
    spec = f"operation: table_rows\nsummary: Rows of a table.\n{textwrap.dedent(part)}{rest}"
    for name, text in {"rows.yaml": spec, "documents.yaml": ROWS, "reference.py": reference}.items():
        (tmp_path / name).write_text(text)
    done = conformance("check", tmp_path, cwd=tmp_path)
    assert done.out == "ok: 1 operation, 2 clauses, 3 cases, 1 document\n", done.err
    listed = conformance("list", "cases", "--specs", tmp_path, "-k", "beyond", "--json", cwd=tmp_path)
    long = [case for case in json.loads(listed.out) if case["id"].endswith((".one", ".many"))]
    assert len(long) == 8
    assert not [case for case in long if "returns" not in case["expectation"]], "a table of one column is a matrix"

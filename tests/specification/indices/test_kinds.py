"""What is declared, recorded and asked of each kind of index; docs/indices.md shows each."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from conformance.specification.applied import Applied
from conformance.specification.indices.declarations import indexing_record, read_indexing
from conformance.specification.indices.geometry import geometry_of
from conformance.specification.indices.kinds import (
    RESULT,
    Along,
    Elements,
    Flat,
    Indexing,
    InKey,
    Labels,
    Mask,
    Vectors,
)
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Operation, Printed, WrittenCall
from tests.specification.small import write_specs
from tests.specification.specs_page import INDICES

SECTIONS: dict[str, type[Indexing]] = {
    "Vectors": Vectors,
    "Elements": Elements,
    "Slices along an axis": Along,
    "Indices in a key": InKey,
    "Flat indices": Flat,
    "Masks": Mask,
    "Labels": Labels,
}
WITHOUT_PICTURES = re.sub(r"^```text\n.*?^```\n", "", INDICES, flags=re.DOTALL | re.MULTILINE)
BLOCKS = [
    (heading, text)
    for heading, section in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", WITHOUT_PICTURES, re.DOTALL | re.MULTILINE)
    for text in re.findall(r"(?:^    .*\n|^\n(?=    ))+", section, re.MULTILINE)
]
EXAMPLES = [(heading, text) for heading, text in BLOCKS if heading in SECTIONS]
[TWO] = [text for heading, text in BLOCKS if heading == "Two index tensors"]
REST = """
drawn: what-is-shown
behaviours:
  what-is-shown:
    states: The call returns what the page shows.
    cite: {json.page: [rank]}
    cases:
      shown:
"""


def _operation(folder: Path, example: str) -> tuple[Operation, WrittenCall]:
    """The operation of which an example has a part, and the call that it shows."""
    part, call = re.split(r"(?=^call:)", textwrap.dedent(example), flags=re.MULTILINE)
    result = "" if "result: {" in part else "result: {shape: input.shape, dtype: input.dtype}\n"
    result = result.replace("input", re.findall(r"\w+(?=: \{tensor: any)", part)[0])
    (write_specs(folder) / "gather_elements.yaml").unlink()
    text = f"operation: example\nsummary: An example.\n{part}{result}{REST}{textwrap.indent(call, ' ' * 8)}"
    (folder / "example.yaml").write_text(text, encoding="utf-8")
    operation = load_specs(folder).operations["example"]
    [written] = [call for clause in operation.clauses for call in clause.written_calls]
    return operation, written


def test_the_page_has_a_section_on_each_kind_with_an_example() -> None:
    assert set(SECTIONS.values()) == set(get_args(Indexing))
    assert {heading for heading, _ in EXAMPLES} == SECTIONS.keys()


@pytest.mark.parametrize(("heading", "example"), EXAMPLES)
def test_an_example_of_the_page_declares_its_kind_and_returns_what_is_at_the_positions(
    tmp_path: Path, heading: str, example: str
) -> None:
    operation, written = _operation(tmp_path, example)
    assert {type(spec.indexing) for spec in operation.arguments.values() if spec.indexing} == {SECTIONS[heading]}
    for geometry in Applied(operation, written.call).geometries.values():
        assert geometry.fits
        assert isinstance(written.expected, Printed)
        shown = np.array(written.expected.written)
        if isinstance(geometry.indexing, Labels):
            data = written.call.arguments[geometry.indexing.data]
            assert isinstance(data, Tensor)
            result = np.zeros(geometry.shape, int)
            np.add.at(result.reshape(-1), geometry.positions, data.array)
        else:
            into = written.call.arguments[geometry.indexing.into]
            assert isinstance(into, Tensor)
            result = into.array.reshape(-1)[geometry.positions]
        assert result.tolist() == shown.tolist()


def test_the_example_with_two_index_tensors_writes_what_one_reads_where_the_other_points(tmp_path: Path) -> None:
    operation, written = _operation(tmp_path, TWO)
    target, source = (written.call.arguments[name] for name in ("target", "source"))
    assert isinstance(target, Tensor)
    assert isinstance(source, Tensor)
    at = Applied(operation, written.call).geometries
    result = target.array.reshape(-1).copy()
    result[at["to"].positions] = source.array.reshape(-1)[at["start"].positions]
    assert isinstance(written.expected, Printed)
    assert result.tolist() == np.array(written.expected.written).reshape(-1).tolist()


RECORDS: list[tuple[Indexing, dict[str, str | None]]] = [
    (Vectors("target"), {"selects": "elements"}),
    (Vectors("target", "pairs"), {"selects": "elements", "batched": "pairs"}),
    (Elements("target", "dim"), {"selects": "elements", "along": "dim"}),
    (Along("target", "dim"), {"selects": "slices", "along": "dim"}),
    (Along("target", "dim", "pairs"), {"selects": "slices", "along": "dim", "batched": "pairs"}),
    (InKey("target", "key"), {"selects": "slices", "along": "key"}),
    (Flat("target"), {"selects": "flat"}),
    (Mask("target"), {"selects": "mask"}),
    (Labels("target", "data"), {"selects": "elements", "labels": "data"}),
    (Labels(RESULT, "data", "ascending"), {"into": RESULT, "selects": "elements", "labels": "data", "order": "ascending"}),
]  # fmt: skip
KEYS = ("into", "along", "selects", "labels", "order", "batched")
CALL = {"dim": 1, "pairs": 1, "key": "i, j"}


@pytest.mark.parametrize(("indexing", "fields"), RECORDS)
def test_a_kind_is_recorded_with_all_fields_in_order_and_read_again(
    indexing: Indexing, fields: dict[str, str | None]
) -> None:
    record = indexing_record(indexing)
    assert list(record) == [*KEYS]
    assert record == {**dict.fromkeys(KEYS), "into": "target", **fields}
    assert read_indexing(record, CALL) == indexing
    # Files of earlier versions lack fields.
    assert read_indexing({"into": "target", **fields}, CALL) == indexing


def test_the_words_of_a_key_are_not_recorded() -> None:
    indexing = InKey("target", "key", ("i, j", "j, i"))
    assert read_indexing(indexing_record(indexing), CALL) == replace(indexing, words=())


@pytest.mark.parametrize(
    "record",
    ["outer", None, {}, {"into": "target"}, {"into": "target", "along": "dim", "selects": "diagonals"},
     {"along": "dim", "selects": "slices"}, {"into": "target", "selects": "slices"},
     {"into": "target", "along": "dim", "selects": "slices", "from": "end"},
     {"into": "target", "along": "dim", "selects": "flat"}, {"into": "target", "selects": "mask", "batched": "pairs"},
     {"into": "target", "along": ["dim"], "selects": "slices"}, {"into": 3, "selects": "mask"},
     {"into": "target", "selects": "elements", "labels": "data", "order": "descending"}],
)  # fmt: skip
def test_a_declaration_that_this_version_does_not_know_is_none(record: object) -> None:
    assert read_indexing(record, CALL) is None


@pytest.mark.parametrize(
    ("indexing", "index", "lacks"),
    [
        (Vectors("target"), np.zeros((0, 2), int), True),
        (Vectors("target"), np.zeros((2, 0), int), False),
        (Elements("target", "dim"), np.zeros((2, 0), int), True),
        (Along("target", "dim"), np.zeros(2, int), False),
        (Mask("target"), np.zeros(2, bool), True),
        (Mask("target"), np.array([False, True]), False),
        (InKey("target", "key"), np.zeros(2, bool), True),
        (InKey("target", "key"), np.zeros(2, int), False),
    ],
)
def test_a_vector_without_columns_is_an_index_and_a_mask_without_a_true_element_has_none(
    indexing: Indexing, index: Any, lacks: bool
) -> None:
    assert indexing.lacks_indices(index) == lacks


@pytest.mark.parametrize(
    ("indexing", "index", "counted", "appended", "mask"),
    [
        (Vectors("target"), [[1, 2]], (2, 3), (3, 4), (2, 1)),
        (Vectors("target"), [[1]], (2, 3), (3, 3), (2, 1)),
        (Elements("target", "dim"), [[1, 0]], (2, 3), (2, 4), (2, 3)),
        (Along("target", "dim"), [1, 0], (2, 3), (2, 4), (3,)),
        (Flat("target"), [1, 0], (6,), (7,), (2, 3)),
        (Labels("length", "target"), [1, 0], (4, 3), (5, 3), (2,)),
    ],
)
def test_there_is_a_position_more_at_the_end_of_each_axis_that_is_indexed(
    indexing: Indexing, index: Any, counted: tuple[int, ...], appended: tuple[int, ...], mask: tuple[int, ...]
) -> None:
    values = {
        "index": Tensor("int64", np.array(index), None), "target": Tensor("int32", np.zeros((2, 3), int), None),
        "dim": 1, "length": 4,
    }  # fmt: skip
    geometry = geometry_of(indexing, "index", values)
    assert geometry is not None
    assert (geometry.counted, geometry.appended, geometry.mask_shape) == (counted, appended, mask)

"""Which integer dtypes the APIs of an adapter take as indices: those of its file, unless an API says others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.cases.wire import cast_indices
from conformance.specification.adapter_files import check_adapter
from conformance.specification.applied import Applied
from conformance.specification.literals import tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Call
from conformance.worker.adapters import AdapterError, load

APIS = """
from conformance.adapter import api


@api("mine.usual", operation="index_select")
def usual(input, dim, index):
    return input


@api("mine.other", operation="index_select", index_dtypes=["int32", "uint8"])
def other(input, dim, index):
    return input


@api("mine.any", operation="index_select", index_dtypes=())
def any_dtype(input, dim, index):
    return input
"""


def adapter(folder: Path, text: str) -> Path:
    path = folder / "mine.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("line", "usual"), [('INDEX_DTYPES = ("int64", "int32")', ("int64", "int32")), ("", ())])
def test_an_api_that_names_none_takes_those_of_its_file(tmp_path: Path, line: str, usual: tuple[str, ...]) -> None:
    apis = load(str(adapter(tmp_path, f"{line}\n{APIS}"))).apis
    taken = {api.name: api.index_dtypes for api in apis}
    assert taken == {"mine.usual": usual, "mine.other": ("int32", "uint8"), "mine.any": ()}


def test_they_may_stand_behind_the_apis(tmp_path: Path) -> None:
    apis = load(str(adapter(tmp_path, f"{APIS}\nINDEX_DTYPES = ['int16']\n"))).apis
    assert apis[0].index_dtypes == ("int16",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('("int64", "int46")', "INDEX_DTYPES has 'int46'; allowed: int8, int16, int32, int64, uint8, "),
        ('("float32",)', "INDEX_DTYPES has 'float32'; allowed: int8, "),
        ('"int64"', "INDEX_DTYPES is 'int64'; expected a tuple of integer dtypes, such as ('int64', 'int32')"),
        ("64", "INDEX_DTYPES is 64; expected a tuple of integer dtypes, such as ('int64', 'int32')"),
        ("None", "INDEX_DTYPES is None; expected a tuple of integer dtypes"),
    ],
)
def test_a_wrong_list_is_told_with_the_file_what_it_has_and_what_is_allowed(
    tmp_path: Path, value: str, message: str
) -> None:
    path = adapter(tmp_path, f"INDEX_DTYPES = {value}\n{APIS}")
    with pytest.raises(AdapterError, match=re.escape(f"{path}: {message}")):
        load(str(path))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('("int64", "int46")', "INDEX_DTYPES: undefined dtype 'int46'; did you mean 'int16'?"),
        ('"int64"', "INDEX_DTYPES is a list; write INDEX_DTYPES = ('int64',)"),
    ],
)
def test_check_shows_the_line_of_a_wrong_list_without_importing_the_framework(
    tmp_path: Path, value: str, message: str
) -> None:
    [problem] = check_adapter(
        adapter(tmp_path, f"import no_such_framework\nINDEX_DTYPES = {value}\n{APIS}"), load_specs()
    )
    assert problem.location.line == 2
    assert problem.message.startswith(message.partition(";")[0])


def test_a_mask_of_integers_is_not_cast_to_a_dtype_of_indices() -> None:
    operations = load_specs().operations
    data, elements = tensor("float32", [1, 2]), tensor("int32", [1, 0])
    masked = Applied(operations["masked_select"], Call({"input": data, "mask": elements}))
    assert cast_indices(masked, ["int64"]) == (masked, {})
    taken = Applied(operations["take"], Call({"input": data, "index": elements}))
    assert cast_indices(taken, ["int64"])[1] == {"index": "int64"}

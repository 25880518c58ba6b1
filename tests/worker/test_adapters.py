"""How a worker imports the file of an adapter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.worker import adapters

ADAPTER = """
from conformance.adapter import api

@api("library.gather", operation="gather_elements")
def gather(input, dim, index):
    return "{letter}"
"""


def test_an_edit_in_the_same_second_that_keeps_the_size_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "adapter.py"
    answers = []
    for letter in "ab":
        path.write_text(ADAPTER.format(letter=letter))
        os.utime(path, (1_000_000_000, 1_000_000_000))
        [api] = adapters.load(str(path)).apis
        answers.append(api.function(None, None, None))
    assert answers == ["a", "b"]


def test_a_file_that_is_no_python_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "adapter.txt"
    path.write_text("")
    with pytest.raises(adapters.AdapterError, match=r"adapter\.txt: not a Python file; expected a name ending in \.py"):
        adapters.load(str(path))


NAMES_FLOAT8 = """
def describe():
    return {"dtypes": ["float8_e5m2"]}

def to_native(array, dtype):
    return array, dtype
"""


def test_only_an_adapter_that_names_float8_is_given_its_bits(tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER + NAMES_FLOAT8)
    adapter = adapters.load(str(path))
    bits = np.zeros(1, np.uint8)
    assert adapter.to_native(bits, "float8_e5m2") == (bits, "float8_e5m2")
    with pytest.raises(TypeError, match="does not name float8_e4m3fn"):
        adapter.to_native(bits, "float8_e4m3fn")
    path.write_text(ADAPTER + NAMES_FLOAT8.replace("describe", "other"))
    unaware = adapters.load(str(path))
    with pytest.raises(TypeError, match="does not name float8_e5m2"):
        unaware.to_native(bits, "float8_e5m2")
    assert unaware.to_native(bits, "uint8") == (bits, "uint8")

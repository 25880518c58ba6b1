"""How a worker imports the file of an adapter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

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

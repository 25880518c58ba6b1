"""An error counts for an adapter function only if the API under test raised it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.worker import adapters, calls
from conformance.worker.raiser import COMPILED, OWN_CODE

ADAPTER = """
from types import SimpleNamespace
import numpy as np
from conformance.adapter import api

def fails(*arguments):
    raise ValueError("no")

lib = SimpleNamespace(gather=fails, slice=fails, identity=lambda x: x, ones=np.ones)

class Array:
    @property
    def at(self):
        return self
    def __getitem__(self, key):
        raise IndexError("outside")
    def set(self, value):
        raise ValueError("no")

def helper(index):
    positions = [index]
    positions[1] = index
    return positions

def run(operation, *arguments):
    return operation(*arguments)

@api("lib.gather", operation="helper_raises", composed=True)
def helper_raises(input):
    return lib.gather(lib.slice(input, [0]), lib.identity(input))

@api("lib.gather(mode='clip')", operation="api_raises", composed=True)
def api_raises(input):
    return lib.gather(
        lib.identity(input),
    )

@api("lib.gather", operation="own_code", composed=True)
def own_code(input):
    return lib.gather(input, helper(input))

@api("lib.gather", operation="passed", composed=True)
def passed(input):
    return run(lib.gather, input)

@api("lib.gather", operation="made_before", composed=True)
def made_before(input):
    zeros = lib.ones("shape")
    return run(lib.gather, zeros)

@api("lib.gather", operation="not_composed")
def not_composed(input):
    return lib.slice(input)

@api("lib.gather", operation="needs_more")
def needs_more(input, index):
    return lib.gather(input, index)

@api("lib.Array.__getitem__", operation="item", composed=True)
def item(input):
    array = Array()
    return array[input]

@api("lib.Array.__getitem__", operation="item_of_a_list", composed=True)
def item_of_a_list(input):
    items = [Array()]
    return items[1][input]

@api("lib.Array.set", operation="method", composed=True)
def method(input):
    return (
        Array().at
        .set(lib.identity(input))
    )

@api("lib.Array.at", operation="method_by_name", composed=True)
def method_by_name(input):
    return getattr(Array().at, "set")(lib.identity(input))

@api("lib.Array.at", operation="before_method_by_name", composed=True)
def before_method_by_name(input):
    return getattr(Array().at, "set")(lib.slice(input))

@api("lib.gather", operation="last", composed=True)
def last(input):
    return lib.gather(lib.identity(input))

@api("lib.gather", operation="last_in_place", composed=True)
def last_in_place(input):
    copy = lib.identity(input)
    lib.gather(copy)
    return copy

@api("lib.gather", operation="not_last", composed=True)
def not_last(input):
    return lib.identity(lib.gather(input))

@api("lib.Array.__getitem__", operation="last_item", composed=True)
def last_item(input):
    return lib.identity(input)[0]

@api("lib.scatter", operation="unnamed", composed=True)
def unnamed(input):
    return lib.slice(input)
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tracebacks have no columns")
@pytest.mark.parametrize(
    ("operation", "by"),
    [
        ("helper_raises", "lib.slice"),
        ("api_raises", None),
        ("own_code", OWN_CODE),
        ("passed", None),
        ("made_before", "lib.ones"),
        ("not_composed", None),
        ("needs_more", OWN_CODE),
        ("item", None),
        ("item_of_a_list", OWN_CODE),
        ("method", None),
        ("method_by_name", None),
        ("before_method_by_name", "lib.slice"),
        ("unnamed", None),
    ],
)
def test_what_raised_is_the_api_or_another_part_of_the_function(tmp_path: Path, operation: str, by: str | None) -> None:
    (tmp_path / "lib.py").write_text(ADAPTER, encoding="utf-8")
    adapter = adapters.load(str(tmp_path / "lib.py"))
    [api] = [one for one in adapter.apis if one.operation == operation]
    outcome, _ = calls.run(adapter, api, {"input": (np.ones(2), "float64")})
    assert outcome["error"].get("by") == by


LAZY = """

def prepare(function, mode):
    if mode == "lazy":
        def graph(**tensors):
            raise IndexError("found when it runs")
        return graph
    return function
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tracebacks have no columns")
@pytest.mark.parametrize(
    ("operation", "by"),
    [("last", None), ("last_in_place", None), ("last_item", None), ("not_last", COMPILED), ("helper_raises", None)],
)
def test_what_a_graph_raises_when_it_runs_counts_for_the_api_that_is_called_last(
    tmp_path: Path, operation: str, by: str | None
) -> None:
    (tmp_path / "lib.py").write_text(ADAPTER + LAZY, encoding="utf-8")
    adapter = adapters.load(str(tmp_path / "lib.py"), "lazy")
    [api] = [one for one in adapter.apis if one.operation == operation]
    outcome, _ = calls.run(adapter, api, {"input": (np.ones(2), "float64")})
    assert outcome["error"].get("by") == by

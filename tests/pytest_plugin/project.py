"""A user's project in a folder: an adapter that fails in every way, its known divergences, specs, a test and settings."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.execution.harness import FAKES

ADAPTER = """
import os
import time

import numpy as np

from conformance.adapter import Unsupported, api


def describe():
    return {"framework": "fakeframe", "version": "2.1"}


def _gather(input, dim, index):
    if index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    return np.take_along_axis(input, index, dim)


@api("fake.right", operation="gather_elements")
def right(input, dim, index):
    return _gather(input, dim, index)


@api("fake.wrong", operation="gather_elements", follows="fake.mutate")
def wrong(input, dim, index):
    return _gather(input, dim, index) + (13 in input)


@api("fake.known", operation="gather_elements", follows="fake.mutate")
def known(input, dim, index):
    return _gather(input, dim, index) + (13 in input)


@api("fake.dies", operation="gather_elements")
def dies(input, dim, index):
    if 13 in input:
        os.abort()
    return _gather(input, dim, index)


@api("fake.hangs", operation="gather_elements")
def hangs(input, dim, index):
    if 13 in input:
        time.sleep(3600)
    return _gather(input, dim, index)


@api("fake.lacks", operation="gather_elements")
def lacks(input, dim, index):
    raise Unsupported("no such form") if 13 in input else NotImplementedError
"""
KNOWN = """
divergences:
  adds-one:
    cases: gather_elements.example.unlucky/*
    api: fake.known
    kind: value
    reason: It adds one. We know.
    link: https://example.org/issues/1
"""
TEST = """
def test_of_the_project():
    pass
"""
SETTINGS = """
[tool.conformance]
specs = "specs"
"""


def write_project(folder: Path) -> None:
    """Five files, two of them specs of one operation, so that a run takes a moment."""
    (folder / "adapter.py").write_text(ADAPTER)
    (folder / "divergences.yaml").write_text(KNOWN)
    (folder / "test_own.py").write_text(TEST)
    (folder / "pyproject.toml").write_text(SETTINGS)
    shutil.copytree(FAKES / "specs", folder / "specs")

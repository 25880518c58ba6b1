"""Tests on a real scheduler need the extra."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

collect_ignore = [] if find_spec("distributed") else ["test_on_dask.py"]


@pytest.fixture(autouse=True, scope="module")
def environment() -> Iterator[None]:
    """The variables of this process after a module are those before it: Dask sets numbers of threads for workers that it starts."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)

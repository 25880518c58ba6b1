"""Tests on a real scheduler need the extra."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("distributed") else ["test_on_dask.py"]

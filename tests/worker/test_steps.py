"""Which step of a path does what a call does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conformance.worker import adapters, steps
from conformance.worker.manner import PLAIN

ADAPTER = """
from conformance.adapter import api

def describe():
    return {{"framework": "fake", "version": "1.0", "immutable": {immutable}}}

def prepare(function, mode):
    return lambda **tensors: function(**tensors).copy()

@api("fake.gather", operation="gather_nd")
def gather(params, indices):
    return params
"""


@pytest.mark.parametrize(("immutable", "step"), [(True, "framework"), (False, "exporter")])
def test_sharing_memory_is_an_effect_unless_tensors_are_immutable(tmp_path: Path, immutable: bool, step: str) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER.format(immutable=immutable), encoding="utf-8")
    adapter = adapters.load(str(path), "export")
    arguments = {"params": (np.zeros(2), "float64"), "indices": (np.zeros((1, 1), "int64"), "int64")}
    assert steps.step(adapter, adapter.apis[0], arguments, PLAIN) == step

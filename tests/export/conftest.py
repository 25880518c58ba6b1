"""Tests of what is written with the package onnx need the extra."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = (
    [] if find_spec("onnx") else ["test_backend_tests.py", "test_command.py", "test_node_tests.py", "test_onnx_run.py"]
)

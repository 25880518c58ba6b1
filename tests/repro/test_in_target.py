"""What a target's interpreter tells of a script's variables and errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.repro.in_target import shows


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("tensor([1.0000, 2.5000])", [1.0, 2.5]),
        ("<tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 3., -0.5], dtype=float32)>", [3.0, -0.5]),
        ("tensor([0, 1, 2,  ..., 7, 8, 9])", [0, 1, 2, 3]),
        ("array([ True, False])", [True, False]),
        ("tensor([nan, inf])", [np.nan, np.inf]),
        ("array([0.33333334])", [1 / 3]),
        ("tensor([], size=(0, 2))", []),
    ],
)
def test_a_representation_with_the_elements_shows_them(text: str, elements: list[Any]) -> None:
    assert shows(text, np.array(elements))


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("<Tensor <UOp PYTHON (2, 2) long> on PYTHON with grad None>", [[7, 8], [9, 10]]),
        ("<frame.Tensor object at 0x7f00>", [0.5]),
        ("<Tensor of bool>", [True]),
        ("<Tensor (3,)>", [float("nan")]),
    ],
)
def test_a_representation_with_nothing_but_type_and_shape_shows_none(text: str, elements: list[Any]) -> None:
    assert not shows(text, np.array(elements))


def test_an_error_of_a_script_is_printed_as_where_it_runs_by_itself(tmp_path: Path) -> None:
    program = Path(__file__).parent.parent.parent / "conformance" / "repro" / "in_target.py"
    script, request = tmp_path / "repro.py", tmp_path / "request.json"
    script.write_text("def call():\n    raise RuntimeError('no usable device')\n\n\nprint('before')\ncall()\n")
    request.write_text(json.dumps({"do": "run", "script": str(script), "reply": str(tmp_path / "reply.json")}))
    done = subprocess.run([sys.executable, program, request], capture_output=True, text=True, check=False)
    alone = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == alone.returncode == 1
    assert done.stdout == "before\n"
    assert done.stderr == alone.stderr
    assert "runpy" not in done.stderr

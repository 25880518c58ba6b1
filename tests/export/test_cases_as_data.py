"""Cases as JSON and npz: what a program in another language reads, and tests that need NumPy and pytest alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variation import InProgram, Passed, Transformed
from conformance.data_folders import adapters_folder
from conformance.export.case_lines import write_cases
from conformance.export.index import Reason
from conformance.judging.asking import CONTRADICTED
from conformance.specification.loader import load_specs
from conformance.specification.model import Observed, Raises
from tests.cli.command import REPOSITORY, conformance

OWN = """
import numpy as np


def gather_nd(params, indices):
    if indices.dtype.kind != "i":
        raise TypeError("indices")
    {before}
    if not indices.ndim or indices.shape[-1] > params.ndim:
        raise ValueError("indices")
    depth = indices.shape[-1]
    if indices.size and ((indices < 0) | (indices >= params.shape[:depth])).any():
        raise IndexError("indices")
    if not depth:
        return np.broadcast_to(params, indices.shape[:-1] + params.shape).copy()
    return params[tuple(np.moveaxis(indices, -1, 0))]
"""


BY_VARIATION: dict[Reason, Any] = {"passed": Passed, "program": InProgram, "transform": Transformed}
"""The reasons of all cases of a kind of variation."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return build_cases(load_specs(None), load_reference(adapters_folder() / "reference" / "adapter.py", None))


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text().splitlines()[1:]]


def test_what_is_read_back_is_what_the_cases_say(cases: list[Case], tmp_path: Path) -> None:
    written = write_cases(tmp_path, cases, "1", "digest")
    tensors, by_id = np.load(tmp_path / "tensors.npz"), {case.id: case for case in cases}
    read = lines(tmp_path)
    assert len(read) == written.cases == len(cases) - written.left_out.total() > 1000
    for line in read:
        case, expected = by_id[str(line["case"])], line["expected"]
        assert isinstance(expected, dict)
        if "observed" in expected:
            is_contradicted = not isinstance(case.expectation, Observed)
            assert not is_contradicted or (bool(line.get("outside")) and expected["observed"] == CONTRADICTED)
        elif isinstance(case.expectation, Returning):
            stored = tensors[expected["returns"]["tensor"]]
            assert stored.tobytes() == np.ascontiguousarray(case.expectation.value.array).tobytes()
            assert expected["returns"]["dtype"] == case.expectation.value.dtype
        elif isinstance(case.expectation, Raises):
            assert expected["raises"] == case.expectation.error
            assert (expected["control"] is None) == (case.control is None)
        else:
            pytest.fail(f"{case.id}: {expected}")


def test_two_exports_are_equal_byte_by_byte(cases: list[Case], tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_cases(tmp_path / name, cases[:300], "1", "digest")
    for name in ("cases.jsonl", "tensors.npz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_what_a_file_cannot_say_is_left_out_and_counted(cases: list[Case], tmp_path: Path) -> None:
    left_out = write_cases(tmp_path, cases, "1", "digest").left_out
    assert set(left_out) == {"view", "relation", "device", "api", "python", *BY_VARIATION}
    assert left_out["relation"] == sum(case.clause.relation is not None for case in cases)
    for reason, kind in BY_VARIATION.items():
        of_kind = [case for case in cases if isinstance(case.variation, kind)]
        assert left_out[reason] == len(of_kind)


def standalone(folder: Path, module: str) -> str:
    """What `pytest exported` prints in a folder, in a process that does not find the suite."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; sys.modules['conformance'] = None; "
         "import pytest; pytest.main(['-q', '-p', 'no:cacheprovider', 'exported'])"],
        cwd=folder, env={**os.environ, "CONFORMANCE_MODULE": module, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout


def counts_of_tests(folder: Path, code: str, *words: str) -> dict[str, int]:
    """The counts of pytest for functions of ours on some cases."""
    conformance("export", "pytest", folder / "exported", *words, cwd=folder)
    (folder / "mine.py").write_text(code)
    last = standalone(folder, "mine").splitlines()[-1]
    return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped)", last)}


def test_a_right_function_passes_the_tests_and_one_that_swaps_the_columns_of_indices_does_not(tmp_path: Path) -> None:
    (tmp_path / "right").mkdir()
    words = ("--operation", "gather_nd")
    right = counts_of_tests(tmp_path / "right", OWN.format(before=""), *words)
    assert "failed" not in right
    assert right["passed"] > 100
    (tmp_path / "swaps").mkdir()
    swaps = OWN.format(before="indices = indices[..., ::-1]")
    assert counts_of_tests(tmp_path / "swaps", swaps, *words)["failed"] > 1


def test_a_module_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    conformance("export", "pytest", tmp_path / "exported", "--operation", "gather_nd", cwd=tmp_path)
    printed = standalone(tmp_path, "not_there")
    assert "No module named 'not_there'" in printed
    assert printed.splitlines()[-1].startswith("1 error")


SIGNED = """
import numpy as np


def gather_elements(input, dim, index):
    if index.dtype.kind != "i":
        raise TypeError("index")
    if index.size and (index.min() < 0 or index.max() >= input.shape[dim]):
        raise IndexError("index")
    return np.take_along_axis(input, index, dim)
"""


def test_a_function_that_does_not_take_a_dtype_that_need_not_be_taken_is_not_wrong(tmp_path: Path) -> None:
    words = ("--operation", "gather_elements", "-k", "index-range and largest")
    counts = counts_of_tests(tmp_path, SIGNED, *words)
    assert "failed" not in counts
    assert counts["passed"] >= 3  # of signed indices
    assert counts["skipped"] >= 3  # the calls without the violation are refused, so that the others prove nothing


def test_the_reader_in_the_documentation_finds_its_function_right(tmp_path: Path) -> None:
    [code] = re.findall(r"```cpp\n(.*?)```", (REPOSITORY / "docs" / "export.md").read_text(), re.DOTALL)
    for name, text in (("right", code), ("wrong", code.replace("picked >= input", "picked > input"))):
        (tmp_path / f"{name}.cpp").write_text(text)
        subprocess.run(["g++", "-std=c++17", "-Wall", "-Werror", f"{name}.cpp", "-o", name], cwd=tmp_path, check=True)
    conformance("export", "cases", tmp_path / "exported", "--operation", "gather_elements", cwd=tmp_path)
    counts = {}
    for name in ("right", "wrong"):
        done = subprocess.run([f"./{name}", "exported"], cwd=tmp_path, capture_output=True, text=True, check=True)
        counts[name] = re.findall(r"(\d+) of (\d+) cases", done.stdout)[0]
    right, total = counts["right"]
    assert right == total
    assert int(total) > 300
    assert int(counts["wrong"][0]) < int(total)

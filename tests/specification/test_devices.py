"""What documents say of CPUs and GPUs apart: one call, an expectation for each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.specification.loader import load_specs
from conformance.specification.model import Observed, Raises
from conformance.specification.problems import SpecError
from tests.execution.harness import FAKES

BEHAVIOUR = """
behaviours:
  outside:
    states: An index outside is an error on a CPU; on a GPU it gives a zero.
    cite: {fake.gather: [example.3]}
    cases:
      at-the-size:
        call: {input: {int32: [1, 2, 3]}, dim: 0, index: {int64: [3, 0]}}
        on: {cpu: {raises: true}, gpu: {returns: [0, 1]}}
        fix: {index: {int64: [2, 0]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FAKES / "specs", tmp_path / "specs")
    return tmp_path / "specs"


def _cases(folder: Path, text: str) -> dict[str, Case]:
    path = folder / "gather_elements.yaml"
    path.write_text(path.read_text() + text)
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    return {case.id: case for case in build_cases(load_specs(folder), reference) if "behaviour" in case.id}


def test_each_device_has_a_case_with_its_own_expectation(folder: Path) -> None:
    cases = _cases(folder, BEHAVIOUR)
    on_cpu = cases["gather_elements.behaviour.outside/at-the-size.cpu"]
    on_gpu = cases["gather_elements.behaviour.outside/at-the-size.gpu"]
    assert len(cases) == 2
    assert (on_cpu.device, on_cpu.expectation) == ("cpu", Raises())
    assert on_gpu.device == "gpu"
    assert isinstance(on_gpu.expectation, Returning)
    assert on_gpu.expectation.value.array.tolist() == [0, 1]


def test_only_the_case_that_should_raise_has_a_control(folder: Path) -> None:
    cases = _cases(folder, BEHAVIOUR)
    assert {case.device: case.control is not None for case in cases.values()} == {"cpu": True, "gpu": False}


def test_a_case_may_be_for_one_device_alone(folder: Path) -> None:
    text = BEHAVIOUR.replace("{cpu: {raises: true}, gpu: {returns: [0, 1]}}", "{gpu: {observed: nobody says}}")
    [case] = _cases(folder, text).values()
    assert (case.device, case.expectation) == ("gpu", Observed("nobody says"))


def test_a_case_without_devices_is_for_all_of_them(folder: Path) -> None:
    text = BEHAVIOUR.replace("on: {cpu: {raises: true}, gpu: {returns: [0, 1]}}", "raises: true")
    [case] = _cases(folder, text).values()
    assert (case.id, case.device) == ("gather_elements.behaviour.outside/at-the-size", None)


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("gpu: {returns: [0, 1]}", "gpu: {}", "on.gpu: needs returns, raises or observed"),
        ("gpu: {returns", "tpu: {returns", "expected 'cpu' or 'gpu'; found 'tpu'"),
        ("gpu: {returns: [0, 1]}", "gpu: {returns: [0, 1], raises: true}", "on.gpu: has returns and raises"),
        (
            "        on:",
            "        returns: [0, 1]\n        on:",
            "has on and returns; put the expectation of each device under on",
        ),
        ("        on:", "        digits: 4\n        on:", "has on and digits"),
        ("        fix: {index: {int64: [2, 0]}}\n", "", "has no control"),
    ],
)
def test_a_mistake_about_devices_is_told(folder: Path, found: str, replacement: str, said: str) -> None:
    assert found in BEHAVIOUR
    with pytest.raises(SpecError) as caught:
        _cases(folder, BEHAVIOUR.replace(found, replacement))
    assert said in str(caught.value)

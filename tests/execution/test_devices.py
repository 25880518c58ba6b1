"""A case for one kind of device runs on targets of that kind alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.data_folders import adapters_folder
from conformance.execution.plan import Interpreters, Job, Plan, jobs
from conformance.execution.runner import run
from conformance.results.file import FILE_NAME, read_results
from conformance.results.records import RunRecord
from conformance.specification.vocabulary import Device
from tests.execution.harness import WRONG_ADAPTERS, fake_cases, job, job_of
from tests.execution.in_process import in_process

DEVICES: tuple[Device | None, ...] = (None, "cpu", "gpu")


def _ran(folder: Path, made: Job) -> set[str]:
    [case] = [case for case in fake_cases() if case.id.endswith("example.lucky/as-printed")]
    cases = [replace(case, id=f"{case.id}.{device}", entry=replace(case.entry, device=device)) for device in DEVICES]
    run(
        Plan(RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0"), [made], cases, 30.0, 1),
        folder / FILE_NAME,
        [],
        in_process,
    )
    return {result.case.rpartition(".")[2] for result in read_results(folder).results}


def test_on_a_cpu_the_cases_for_a_gpu_are_left_out(tmp_path: Path) -> None:
    assert _ran(tmp_path, job(WRONG_ADAPTERS / "misbehaving.py")) == {"None", "cpu"}


def test_on_a_gpu_the_cases_for_a_cpu_are_left_out(tmp_path: Path) -> None:
    on_cpu = job(WRONG_ADAPTERS / "misbehaving.py")
    assert _ran(tmp_path, job_of(replace(on_cpu.target, gpu=True))) == {"None", "gpu"}


@pytest.mark.parametrize("gpu", [True, False])
def test_which_devices_are_gpus_is_said_by_target_toml(tmp_path: Path, gpu: bool) -> None:
    (tmp_path / "mine.py").write_text((adapters_folder() / "reference" / "adapter.py").read_text())
    text = (adapters_folder() / "reference" / "target.toml").read_text()
    (tmp_path / "target.toml").write_text(text.replace("cpu = {gpu = false}", f"fast = {{gpu = {str(gpu).lower()}}}"))
    [made] = jobs([str(tmp_path / "mine.py")], Interpreters(here=True))
    assert made.target.device == "fast"
    assert made.target.gpu is gpu

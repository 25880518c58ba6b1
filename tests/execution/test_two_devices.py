"""A fake framework with a CPU, a GPU whose checks lose it for the process, and an NPU, in place of real devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.model import Case
from conformance.environments.errors import TargetError
from conformance.execution.plan import Interpreters, Plan, jobs
from conformance.execution.runner import run
from conformance.outcomes.model import Raised, error_of
from conformance.results.exit_status import exit_status
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ControlRecord, ResultRecord, RunRecord
from conformance.specification.model import Observed
from conformance.specification.vocabulary import Device
from tests.execution.harness import FAKES, fake_cases

ADAPTER = FAKES / "devices" / "two_devices.py"


def fake_case(name: str) -> Case:
    [case] = [case for case in fake_cases() if case.id.endswith(f"example.{name}/as-printed")]
    return case


def observed(name: str, number: int = 0) -> Case:
    """The call of a case about which the documents say nothing: it has no valid control."""
    case = fake_case(name)
    return replace(case, id=f"{case.id}.{number}", control=None, expectation=Observed("nothing is documented"))


def for_device(case: Case, name: str, device: Device) -> Case:
    return replace(case, id=name, entry=replace(case.entry, device=device))


def ran(folder: Path, device: str, cases: Sequence[Case]) -> Results:
    folder.mkdir(exist_ok=True)
    target_jobs = jobs([f"{ADAPTER}@{device}"], Interpreters(here=True))
    run(
        Plan(RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0"), target_jobs, cases, 30.0, 1),
        folder / FILE_NAME,
        [],
    )
    return read_results(folder)


def by_case(results: Results, api: str) -> dict[str, ResultRecord]:
    return {one.case.partition(".example.")[2]: one for one in results.results if one.api == api}


def is_lost(result: ResultRecord) -> bool:
    return isinstance(result.outcome, Raised) and result.outcome.lost


def message(result: ResultRecord) -> str | None:
    error = error_of(result.outcome)
    return error.message if error else None


def test_each_device_is_held_to_what_documents_say_of_its_kind(tmp_path: Path) -> None:
    outside = fake_case("outside")
    on_cpu = for_device(outside, f"{outside.id}.cpu", "cpu")
    on_gpu = for_device(fake_case("lucky"), f"{outside.id}.gpu", "gpu")
    ids = {
        device: [
            one.case for one in ran(tmp_path / device, device, [on_cpu, on_gpu]).results if one.api == "two.gather"
        ]
        for device in ("cpu", "cuda", "npu")
    }
    assert ids == {"cpu": [on_cpu.id], "cuda": [on_gpu.id], "npu": []}


def test_a_device_is_recorded_with_whether_documents_mean_it_by_gpu(tmp_path: Path) -> None:
    [target] = ran(tmp_path, "cuda:0", [fake_case("lucky")]).targets
    assert (target.id, target.device, target.gpu) == (f"{ADAPTER}@cuda:0", "cuda:0", True)


def test_an_absent_device_blocks_its_target_with_the_adapters_sentence_alone(tmp_path: Path) -> None:
    results = ran(tmp_path, "cuda:7", [fake_case("lucky")])
    [target] = results.targets
    assert target.blocked == "there is no device 'cuda:7'; there are cpu, cuda, cuda:0, npu"
    assert exit_status(results, "own") == 6


def test_a_kind_of_device_that_target_toml_lacks_is_refused_before_anything_is_started() -> None:
    with pytest.raises(TargetError, match=r"has no device 'tpu' \(available: cpu, cuda, npu\); did you mean 'npu'\?"):
        jobs([f"{ADAPTER}@tpu"], Interpreters(here=True))


def test_a_check_that_loses_the_gpu_is_reported_and_costs_the_next_case_nothing(tmp_path: Path) -> None:
    again = replace(fake_case("outside"), id="gather_elements.example.outside/again")
    found = by_case(ran(tmp_path, "cuda", [fake_case("outside"), again, fake_case("lucky")]), "two.asserts")
    assert {name: (one.verdict, one.divergence) for name, one in found.items()} == {
        "lucky/as-printed": ("conforms", []),
        "outside/as-printed": ("diverges", ["contaminated"]),
        "outside/again": ("diverges", ["contaminated"]),
    }
    assert found["outside/again"].control == ControlRecord("returned", "raised")
    assert found["outside/again"].explanation == (
        "after this error the device cannot be used in the process any more: the control raised too"
    )


def test_a_gpu_that_an_observed_call_lost_is_back_for_the_next_one(tmp_path: Path) -> None:
    found = by_case(
        ran(tmp_path, "cuda", [observed("outside"), observed("lucky"), observed("outside", 1)]), "two.asserts"
    )
    assert {name: (one.outcome.status, is_lost(one)) for name, one in found.items()} == {
        "outside/as-printed.0": ("raised", True),
        "lucky/as-printed.0": ("returned", False),
        "outside/as-printed.1": ("raised", True),
    }
    assert message(found["outside/as-printed.1"]) == "device-side assert"


def test_a_gpu_that_one_api_lost_is_back_for_the_next_api_on_the_same_case(tmp_path: Path) -> None:
    results = ran(tmp_path, "cuda", [observed("outside")])
    for api in ("two.asserts", "two.asserts-too"):
        [found] = by_case(results, api).values()
        assert message(found) == "device-side assert"


def test_an_error_on_a_cpu_loses_nothing(tmp_path: Path) -> None:
    found = by_case(ran(tmp_path, "cpu", [fake_case("outside"), observed("outside")]), "two.asserts")
    assert found["outside/as-printed"].verdict == "conforms"
    assert not is_lost(found["outside/as-printed.0"])

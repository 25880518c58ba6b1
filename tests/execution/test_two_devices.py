"""A fake framework with a CPU, a GPU whose checks lose it for the process, and an NPU, in place of real devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.model import Case
from conformance.execution.preparing import Interpreters, jobs
from conformance.execution.runner import Plan, run
from conformance.results.exit_status import exit_status
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.specification.model import Observed
from conformance.targets.errors import TargetError
from tests.execution.harness import FAKES, fake_cases

ADAPTER = FAKES / "devices" / "two_devices.py"


def fake_case(name: str) -> Case:
    [case] = [case for case in fake_cases() if case.id.endswith(f"example.{name}/as-printed")]
    return case


def observed(name: str, number: int = 0) -> Case:
    """The call of a case about which the documents say nothing: it has no valid control."""
    case = fake_case(name)
    return replace(case, id=f"{case.id}.{number}", expectation=Observed("nothing is documented"), control=None)


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


def test_each_device_is_held_to_what_documents_say_of_its_kind(tmp_path: Path) -> None:
    outside = fake_case("outside")
    on_cpu = replace(outside, id=f"{outside.id}.cpu", device="cpu")
    on_gpu = replace(fake_case("lucky"), id=f"{outside.id}.gpu", device="gpu")
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
    with pytest.raises(TargetError, match=r"has no device 'tpu'; did you mean 'npu'\? .* lists cpu, cuda, npu"):
        jobs([f"{ADAPTER}@tpu"], Interpreters(here=True))


def test_a_check_that_loses_the_gpu_is_reported_and_costs_the_next_case_nothing(tmp_path: Path) -> None:
    again = replace(fake_case("outside"), id="gather_elements.example.outside/again")
    found = by_case(ran(tmp_path, "cuda", [fake_case("outside"), again, fake_case("lucky")]), "two.asserts")
    assert {name: (one.verdict, one.divergence) for name, one in found.items()} == {
        "lucky/as-printed": ("conforms", []),
        "outside/as-printed": ("diverges", ["contaminated"]),
        "outside/again": ("diverges", ["contaminated"]),
    }
    assert found["outside/again"].outcome["control"] == {"before": "returned", "after": "raised"}


def test_a_gpu_that_an_observed_call_lost_is_back_for_the_next_one(tmp_path: Path) -> None:
    found = by_case(
        ran(tmp_path, "cuda", [observed("outside"), observed("lucky"), observed("outside", 1)]), "two.asserts"
    )
    assert {name: (one.outcome["status"], one.outcome.get("lost")) for name, one in found.items()} == {
        "outside/as-printed.0": ("raised", True),
        "lucky/as-printed.0": ("returned", None),
        "outside/as-printed.1": ("raised", True),
    }
    assert found["outside/as-printed.1"].outcome["error"]["message"] == "device-side assert"


def test_a_gpu_that_one_api_lost_is_back_for_the_next_api_on_the_same_case(tmp_path: Path) -> None:
    results = ran(tmp_path, "cuda", [observed("outside")])
    for api in ("two.asserts", "two.asserts-too"):
        [found] = by_case(results, api).values()
        assert found.outcome["error"]["message"] == "device-side assert"


def test_an_error_on_a_cpu_loses_nothing(tmp_path: Path) -> None:
    found = by_case(ran(tmp_path, "cpu", [fake_case("outside"), observed("outside")]), "two.asserts")
    assert found["outside/as-printed"].verdict == "conforms"
    assert "lost" not in found["outside/as-printed.0"].outcome

"""An API without a kernel on the device is reported once, by what its calls did."""

from __future__ import annotations

from html import unescape

import pytest

from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.written import written_cases
from conformance.findings.extent import missing_kernels
from conformance.reports.summaries import summary_md
from conformance.results.file import Results
from conformance.results.variations import WrittenRecord
from tests.execution.harness import FAKES, fake_cases, run_adapters


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    cases = fake_cases([written_cases, dtype_cases])
    return run_adapters(tmp_path_factory.mktemp("run"), [FAKES / "other_devices.py"], cases=cases)


def test_errors_of_an_api_for_other_devices_are_unsupported_and_name_the_error(results: Results) -> None:
    of_api = [result for result in results.results if result.api == "fake.refuses"]
    assert {(result.verdict, result.explanation) for result in of_api} == {
        ("unsupported", "no kernel on cpu: RuntimeError: no such kernel")
    }


def test_what_returns_although_there_should_be_no_kernel_is_judged(results: Results) -> None:
    of_api = {result.case: result for result in results.results if result.api == "fake.computes"}
    assert of_api["gather_elements.example.lucky/as-printed"].divergence == ["value"]


@pytest.mark.parametrize("api", ["fake.refuses", "fake.compiles", "fake.computes"])
def test_only_written_cases_are_tried_without_a_kernel(results: Results, api: str) -> None:
    cases = {
        name: {result.case for result in results.results if result.api == name} for name in (api, "fake.everywhere")
    }
    written = {case.id for case in results.cases.values() if isinstance(case.variation, WrittenRecord)}
    assert cases[api] == written < cases["fake.everywhere"]


def test_the_summary_names_the_api_of_which_no_call_returned(results: Results) -> None:
    [target] = results.targets
    assert missing_kernels(results, target.id) == ["fake.refuses", "fake.compiles"]
    assert f"{target.id} has no kernel for fake.refuses, fake.compiles" in unescape(summary_md(results))


def test_the_mapping_says_which_devices_have_a_kernel(results: Results) -> None:
    assert {mapping.api: (mapping.devices, mapping.lacks_kernel) for mapping in results.mappings} == {
        "fake.everywhere": ([], False),
        "fake.refuses": (["npu"], True),
        "fake.interprets": (["npu", "cpu[eager]"], False),
        "fake.compiles": (["npu", "cpu[graph]"], True),
        "fake.computes": (["npu", "gpu"], True),
    }

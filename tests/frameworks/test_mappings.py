"""What the adapters of TensorFlow and MindSpore map: forms, and APIs without a kernel."""

from __future__ import annotations

import pytest

from conformance.findings.extent import missing_kernels
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.results.variations import WrittenRecord, transformation_of

pytestmark = pytest.mark.frameworks


def _of_api(results: Results, api: str) -> list[ResultRecord]:
    return [result for result in results.results if result.api == api]


def test_tensorflow_takes_lists_and_keyword_names_as_its_examples_write_them(results: Results) -> None:
    written = {
        case.id: case.clause
        for case in results.cases.values()
        if case.clause.startswith("tensor_scatter_nd_update.example.")
        and isinstance(case.variation, WrittenRecord)
        and any(one.document == "tf.tensor_scatter_nd_update" for one in results.clauses[case.clause].citations)
    }
    printed = [result for result in _of_api(results, "tf.tensor_scatter_nd_update(lists)") if result.case in written]
    assert {result.clause for result in printed} == set(written.values()) != set()
    assert {result.verdict for result in printed} == {"conforms"}


def test_indexing_in_torch_has_no_form_for_index_vectors_without_components(results: Results) -> None:
    by_case = [
        result
        for result in results.results
        if result.target.startswith("torch")
        and ".behaviour.empty-index-vectors/" in result.case
        and transformation_of(results.cases[result.case].variation) is None
    ]
    assert by_case != []
    assert {result.verdict for result in by_case} == {"unsupported"}
    assert all("an index without tensors selects the whole once" in str(result.explanation) for result in by_case)


def test_mindspore_has_no_kernel_on_a_cpu_for_any_api_that_is_declared_for_ascend(results: Results) -> None:
    [target] = [target for target in results.targets if target.framework == "mindspore"]
    declared = [mapping.api for mapping in results.mappings if mapping.devices == ["ascend"]]
    assert declared != []
    assert missing_kernels(results, target.id) == declared
    reasons = [result.explanation or "" for api in declared for result in _of_api(results, api)]
    assert sum(reason.startswith("no kernel on cpu: RuntimeError: The kernel ") for reason in reasons) >= len(declared)

"""What the adapters of TensorFlow and MindSpore map: forms, policies, and APIs without a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.findings.kernels import missing_kernels
from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

OUTSIDE = "scatter_nd.behaviour.index-outside/at-the-size.cpu"


def _run(folder: Path, *words: str) -> Results:
    done = conformance("run", *words, "--fail-on", "never", cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "conformance-report")


def _of_api(results: Results, api: str) -> list[ResultRecord]:
    return [result for result in results.results if result.api == api]


def test_tensorflow_takes_lists_and_keyword_names_as_its_examples_write_them(tmp_path: Path) -> None:
    results = _run(tmp_path, "tensorflow", "tensor_scatter_nd_update.example")
    examples = {case.clause for case in results.cases.values() if case.provenance == "written"}
    printed = [
        result
        for result in _of_api(results, "tf.tensor_scatter_nd_update(lists)")
        if results.cases[result.case].provenance == "written"
    ]
    assert {result.clause for result in printed} == examples
    assert {result.verdict for result in printed} == {"conforms"}


def test_only_the_policy_ignore_accepts_an_index_outside(tmp_path: Path) -> None:
    results = _run(tmp_path, "tensorflow", OUTSIDE)
    [ignored] = _of_api(results, "tf.scatter_nd(bad_indices_policy='IGNORE')")
    assert (ignored.divergence, ignored.behaviour, ignored.standing) == (["accepted"], "ignores", "portability")
    [refused] = _of_api(results, "tf.scatter_nd(bad_indices_policy='ERROR')")
    assert (refused.verdict, refused.outcome.status) == ("conforms", "raised")


def test_what_unbind_checks_is_not_said_of_item_assignment(tmp_path: Path) -> None:
    results = _run(tmp_path, "mindspore", "tensor_scatter_nd_update.rule.indices-rank", "-k", "break")
    by_case = _of_api(results, "mindspore.Tensor.__setitem__")
    assert {result.verdict for result in by_case} == {"unsupported"}
    assert all("mindspore.Tensor.unbind" in str(result.explanation) for result in by_case)


def test_mindspore_has_no_kernel_on_a_cpu_for_any_api_that_is_declared_for_ascend(tmp_path: Path) -> None:
    results = _run(tmp_path, "mindspore", "-k", "as-printed")
    [target] = results.targets
    declared = [mapping.api for mapping in results.mappings if mapping.devices == ["ascend"]]
    assert declared != []
    assert missing_kernels(results, target.id) == declared
    reasons = [result.explanation or "" for api in declared for result in _of_api(results, api)]
    assert sum(reason.startswith("no kernel on cpu: RuntimeError: The kernel ") for reason in reasons) >= len(declared)

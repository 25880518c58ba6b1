"""The whole command over the real frameworks, in environments that it makes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from conformance.results.exit_status import exit_status, fails
from conformance.results.file import Results, read_results
from conformance.results.variations import transformation_of
from tests.cli.command import conformance
from tests.findings.naive.records import Records
from tests.findings.naive.safety import false_safety
from tests.findings.safe import said_of
from tests.frameworks.conftest import FinishedRun

pytestmark = pytest.mark.frameworks

FRAMEWORKS = ("torch", "tensorflow", "mindspore")
PRINTED = {
    "tensor_scatter_nd_update": 8,
    "tensor_scatter_nd_add": 4,
    "tensor_scatter_nd_reduce": 7,
    "gather_nd": 9,
    "gather_elements": 12,
    "scatter_elements": 14,
    "scatter_nd": 4,
    "index_add": 2,
    "index_copy": 2,
    "index_fill": 1,
    "index_reduce": 2,
    "index_select": 5,
    "take": 4,
}
"""Worked examples of the documents, by operation."""


def test_the_run_is_complete_and_no_target_is_blocked(results: Results) -> None:
    assert results.complete
    assert [target.framework for target in results.targets if target.blocked is None] != []
    assert {target.framework: target.blocked for target in results.targets} == dict.fromkeys(("reference", *FRAMEWORKS))


def test_the_tested_defaults_were_installed_and_are_recorded(results: Results) -> None:
    versions = {target.framework: target.version or "" for target in results.targets}
    assert versions["torch"].split("+")[0] == "2.13.0"
    assert (versions["tensorflow"], versions["mindspore"]) == ("2.21.0", "2.10.0")
    numpy = {target.framework: target.numpy or "" for target in results.targets}
    assert numpy["mindspore"].startswith("1.")
    assert all(target.packages for target in results.targets)


def test_every_printed_example_has_a_result_on_every_api_of_its_operation(examples: Results) -> None:
    clauses = [
        clause
        for clause in examples.clauses.values()
        if any(re.fullmatch(r"example\.\d+", one.locator) for one in clause.citations) and clause.family == "example"
    ]
    printed = {name: sum(clause.operation == name for clause in clauses) for name in PRINTED}
    assert printed == PRINTED
    asked = {(one.clause, one.target, one.api) for one in examples.results}
    # Examples of other frameworks may break what only some APIs document, such as the rank of their index.
    of_target = {target.id: target.framework for target in examples.targets}
    assert {*of_target.values()} == {"reference", *FRAMEWORKS}
    of_document = {document.document: document.framework for document in examples.documents}
    for clause in clauses:
        frameworks = {of_document[one.document] for one in clause.citations}
        for mapping in examples.mappings:
            if mapping.operation == clause.operation and of_target[mapping.target] in frameworks:
                assert (clause.id, mapping.target, mapping.api) in asked


def test_every_operation_has_an_api_in_every_framework_that_has_one(results: Results) -> None:
    operations = {clause.operation for clause in results.clauses.values()}
    framework = {target.id: target.framework for target in results.targets}
    missing = {
        *((name, "dynamic_update_slice") for name in FRAMEWORKS),
        ("mindspore", "dynamic_slice"),
        ("torch", "dynamic_slice"),
        ("mindspore", "batched_gather_nd"),
        ("mindspore", "index_reduce"),
        ("mindspore", "put"),
        ("mindspore", "split_reduce"),
        ("mindspore", "take_into_view"),
        ("mindspore", "typed_gather"),
        ("mindspore", "take_into"),
        ("tensorflow", "advanced_index_get"),
        ("tensorflow", "advanced_index_set"),
        ("tensorflow", "index_fill"),
        ("tensorflow", "masked_fill"),
        ("tensorflow", "masked_scatter"),
        ("tensorflow", "put"),
        ("tensorflow", "diagonal_scatter"),
        ("tensorflow", "split_reduce"),
        ("tensorflow", "take_into_view"),
        ("tensorflow", "take_into"),
        ("torch", "batched_gather_nd"),
        ("torch", "batched_index_select"),
        ("torch", "tensor_scatter_nd_reduce"),
        ("torch", "typed_gather"),
        ("torch", "unsorted_segment_reduce"),
    }
    assert {(framework[one.target], one.operation) for one in results.mappings} >= {
        (name, operation) for name in FRAMEWORKS for operation in operations
    } - missing


@pytest.mark.parametrize(
    ("api", "document", "printed"),
    [
        ("tf.tensor_scatter_nd_update", "tf.tensor_scatter_nd_update", 4),
        ("tf.raw_ops.ScatterNd", "tf.raw_ops.ScatterNd", 2),
        ("torch.gather", "torch.gather", 5),
        ("torch.Tensor.scatter_", "torch.scatter", 5),
        ("torch.Tensor.scatter_add_", "torch.scatter_add", 2),
        ("torch.Tensor.scatter_reduce_", "torch.scatter_reduce", 2),
        ("mindspore.ops.scatter_nd", "mindspore.ops.scatter_nd", 2),
    ],
)
def test_the_documented_apis_give_their_own_printed_numbers(
    examples: Results, api: str, document: str, printed: int
) -> None:
    clauses = {
        clause.id
        for clause in examples.clauses.values()
        if clause.family == "example" and document in {citation.document for citation in clause.citations}
    }
    verdicts = [
        one.verdict
        for one in examples.results
        if one.api == api and one.clause in clauses and one.case.endswith("/as-printed")
    ]
    assert verdicts == ["conforms"] * printed


def test_a_view_of_its_arguments_changes_no_verdict(results: Results) -> None:
    # A result that depends on earlier calls, or changes from call to call, may be that of one of two equal calls only.
    varying = {(one.api, one.clause) for one in results.results if {"contaminated", "unstable"} & set(one.divergence)}
    # That an API changes its argument in all calls is said of one of them.
    arguments = {"input-changed", "aliased"}
    settled = [
        one
        for one in results.results
        if (one.api, one.clause) not in varying and not (one.divergence and set(one.divergence) <= arguments)
    ]
    verdicts = {(one.target, one.api, one.case): one.verdict for one in settled}
    views = [key for key in verdicts if re.search(r"\.(transposed|strided|offset|expanded)$", key[2])]
    assert len(views) > 500
    for target, api, case in views:
        origin = verdicts.get((target, api, case.rpartition(".")[0]))
        assert origin in (None, verdicts[target, api, case]), (target, api, case)


def test_what_diverges_from_its_own_document_dies_or_hangs_is_in_the_ledgers_which_are_up_to_date(
    results: Results,
) -> None:
    found = [one for one in results.results if fails(replace(one, known=None), "own")]
    assert [one.case for one in found if one.standing == "own"] != []
    assert [(one.api, one.case) for one in found if one.known is None] == []
    assert results.end is not None
    assert results.end.unexpected == []
    # A part of the cases shows what differs from what is recorded; what no longer happens, only --whole does.
    assert [count for count in results.end.pattern_counts if count.changed] == []
    without = [replace(one, known=None) for one in results.results]
    assert exit_status(replace(results, results=without), "own") == 1


def test_no_condition_called_safe_holds_a_call_that_one_side_raises_on(
    default_run: FinishedRun, results: Results
) -> None:
    said = [*said_of(results)]
    assert {each.operation for each in said} >= {"gather_elements", "advanced_index_get"}
    with (default_run.folder / "results/results.jsonl").open(encoding="utf-8") as lines:
        assert [*islice(false_safety(Records(lines), said), 5)] == []


def test_the_reference_conforms_throughout(results: Results) -> None:
    [reference] = [target.id for target in results.targets if target.framework == "reference"]
    of_reference = [one for one in results.results if one.target == reference]
    # The derivative and the batch of a call that raises, as it should, are blocked, whoever computes them.
    calls = [one for one in of_reference if transformation_of(results.cases[one.case].variation) is None]
    assert {one.verdict for one in calls} <= {"conforms", "observed"}
    assert {one.verdict for one in of_reference} <= {"conforms", "observed", "blocked"}


def test_a_second_run_makes_no_environment_and_needs_no_index(default_run: FinishedRun) -> None:
    folder = default_run.folder
    before = _environment_of_torch(folder)
    again = conformance("run", "torch", "-k", "insert-four-scalars", "--offline", "--fail-on", "never", cwd=folder)
    assert again.status == 0, again.err
    assert _environment_of_torch(folder) == before
    assert read_results(folder / "conformance-report").complete


def _environment_of_torch(folder: Path) -> dict[str, object]:
    """Without its size, since Python adds bytecode; other tests make other environments meanwhile."""
    environments = json.loads(conformance("env", "list", "--json", cwd=folder).out)
    [torch] = [one for one in environments if one["name"] == "torch-2.13.0-cpu"]
    return {name: value for name, value in torch.items() if name != "bytes"}


def test_a_version_that_no_index_has_blocks_its_target_alone(tmp_path: Path) -> None:
    done = conformance("run", "torch==2.13.99", "reference", "-k", "insert-four-scalars and as-printed", cwd=tmp_path)
    assert done.status == 6
    assert "2.13.99" in done.out
    assert {one.verdict for one in read_results(tmp_path / "conformance-report").results} == {"conforms"}

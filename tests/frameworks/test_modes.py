"""Execution modes of the real frameworks, each on a few cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from conformance.findings.disagreements import disagreements
from conformance.outcomes.model import NotExported, Returned
from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

EMPTY_INDEX = "gather_elements.behaviour.nothing-to-read/with-another-rank"
NEGATIVE_INDEX = "index_select.behaviour.index-outside/vector-minus-one.cpu"
OUTSIDE = "scatter_nd.behaviour.index-outside/at-the-size.cpu"
ADD_A_SCALAR = "scatter_elements.example.add-a-scalar/as-printed"
ADD_FOUR_SCALARS = "tensor_scatter_nd_add.example.four-scalars-onto-ones/as-printed"
SMALLEST_NUMBER = "tensor_scatter_nd_update.behaviour.updates-replace/infinities-and-the-smallest-number"
ALONG_DIM_1 = "gather_elements.example.along-dim-1/as-printed"
IN_INT16 = f"{ALONG_DIM_1}.index-int16"
ONE_AXIS = "tensor_scatter_nd_update.rule.indices-rank/break.one-axis-to-a-row"
PAST_THE_END = "gather_elements.example.index-past-the-end/as-printed"


def ran(folder: Path, targets: Sequence[str], cases: Sequence[str]) -> Results:
    """Results of these cases alone, without those derived from them, each of which some modes compile for seconds."""
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    words = ("--only", folder / "cases.json", "--fail-on", "never", "--output", folder / "out")
    done = conformance("run", *targets, *words, cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "out")


def by_target(results: Results, api: str, case: str) -> dict[str, ResultRecord]:
    modes = {one.id: one.mode for one in results.targets}
    return {modes[one.target]: one for one in results.results if (one.api, one.case) == (api, case)}


@pytest.fixture(scope="module")
def tensorflow(tmp_path_factory: pytest.TempPathFactory) -> Results:
    targets = ["tensorflow", "tensorflow[function]", "tensorflow[xla]"]
    return ran(tmp_path_factory.mktemp("tensorflow"), targets, [OUTSIDE])


def test_only_the_policy_ignore_accepts_an_index_outside(tensorflow: Results) -> None:
    ignored = by_target(tensorflow, "tf.scatter_nd(bad_indices_policy='IGNORE')", OUTSIDE)["eager"]
    assert (ignored.divergence, ignored.behaviour, ignored.standing) == (["accepted"], "ignores", "portability")
    refused = by_target(tensorflow, "tf.scatter_nd(bad_indices_policy='ERROR')", OUTSIDE)["eager"]
    assert (refused.verdict, refused.outcome.status) == ("conforms", "raised")


def test_xla_leaves_out_what_eager_tensorflow_refuses_and_the_modes_disagree(tensorflow: Results) -> None:
    found = by_target(tensorflow, "tf.scatter_nd", OUTSIDE)
    assert {mode: one.outcome.status for mode, one in found.items()} == {
        "eager": "raised", "function": "raised", "xla": "returned",
    }  # fmt: skip
    assert found["xla"].behaviour == "ignores"
    told = {(one.targets[1], one.api) for one in disagreements(tensorflow) if one.kind == "modes"}
    assert ("tensorflow==2.21.0[xla]@cpu", "tf.scatter_nd") in told
    assert not any("[function]" in target for target, _ in told)


@pytest.fixture(scope="module")
def mindspore(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return ran(
        tmp_path_factory.mktemp("mindspore"), ["mindspore", "mindspore[graph]"], [OUTSIDE, ADD_A_SCALAR, ONE_AXIS]
    )


def test_one_index_outside_spoils_a_graph_of_mindspore_for_valid_calls(mindspore: Results) -> None:
    found = by_target(mindspore, "mindspore.ops.scatter_nd", OUTSIDE)
    assert found["pynative"].verdict == "conforms"
    assert (found["graph"].verdict, found["graph"].divergence) == ("diverges", ["contaminated"])
    assert "until it was recompiled" in str(found["graph"].explanation)


def test_a_graph_of_mindspore_tells_forms_that_an_api_lacks(mindspore: Results) -> None:
    refused = by_target(mindspore, "mindspore.mint.scatter", ADD_A_SCALAR)["graph"]
    assert (refused.verdict, refused.explanation) == ("unsupported", "no reduction")


def test_what_unbind_checks_is_not_said_of_item_assignment(mindspore: Results) -> None:
    assigned = by_target(mindspore, "mindspore.Tensor.__setitem__", ONE_AXIS)["pynative"]
    assert assigned.verdict == "unsupported"
    assert "mindspore.Tensor.unbind" in str(assigned.explanation)


def test_compiled_torch_changes_its_argument_and_gives_the_printed_numbers(tmp_path: Path) -> None:
    results = ran(tmp_path, ["torch[compile]"], ["scatter_elements.example.write-along-dim-0/as-printed"])
    verdicts = {one.api: one.verdict for one in results.results}
    assert verdicts["torch.Tensor.scatter_"] == verdicts["torch.scatter"] == "conforms"
    assert verdicts["torch.scatter_add"] == "unsupported"


def test_meta_tensors_tell_shapes_and_not_what_depends_on_values(tmp_path: Path) -> None:
    results = ran(tmp_path, ["torch[meta]"], [ALONG_DIM_1, IN_INT16, PAST_THE_END])
    gathered = {one.case: one for one in results.results if one.api == "torch.gather"}
    past = gathered[PAST_THE_END]
    assert (past.verdict, past.outcome.status) == ("unsupported", "returned")
    others = [one for one in gathered.values() if one is not past]
    assert {one.verdict for one in others} == {"conforms", "unsupported"}
    assert all(one.dtype_claim for one in others if one.verdict == "unsupported")
    assert not any(isinstance(one.outcome, Returned) for one in results.results)


def test_the_converter_of_tflite_computes_what_an_update_moves_and_lacks_an_operation(tmp_path: Path) -> None:
    results = ran(tmp_path, ["tensorflow[tflite]"], [SMALLEST_NUMBER, ADD_FOUR_SCALARS])
    updated = by_target(results, "tf.raw_ops.TensorScatterUpdate", SMALLEST_NUMBER)["tflite"]
    assert isinstance(updated.outcome, Returned)
    assert (updated.outcome.values, updated.step) == ([0.0, 2.0, "inf"], "exporter")
    assert by_target(results, "tf.raw_ops.TensorScatterAdd", ADD_FOUR_SCALARS)["tflite"].verdict == "conforms"
    refused = by_target(results, "tf.raw_ops.ScatterNdNonAliasingAdd", ADD_FOUR_SCALARS)["tflite"]
    assert isinstance(refused.outcome, NotExported)
    assert refused.outcome.reason.startswith("'tf.ScatterNdNonAliasingAdd' op")


def test_what_jax_exports_comes_back_and_clamps_as_jax_does(tmp_path: Path) -> None:
    results = ran(tmp_path, ["jax[export]"], [PAST_THE_END, ALONG_DIM_1])
    clamped = by_target(results, "jax.Array.__getitem__", PAST_THE_END)["export"]
    assert (clamped.behaviour, clamped.step) == ("clamps", "framework")
    assert by_target(results, "jax.Array.__getitem__", ALONG_DIM_1)["export"].verdict == "conforms"


def test_exported_torch_names_the_step_that_changed_a_result_and_what_cannot_be_exported(tmp_path: Path) -> None:
    results = ran(tmp_path, ["torch[onnx]"], [EMPTY_INDEX, NEGATIVE_INDEX, ADD_A_SCALAR])
    empty = by_target(results, "torch.gather", EMPTY_INDEX)["onnx"]
    assert (empty.divergence, empty.step) == (["rejected"], "runtime")
    negative = by_target(results, "torch.index_select", NEGATIVE_INDEX)["onnx"]
    assert (negative.divergence, negative.step, negative.behaviour) == (["accepted"], "exporter", "wraps-negative")
    assert isinstance(by_target(results, "torch.scatter", ADD_A_SCALAR)["onnx"].outcome, NotExported)
    assert by_target(results, "torch.scatter_add", ADD_A_SCALAR)["onnx"].outcome.status == "unsupported"

"""Where targets agree, as text."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.outcomes.model import Returned
from conformance.reports.porting import PortingError, chosen_targets, porting_lines
from conformance.results.file import FILE_NAME
from tests.cli.command import conformance
from tests.reports.sample_porting import TARGETS, results_to_port
from tests.reports.test_report_command import write


def _text(*names: str) -> str:
    results = results_to_port()
    return "\n".join(porting_lines(results, chosen_targets(results, names), 200))


def test_the_calls_stand_beside_each_other_and_conditions_under_their_questions() -> None:
    text = _text("torch", "tensorflow")
    assert text.startswith("gather_nd\n")
    assert "  torch==1.0@cpu  torch.index\n  tensorflow==1.0@cpu  tf.gather_nd\n" in text
    assert "  Agree on 7 of 9 calls that they take." in text
    assert "    duplicates: duplicate indices (1), no duplicates (4)" in text
    assert (
        "    index range: an index equal to the length (1), an index greater than the length (1)"
        in text.partition("All raise")[2]
    )


def test_what_is_not_safe_is_told_in_the_words_of_each() -> None:
    unsafe = _text("torch", "tensorflow").partition("Not safe")[2]
    assert "a negative index in range (1)\n      torch.index wraps-negative; tf.gather_nd raises" in unsafe
    assert "indices in int16, cast for some of them (1)\n      torch.index returns; tf.gather_nd raises" in unsafe


def test_what_returns_has_a_letter_only_where_others_return_something_else() -> None:
    results = results_to_port()
    other = [
        replace(result, outcome=Returned("int32", (2,), "other", [3, 4]))
        if result.case.endswith("/in-int16") and result.api == "tf.gather_nd"
        else result
        for result in results.results
    ]
    chosen = chosen_targets(results, ("torch", "tensorflow"))
    text = "\n".join(porting_lines(replace(results, results=other), chosen, 200))
    assert "torch.index value a; tf.gather_nd value b" in text


def test_what_is_not_shown_because_indices_were_cast_says_for_which_api() -> None:
    assert "indices in uint8 (cast for torch.index)" in _text("torch", "tensorflow").partition("Not shown")[2]
    assert "indices in uint8 (1)" in _text("mindspore", "tensorflow").partition("Not safe")[0]


def test_a_death_never_counts_as_agreement_and_a_missing_form_as_neither() -> None:
    text = _text(*TARGETS)
    assert "mindspore.ops.gather_nd died" in text.partition("Not safe")[2]
    assert "  mindspore.ops.gather_nd has no form for 1 call that another takes." in text
    assert "mindspore.ops.gather_nd unsupported" not in _text("torch", "mindspore")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("torch",), "at least two targets"),
        (("torch", "torch"), "at least two targets"),
        (("torch", "tf"), "--porting tf: is not a target in these results; available: torch==1.0@cpu"),
        (("torch", "t"), "--porting t: is ambiguous; available: torch==1.0@cpu, tensorflow==1.0@cpu"),
    ],
)
def test_targets_that_cannot_be_put_beside_each_other_are_told(names: tuple[str, ...], says: str) -> None:
    with pytest.raises(PortingError, match=says):
        chosen_targets(results_to_port(), names)


def test_a_framework_means_its_newest_version() -> None:
    results = results_to_port()
    [torch] = [target for target in results.targets if target.framework == "torch"]
    older = replace(torch, id="torch==0.9@cpu", version="0.9")
    mappings = [*results.mappings, replace(results.mappings[0], target=older.id)]
    both = replace(results, targets=[older, *results.targets], mappings=mappings)
    assert chosen_targets(both, ("torch", "tensorflow")) == ["torch==1.0@cpu", "tensorflow==1.0@cpu"]
    assert chosen_targets(both, ("torch==0.9", "tensorflow")) == ["torch==0.9@cpu", "tensorflow==1.0@cpu"]


def test_the_command_prints_it_and_leaves_the_reports_alone(tmp_path: Path) -> None:
    write(results_to_port(), tmp_path / FILE_NAME)
    done = conformance("report", tmp_path, "--porting", "torch", "--porting", "mindspore", cwd=tmp_path)
    assert done.status == 0
    assert "mindspore.ops.gather_nd" in done.out
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_results_that_take_long_to_read_are_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def announced(doing: str) -> nullcontext[None]:
        said.append(doing)
        return nullcontext()

    monkeypatch.setattr("conformance.cli.commands.report.announced", announced)
    write(results_to_port(), tmp_path / FILE_NAME)
    assert conformance("report", tmp_path, "--porting", "torch", "--porting", "mindspore", cwd=tmp_path).status == 0
    assert said == ["reading the results"]


def test_the_command_says_what_a_name_could_have_been(tmp_path: Path) -> None:
    write(results_to_port(), tmp_path / FILE_NAME)
    done = conformance("report", tmp_path, "--porting", "torch", "--porting", "jax", cwd=tmp_path)
    assert done.status == 4
    assert "--porting jax: is not a target in these results" in done.err

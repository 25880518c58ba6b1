"""Where targets agree, as text."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.findings.conclusions import Conclusions
from conformance.outcomes.model import Error, Raised, Returned
from conformance.reports.porting import PortingError, Selection, chosen_targets, porting_lines
from conformance.reports.site.facts import Facts
from conformance.reports.site.port_page import Ports
from conformance.results.file import FILE_NAME
from tests.cli.command import conformance
from tests.reports.sample_porting import OTHER_API, TARGETS, results_of_many_apis, results_to_port
from tests.reports.test_report_command import write


def _text(*names: str) -> str:
    results = results_to_port()
    return "\n".join(porting_lines(results, chosen_targets(results, names), 200))


def test_the_calls_stand_beside_each_other_and_conditions_under_their_questions() -> None:
    text = _text("torch", "tensorflow")
    assert text.startswith("gather_nd\n")
    assert "  torch==1.0@cpu  torch.index\n  tensorflow==1.0@cpu  tf.gather_nd\n" in text
    assert "  The same in 5 of 5 calls that both take." in text
    assert "  tf.gather_nd refuses 2 calls that torch.index takes; both refuse 2 calls." in text
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


def test_a_condition_that_alone_decides_says_what_to_do() -> None:
    unsafe = _text("torch", "tensorflow").partition("Not safe")[2]
    assert (
        "torch.index wraps-negative; tf.gather_nd raises\n      To do: add the length to negative indices first."
        in unsafe
    )
    back = _text("tensorflow", "torch").partition("Not safe")[2]
    assert "tf.gather_nd raises; torch.index wraps-negative\n      To do: check bounds first." in back


def test_an_index_of_a_dtype_that_one_refuses_is_to_be_cast_to_one_that_both_take() -> None:
    results = results_to_port()
    refused = [
        replace(one, outcome=Raised(Error("TypeError", "no uint8")), cast={})
        if one.case.endswith("/in-uint8") and one.api == "mindspore.ops.gather_nd" else replace(one, cast={})
        for one in results.results
    ]  # fmt: skip
    chosen = chosen_targets(results, ("torch", "mindspore"))
    text = "\n".join(porting_lines(replace(results, results=refused), chosen, 200))
    assert (
        "indices in uint8 (1)\n      torch.index returns; mindspore.ops.gather_nd raises\n      To do: cast the index to int64."
        in text
    )


def test_what_depends_on_earlier_calls_is_named_apart_and_decides_nothing() -> None:
    results = results_to_port()
    depending = [
        replace(one, divergence=["contaminated"], verdict="diverges", outcome=Returned("int32", (2,), "other", [3, 4]))
        if one.case.endswith("/twice") and one.api == "tf.gather_nd" else one
        for one in results.results
    ]  # fmt: skip
    chosen = chosen_targets(results, ("torch", "tensorflow"))
    text = "\n".join(porting_lines(replace(results, results=depending), chosen, 200))
    assert "  The same in 4 of 4 calls that both take." in text
    assert "  tf.gather_nd depends on earlier calls in 1 call, which show nothing here." in text
    assert "duplicate indices" not in text.partition("Not safe")[2].partition("Not shown")[0]


def test_apis_and_operations_are_selected_and_a_misspelt_one_is_told(tmp_path: Path) -> None:
    write(results_to_port(), tmp_path / FILE_NAME)
    command = ("report", tmp_path, "--porting", "torch", "--porting", "mindspore")
    assert "torch.index" in conformance(*command, "--operation", "gather_*", cwd=tmp_path).out
    by_api = conformance(*command, "--api", OTHER_API, cwd=tmp_path)
    assert "torch==1.0@cpu  torch.take" in by_api.out
    assert "torch.index" not in by_api.out
    other_side = conformance(*command, "--api", "mindspore.ops.gather_nd", cwd=tmp_path)
    assert other_side.out.splitlines()[1:4] == [
        "  mindspore==1.0@cpu  mindspore.ops.gather_nd",
        "  torch==1.0@cpu  torch.index",
        "  The same in 4 of 4 calls that both take.",
    ]
    wrong = conformance(*command, "--operation", "gather_md", cwd=tmp_path)
    assert wrong.status == 4
    assert "gather_md: no operation of the results has this name; did you mean 'gather_nd'?" in wrong.err
    misspelt = conformance(*command, "--operation", "gather_nd", "--api", "torch.imdex", cwd=tmp_path).err
    assert "torch.imdex: no API of torch==1.0@cpu, mindspore==1.0@cpu has this name; did you mean" in misspelt
    alone = conformance("report", tmp_path, "--api", "torch.index", cwd=tmp_path)
    assert (alone.status, "give it two targets" in alone.err) == (4, True)


def test_an_operation_and_an_api_of_another_one_are_said_to_have_nothing_in_common() -> None:
    results = results_of_many_apis(2, 1)
    chosen = chosen_targets(results, ("torch", "mindspore"))
    selection = Selection(("gather_nd_0",), ("torch.index_0",))
    assert [*porting_lines(results, chosen, 200, selection)]
    mappings = [one for one in results.mappings if (one.operation, one.api) != ("gather_nd_0", "torch.index_0")]
    made = [one for one in results.results if not (one.case.startswith("gather_nd_0") and one.api == "torch.index_0")]
    apart = replace(results, mappings=mappings, results=made)
    with pytest.raises(PortingError, match=r"no API named torch\.index_0 of .* implements gather_nd_0"):
        [*porting_lines(apart, chosen, 200, selection)]


def test_only_apis_that_do_nearly_the_same_are_counted_beside_the_plainest_one() -> None:
    results = results_to_port()
    torch, mindspore = chosen_targets(results, ("torch", "mindspore"))
    said = "the plainest of 2 that do nearly the same in most calls"
    assert said not in "\n".join(porting_lines(results, [mindspore, torch], 200))
    mapping = next(one for one in results.mappings if one.api == "torch.index")
    like = [replace(one, api="torch.like") for one in results.results if one.api == "torch.index"]
    more = replace(
        results, mappings=[*results.mappings, replace(mapping, api="torch.like")], results=[*results.results, *like]
    )
    assert said in "\n".join(porting_lines(more, [mindspore, torch], 200))
    facts = Facts(Conclusions(more))
    found = Ports(facts).closest(facts.apis["mindspore.ops.gather_nd"], "gather_nd", "torch")
    assert found is not None
    assert (found.api.name, found.plainest_of) == ("torch.index", 2)


def test_what_takes_no_place_is_not_said_to_do_nearly_the_same() -> None:
    results = results_to_port()
    other = [
        replace(one, outcome=Returned("int32", (2,), "other", [3, 4]), cast={})
        if one.api == "mindspore.ops.gather_nd" else one
        for one in results.results
    ]  # fmt: skip
    text = "\n".join(porting_lines(replace(results, results=other), [TARGETS["mindspore"], TARGETS["torch"]], 200))
    assert (
        "  torch==1.0@cpu  torch.index\n    the one of 2 that has most forms; none does the same in any call\n" in text
    )
    assert "nearly the same" not in text


def test_a_death_is_neither_a_call_that_is_taken_nor_one_that_is_refused() -> None:
    text = _text("torch", "mindspore")
    assert "  The same in 4 of 4 calls that both take." in text
    assert "  One of them ends the process, or does not return, in 1 call." in text
    assert "mindspore.ops.gather_nd refuses 1 call that torch.index takes; both refuse 1 call." in text


def test_the_terminal_and_the_page_name_the_same_api_in_the_place_of_another() -> None:
    results = results_to_port()
    torch, other = (target.id for target in results.targets[:2])
    facts = Facts(Conclusions(results))
    for first, second in ((torch, other), (other, torch)):
        lines = [*porting_lines(results, [first, second], 200)]
        mine, theirs = lines[1].split()[1], lines[2].split()[1]
        framework = facts.targets[second].framework
        found = Ports(facts).closest(facts.apis[mine], "gather_nd", framework)
        assert found is not None
        assert found.api.name == theirs


def test_a_death_never_counts_as_agreement_and_a_missing_form_as_neither() -> None:
    text = _text(*TARGETS)
    assert "mindspore.ops.gather_nd died" in text.partition("Not safe")[2]
    assert "  mindspore.ops.gather_nd has no form for 1 call that another has one for." in text
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

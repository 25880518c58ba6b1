"""Rules that no call can keep or break alone, as calls drawn from the layout show."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cases.draws.check import check_draws
from conformance.cases.draws.choices import Recorder, seeded
from conformance.cases.draws.elements import fill
from conformance.cases.draws.geometry import draw_geometry
from conformance.data_folders import specs_folder
from conformance.specification.check import check
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Operation
from conformance.specification.problems import SpecError
from tests.cases.draws import CATALOGUE
from tests.cli.command import REPOSITORY, conformance
from tests.specification.small import SPEC, changed, write_specs
from tests.specification.specs_page import PAGES, write_specs_of_pages

LAYOUT = """
axes: {before: 0..2, along: 1, after: 0..1}
layout:
  input: "before... along... after..."
  dim: rank(before)
  index: "before... along... after..."
drawn: shape
"""
RESULT = "result: {shape: index.shape, dtype: input.dtype}\n"
DRAWN = (
    changed(changed(SPEC, "{tensor: integer}", "{tensor: integer, into: input, along: dim}"), RESULT, RESULT + LAYOUT)
    + """
  shape:
    states: The result is as large as index.
    cite: {json.page: [rank]}
    ensure: "result.shape == index.shape"
    keep: {one-axis: {call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [1]}}}}
"""
)
OTHER = """
  {name}:
    states: Another rule.
    cite: {{json.page: [rank]}}
    require: "{rule}"
    keep: {{one-axis: {{call: {{input: {{int32: [10, 20]}}, dim: 0, index: {{int64: [1]}}}}}}}}
    break:
      two-axes: {{call: {{input: {{int32: [10]}}, dim: 0, index: {{int64: [[0]]}}}}, fix: {{index: {{int64: [0]}}}}}}
"""
REQUIRE = '    require: "index.rank == input.rank"\n'


def _found(folder: Path, spec: str) -> list[str]:
    return [str(problem) for problem in check_draws(load_specs(write_specs(folder, spec=spec)))]


def test_the_suites_own_rules_can_be_kept_and_broken_one_at_a_time() -> None:
    assert check_draws(CATALOGUE) == []


def test_a_spec_with_a_fitting_layout_has_no_problem(tmp_path: Path) -> None:
    assert _found(tmp_path, DRAWN) == []


def test_a_rule_that_no_call_keeps_is_told_with_the_shapes_that_were_tried(tmp_path: Path) -> None:
    spec = changed(DRAWN, "index.rank == input.rank", "index.rank == input.rank + 1")
    [problem] = _found(tmp_path, spec)
    assert "gather_elements.rule.rank: no drawn call keeps it" in problem
    assert "tried input: float32 [" in problem or "tried input: int32 [" in problem
    assert "gather_elements.yaml:" in problem


def test_a_rule_that_breaks_no_matter_what_with_another_is_told_with_the_other(tmp_path: Path) -> None:
    spec = DRAWN + OTHER.format(name="axes", rule="index.rank <= input.rank")
    spec = changed(spec, REQUIRE, '    require: "index.rank == input.rank or index.rank < input.rank"\n')
    problems = _found(tmp_path, spec)
    assert len(problems) == 2
    assert any(
        "rule.axes: every drawn call that breaks it also breaks rank, which it does not list" in one for one in problems
    )


def test_a_rule_that_is_never_false_is_told(tmp_path: Path) -> None:
    [problem] = _found(tmp_path, changed(DRAWN, "index.rank == input.rank", "index.rank >= 0"))
    assert "rule.rank: no drawn call breaks it; tried input:" in problem


def test_an_implication_that_check_asks_for_stays_right_where_a_layout_is_added(tmp_path: Path) -> None:
    """Draws know of calls that break less than the written one, which needs the implication all the same."""
    within = OTHER.format(name="within", rule="within(index, 0, input.shape[dim])").replace(
        "index: {int64: [[0]]}", "index: {int64: [9]}"
    )
    two_axes = "call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [[1]]}}"
    spec = changed(DRAWN, two_axes, two_axes.replace("[[1]]", "[[7]]")) + within
    without_layout = changed(spec, LAYOUT, "")
    for text in (without_layout, spec):
        [problem] = check(load_specs(write_specs(tmp_path, spec=text)))
        assert "also breaks within; change the call, or list within under implies" in str(problem)
    for text in (without_layout, spec):
        catalogue = load_specs(write_specs(tmp_path, spec=changed(text, REQUIRE, REQUIRE + "    implies: [within]\n")))
        assert [*check(catalogue), *check_draws(catalogue)] == []


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("before: 0..2", "before: 0..", "not a group of axes: '0..'; allowed: 1, 1..3, at most GROUP, at least GROUP"),
        ("before: 0..2", "before: 3..2", "invalid range of 3 to 2 axes; write the smaller number first, and at most 8"),
        ("after: 0..1", "after: at most befor", "undefined group 'befor'; did you mean 'before'?"),
        ("rank(before)", "rank(befor)", "undefined group 'befor'; did you mean 'before'?"),
        ("rank(before)", "size(before)", "invalid part 'size(before)' of a layout; expected GROUP... or rank(GROUP)"),
        ("  input: ", "  inputs: ", "undefined argument 'inputs'; did you mean 'input'?"),
        ("drawn:", "distinct: {index: 'dimm > 0'}\ndrawn:", "undefined name 'dimm'; did you mean 'dim'?"),
        ("drawn:", "distinct: {indx: true}\ndrawn:", "undefined index argument 'indx'; did you mean 'index'?"),
        (", into: input, along: dim", "", "arguments.index: holds indices; add into with the argument that they index"),
        (", into: input", "", "arguments.index.along: needs into; write {tensor: integer, into: ARGUMENT"),
        (", along: dim", ", selects: slices", "arguments.index.selects: needs along; write {tensor: integer, into:"),
        (
            ", into: input, along: dim",
            ", selects: flat",
            "index.selects: needs into; write {tensor: integer, into: ARGUMENT,",
        ),
        (
            ", along: dim",
            ", along: dim, selects: flat",
            "index.along: is an axis, but flat indices count the elements of",
        ),
        (
            ", along: dim",
            ", selects: flat",
            "index selects flat, so its indices number all elements of input, which must",
        ),
        (
            "drawn:",
            "distinc: {index: 'dim > 0'}\ndrawn:",
            "unknown key 'distinc' in the file; did you mean 'distinct'?",
        ),
        ("drawn: shape", "drawn: shapes", "undefined behaviour or ensure rule 'shapes'; did you mean 'shape'?"),
        ("drawn: shape", "", "drawn is missing; name the clause that drawn valid calls belong to"),
    ],
)
def test_a_layout_that_cannot_be_read_is_told_with_what_is_allowed(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    with pytest.raises(SpecError) as raised:
        load_specs(write_specs(tmp_path, spec=changed(DRAWN, found, replacement)))
    assert said in str(raised.value)
    assert "gather_elements.yaml:" in str(raised.value)


VECTORS = DRAWN.replace(", along: dim", "").replace(
    'index: "before... along... after..."', 'index: "after... rank(before)"'
)
SLICES = DRAWN.replace("along: dim", "along: dim, selects: slices")


@pytest.mark.parametrize(
    ("spec", "found", "replacement", "said"),
    [
        (DRAWN, "dim: rank(before)", "", "indexes along dim, which is missing in the layout; write dim: rank(GROUP)"),
        (
            DRAWN,
            'input: "before',
            'input: "after... before',
            "input must begin with the group of dim, followed by the indexed axis",
        ),
        (DRAWN, "along: 1,", "along: 1..2,", "input must have exactly one axis after before..."),
        (DRAWN, 'index: "before... along', 'index: "along... along', "index has along and selects elements"),
        (DRAWN, 'index: "before... along', 'index: "along', "so it needs as many axes as input"),
        (DRAWN, 'index: "before... along... after...', 'index: "before... along... rank(after)', "and not vectors"),
        (
            SLICES,
            'index: "before... along... after..."',
            'index: "rank(after)"',
            "holds single indices and not vectors",
        ),
        (VECTORS, "after... rank(before)", "after... before...", "its last axis holds vectors: it must end in"),
        (
            VECTORS,
            "after... rank(before)",
            "after... rank(after)",
            "indexes axis k of input, so input must begin with after",
        ),
    ],
)
def test_a_layout_that_does_not_agree_with_what_indices_are_declared_to_mean_is_a_problem(
    tmp_path: Path, spec: str, found: str, replacement: str, said: str
) -> None:
    with pytest.raises(SpecError) as raised:
        load_specs(write_specs(tmp_path, spec=changed(spec, found, replacement)))
    [problem] = raised.value.problems
    assert "layout.index: " in str(problem)
    assert said in str(problem)


BATCHED = SLICES.replace("selects: slices", "selects: slices, batched: dims")


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("", "", "arguments.index.batched: undefined argument 'dims'"),
        (
            ", into: input, along: dim, selects: slices",
            "",
            "arguments.index.batched: needs into; write {tensor: integer, into",
        ),
        ("batched: dims", "batched: input", "batched: names a number, and input is not {scalar: integer}"),
        (", selects: slices", "", "only index vectors, and indices with selects: slices, may be batched"),
        ("batched: dims", "batched: dim", "missing in the layout; write dim: rank(before) rank(GROUP)"),
    ],
)
def test_a_batch_that_is_not_declared_as_one_is_told_with_what_is_allowed(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    spec = changed(BATCHED, found, replacement) if found else BATCHED
    with pytest.raises(SpecError) as raised:
        load_specs(write_specs(tmp_path, spec=spec))
    assert said in str(raised.value)


def test_the_index_and_what_it_indexes_begin_with_the_axes_that_pair(tmp_path: Path) -> None:
    folder = write_specs(tmp_path)
    (folder / "gather_elements.yaml").unlink()
    text = (specs_folder() / "batched_gather_nd.yaml").read_text(encoding="utf-8")
    (folder / "batched_gather_nd.yaml").write_text(
        changed(text, 'params: "paired... outer', 'params: "outer... paired')
    )
    with pytest.raises(SpecError) as raised:
        load_specs(folder)
    assert "is batched by batch_dims, so indices and params must begin with paired..." in str(raised.value)


LABELS = """\
operation: segment_sum
summary: Add up the slices of data that have the same id.

arguments:
  data: {tensor: any}
  ids: {tensor: integer, into: number, labels: data}
  number: {scalar: integer}

result: {shape: "(number,) + data.shape[ids.rank:]", dtype: data.dtype, accumulates: true}

axes: {segments: 1, labelled: 1..2, inner: 0..1}
layout: {data: "labelled... inner...", ids: "labelled...", number: "segments..."}
drawn: sums

behaviours:
  sums:
    states: Slices with the same id are added up.
    cite: {json.page: [rank]}
    cases:
      of-two:
        call: {data: {float32: [1, 2, 4]}, ids: {int64: [1, 0, 1]}, number: 2}
        returns: [2, 5]
"""


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        (", labels: data", ", labels: dat", "undefined argument 'dat'; did you mean 'data'?"),
        (", labels: data", ", labels: data, along: number", "labels: contradicts along"),
        (", labels: data", ", labels: ids", "labels: names the data, and ids is not {tensor: any}"),
        ("into: number, ", "", "labels: needs into; write {tensor: integer, into: ARGUMENT, labels: ARGUMENT}"),
        (
            "{scalar: integer}",
            "{scalar: number}",
            "into: with labels it names a number, and number is not {scalar: integer}",
        ),
        ('number: "segments..."', 'number: "rank(segments)"', "so number is the length of one axis"),
        ("segments: 1", "segments: 1..2", "so number is the length of one axis"),
        ('data: "labelled... ', 'data: "', "so data must begin with the groups of the index"),
    ],
)
def test_labels_that_cannot_be_placed_are_told_with_what_is_needed(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    write_specs(tmp_path)
    file = tmp_path / "segment_sum.yaml"
    file.write_text(LABELS, encoding="utf-8")
    assert "segment_sum" in load_specs(tmp_path).operations
    file.write_text(changed(LABELS, found, replacement), encoding="utf-8")
    with pytest.raises(SpecError) as raised:
        load_specs(tmp_path)
    assert said in str(raised.value)


INTO_RESULT = """\
operation: segment_sum
summary: Add up neighbouring slices of data that have the same id.

arguments:
  data: {tensor: any}
  ids: {tensor: integer, into: result, labels: data, order: ascending}

result: {shape: "(largest(ids, -1) + 1,) + data.shape[ids.rank:]", dtype: data.dtype, accumulates: true}

axes: {segments: 1, labelled: 1..2, inner: 0..1}
layout: {data: "labelled... inner...", ids: "labelled...", result: "segments... inner..."}
drawn: sums

behaviours:
  sums:
    states: Slices with the same id are added up.
    cite: {json.page: [rank]}
    cases:
      of-two:
        call: {data: {float32: [1, 2, 4]}, ids: {int64: [0, 1, 1]}}
        returns: [1, 6]
"""


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        (", labels: data, order: ascending", "", "into: undefined argument 'result'"),
        (
            "labels: data, order",
            "order",
            "order: needs labels; write {tensor: integer, into: ARGUMENT, labels: ARGUMENT}",
        ),
        (', result: "segments... inner..."', "", "is missing 'result', which indices point into"),
        ('result: "segments... ', 'result: "', "must have one group of its own, and then the groups of the data"),
        ('"segments... inner..."', '"segments..."', "must have one group of its own, and then the groups of the data"),
        ("segments: 1", "segments: 1..2", "so result is the length of one axis"),
        ("order: ascending", "order: descending", "order: "),
    ],
)
def test_labels_of_a_result_whose_length_they_determine_are_told_with_what_is_needed(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    write_specs(tmp_path)
    file = tmp_path / "segment_sum.yaml"
    file.write_text(INTO_RESULT, encoding="utf-8")
    operation = load_specs(tmp_path).operations["segment_sum"]
    assert all(np.all(np.diff(ids.reshape(-1)) >= 0) for ids in _drawn_ids(operation))
    file.write_text(changed(INTO_RESULT, found, replacement), encoding="utf-8")
    with pytest.raises(SpecError) as raised:
        load_specs(tmp_path)
    assert said in str(raised.value)


def _drawn_ids(operation: Operation) -> list[Any]:
    drawn = [
        fill(Recorder(seeded(str(seed))), operation, draw_geometry(Recorder(seeded(str(seed))), operation))
        for seed in range(20)
    ]
    ids = [call.arguments["ids"] for call in drawn]
    assert any(value.array.size > 2 for value in ids if isinstance(value, Tensor))
    return [value.array for value in ids if isinstance(value, Tensor)]


OF_ANY_RANK = changed(SLICES, 'index: "before... along... after', 'index: "after')


@pytest.mark.parametrize("spec", [DRAWN, VECTORS, SLICES, OF_ANY_RANK])
def test_a_layout_that_agrees_with_what_indices_are_declared_to_mean_is_none(tmp_path: Path, spec: str) -> None:
    assert load_specs(write_specs(tmp_path, spec=spec)).operations["gather_elements"].layout is not None


def test_an_index_that_may_be_longer_than_the_target_beside_its_axis_does_not_agree(tmp_path: Path) -> None:
    text = changed(DRAWN, "after: 0..1}", "after: 0..1, far: at least after}")
    text = changed(text, 'index: "before... along... after', 'index: "before... along... far')
    with pytest.raises(SpecError, match=r"layout\.index: .* or groups that are at most as long"):
        load_specs(write_specs(tmp_path, spec=text))


def test_the_layouts_of_the_documentation_fit_their_rules(tmp_path: Path) -> None:
    write_specs_of_pages(tmp_path)
    catalogue = load_specs(tmp_path)
    assert sum(operation.layout is not None for operation in catalogue.operations.values()) == 3
    assert check_draws(catalogue) == []


def test_the_tests_of_the_documentation_pass_on_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [code] = [code for code in re.findall(r"```python\n(.*?)```", PAGES["draws"], re.DOTALL) if "def test_" in code]
    shutil.copy(REPOSITORY / "adapters" / "reference" / "adapter.py", tmp_path / "my_library.py")
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()


def test_check_tells_what_draws_show_once_and_beside_what_written_calls_show(tmp_path: Path) -> None:
    spec = changed(DRAWN, "index.rank == input.rank", "index.rank >= 0")
    spec += OTHER.format(name="axes", rule="index.rank < input.rank")
    done = conformance("check", write_specs(tmp_path / "specs", spec=spec), cwd=tmp_path)
    assert done.status == 4
    assert "gather_elements.rule.rank/break.two-axes: should break rank, but keeps it" in done.err
    assert "gather_elements.rule.rank: no drawn call breaks it" not in done.err
    assert "gather_elements.rule.axes: no drawn call keeps it" not in done.err


MASKED = """\
operation: select_rows
summary: Collect the rows at which a mask is true.

arguments:
  input: {tensor: any}
  mask: {tensor: bool, into: input}

result: {shape: "(count(mask),) + input.shape[mask.rank:]", dtype: input.dtype}

axes: {masked: 1..2, row: 0..1}
layout: {input: "masked... row...", mask: "masked..."}
drawn: rows

behaviours:
  rows:
    states: The rows at which the mask is true are the result.
    cite: {json.page: [rank]}
    cases:
      of-two:
        call: {input: {float32: [1, 2, 4]}, mask: {bool: [false, true, true]}}
        returns: [2, 4]
"""


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("into: input}", "into: inputs}", "undefined argument 'inputs'; did you mean 'input'?"),
        ("into: input}", "into: input, selects: flat}", "selects: is for indices; a mask has the first axes"),
        ("into: input}", "into: input, labels: input}", "labels: is for indices; a mask has the first axes"),
        ("input: {tensor: any}", "input: {vector: integer}", "into: of a mask names a tensor, and input is none"),
        ('mask: "masked..."', 'mask: "row..."', "so it must be GROUP..., and input must begin with it"),
        ('mask: "masked..."', 'mask: "masked... row..."', "so it must be GROUP..., and input must begin with it"),
        ("mask: {bool: [", "mask: {tensor: [", "undefined dtype"),
        ("mask: {bool: [false, true, true]}", "mask: 1", "a tensor needs its dtype, as in {bool: 1}"),
    ],
)
def test_masks_that_cannot_be_placed_are_told_with_what_is_needed(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    write_specs(tmp_path)
    file = tmp_path / "select_rows.yaml"
    file.write_text(MASKED, encoding="utf-8")
    load_specs(tmp_path)
    file.write_text(changed(MASKED, found, replacement), encoding="utf-8")
    with pytest.raises(SpecError) as raised:
        load_specs(tmp_path)
    assert said in str(raised.value)


def test_masks_are_drawn_that_select_all_none_one_and_some(tmp_path: Path) -> None:
    write_specs(tmp_path)
    (tmp_path / "select_rows.yaml").write_text(MASKED, encoding="utf-8")
    operation = load_specs(tmp_path).operations["select_rows"]
    kinds = set()
    for seed in range(60):
        call = fill(Recorder(seeded(str(seed))), operation, draw_geometry(Recorder(seeded(str(seed))), operation))
        mask, masked = call.arguments["mask"], call.arguments["input"]
        assert isinstance(mask, Tensor)
        assert isinstance(masked, Tensor)
        assert mask.dtype == "bool"
        assert mask.shape == masked.shape[: mask.rank]
        count = int(mask.array.sum())
        kinds.add("all" if count == mask.size else count if count < 2 else "some")
    assert kinds == {"all", 0, 1, "some"}

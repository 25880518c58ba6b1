"""The first spec of a user, with one index that counts all elements: what is accepted, and what is said about mistakes."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from conformance.adapter import api
from conformance.specification.adapter_files import KEYWORDS, check_adapter
from conformance.specification.loader import load_sound_specs, load_specs
from tests.cli.command import Done, conformance
from tests.specification.small import changed

DOCUMENTS = """\
documents:
  mine.pick:
    title: A page about a function that does not exist
    official: true
    framework: mine
    describes: [mine.pick]
    claims:
      example.1: Three elements of a matrix.
      result.shape: The result has the shape of places.
      places.dtype: Places are int64.
      outside: A place outside is an error.
"""
SPEC = """\
operation: pick
summary: Collect elements at places that are counted in row-major order.
arguments:
  data: {tensor: any}
  places: {tensor: integer, into: data, selects: flat}
result: {shape: places.shape, dtype: data.dtype}
axes: {counted: 1..2, picked: 0..2}
layout:
  data: "counted..."
  places: "picked..."
drawn: result-shape
examples:
  of-a-matrix:
    states: Three elements of a matrix.
    cite: {mine.pick: [example.1]}
    call: {data: {float32: [[4, 3, 5], [7, 6, 8]]}, places: {int64: [5, 0, 4]}}
    returns: [8, 4, 6]
rules:
  result-shape:
    states: The result has the shape of places.
    cite: {mine.pick: [result.shape]}
    ensure: "result.shape == places.shape"
    keep:
      no-axes:
        call: {data: {float32: [4, 3, 5]}, places: {int64: 2}}
        returns: 5
  places-dtype:
    states: Places are int64.
    cite: {mine.pick: [places.dtype]}
    require: "places.dtype == 'int64'"
    keep:
      one:
        call: {data: {float32: [4, 3, 5]}, places: {int64: [2]}}
        returns: [5]
    break:
      int32:
        call: {data: {float32: [4, 3, 5]}, places: {int32: [2]}}
        fix: {places: {int64: [2]}}
behaviours:
  outside-is-an-error:
    states: A place outside is an error.
    cite: {mine.pick: [outside]}
    cases:
      at-the-size:
        call: {data: {float32: [4, 3, 5]}, places: {int64: [0, 3, 1]}}
        raises: IndexError
        fix: {places: {int64: [0, 2, 1]}}
relations:
  order:
    states: Places in another order give the elements in that order.
    cite: {mine.pick: [result.shape]}
    left: "pick(data, permute(places, order))"
    right: "permute(pick(data, places), order)"
    cases:
      three:
        call: {data: {float32: [4, 3, 5, 7]}, places: {int64: [3, 0, 2]}, order: [2, 0, 1]}
"""
ACCEPTED = "ok: 1 operation, 5 clauses, 6 cases, 1 document\n"
REFERENCE = """\
from conformance.adapter import api

@api("reference.pick", operation="pick")
def pick(data, places):
    return data.reshape(-1)[places]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pick"
    folder.mkdir()
    (folder / "documents.yaml").write_text(DOCUMENTS)
    (folder / "pick.yaml").write_text(SPEC)
    (folder / "reference.py").write_text(REFERENCE)
    return folder


def _check(folder: Path) -> Done:
    return conformance("check", "pick", cwd=folder.parent, COLUMNS="200")


def test_a_claim_that_has_keys_is_not_told_to_be_text(folder: Path) -> None:
    """A claim is a text or a mapping; one with an unknown key is taken for a mapping."""
    (folder / "documents.yaml").write_text(changed(DOCUMENTS, "Places are int64.", "{states: Places are int64.}"))
    assert sorted(str(problem).partition("pick/documents.yaml:")[2] for problem in load_sound_specs(folder)[1]) == [
        "10: documents.mine.pick.claims.places.dtype: key 'says' is missing",
        "10: unknown key 'states' in documents.mine.pick.claims.places.dtype; did you mean 'situations'?",
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("[0, 3, 1]", "[0, 2, 1]", 44,
         "pick.behaviour.outside-is-an-error/at-the-size: fix changes nothing, so its control is the call that should raise"),
        ("order: [2, 0, 1]", "order: {int64: [2, 0, 1]}", 55,
         "pick.relation.order/three: its left side cannot be evaluated: the order of permute is a list, as in [2, 0, 1]; found a"),
    ],
)  # fmt: skip
def test_a_call_that_shows_nothing_is_a_problem_that_says_why(
    folder: Path, right: str, wrong: str, line: int, message: str
) -> None:
    (folder / "pick.yaml").write_text(changed(SPEC, right, wrong))
    [problem] = _check(folder).err.splitlines()[1:]
    assert problem.startswith(f"pick/pick.yaml:{line}: {message}"), problem


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("returns: [8, 4, 6]", "returns: [8, 4, 7]", 13,
         "pick.example.of-a-matrix/as-printed: returns has 7.0 at [2], but the reference gives 6.0 there (1 of 3 elements differ); correct one of them"),
        ("returns: [8, 4, 6]", "returns: [9, 4, 7]", 13,
         "pick.example.of-a-matrix/as-printed: returns has 9.0 at [0], but the reference gives 8.0 there (2 of 3 elements differ); correct"),
    ],
)  # fmt: skip
def test_a_written_result_that_the_reference_contradicts_is_a_problem(
    folder: Path, right: str, wrong: str, line: int, message: str
) -> None:
    (folder / "pick.yaml").write_text(changed(SPEC, right, wrong))
    [problem] = _check(folder).err.splitlines()[1:]
    assert problem.startswith(f"pick/pick.yaml:{line}: {message}"), problem


def test_a_written_result_where_the_reference_raises_is_a_problem(folder: Path) -> None:
    (folder / "reference.py").write_text(changed(REFERENCE, "data.reshape(-1)[places]", "data[0][places]"))
    found = _check(folder).err
    assert "pick.example.of-a-matrix/as-printed: returns has a result, but the reference raised IndexError: " in found


def test_a_claim_about_the_dtype_of_what_is_no_argument_is_a_problem(folder: Path) -> None:
    claim = "{says: Places are int64., dtypes: {place: [int64]}}"
    (folder / "documents.yaml").write_text(changed(DOCUMENTS, "Places are int64.", claim))
    [problem] = _check(folder).err.splitlines()[1:]
    message = "mine.pick#places.dtype: dtypes: 'place', which is no argument of an operation; did you mean 'places'?"
    assert problem == f"pick/documents.yaml:10: {message}"


def test_without_a_reference_a_relation_says_what_to_add(folder: Path) -> None:
    (folder / "reference.py").unlink()
    [problem] = _check(folder).err.splitlines()[1:]
    assert problem.startswith(
        "pick/pick.yaml:55: pick.relation.order/three: the reference does not implement pick, on which its sides are "
        "compared; add an adapter named reference.py beside the specs that implements it (docs/specs.md#a-reference)"
    )


def test_a_reference_may_return_an_element_in_every_dtype(folder: Path) -> None:
    """NumPy makes a number, and no array, of the element of an array at an index without axes."""
    assert _check(folder).out == ACCEPTED


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("counted: 1..2", "counted: 0"),
        ("counted: 1..2", "counted: 4..5"),
        ("counted: 1..2", "counted: 5"),
        ("picked: 0..2", "picked: 0"),
        ("picked: 0..2", "picked: 3..4"),
    ],
)
def test_a_group_may_have_any_number_of_axes_up_to_the_most(folder: Path, right: str, wrong: str) -> None:
    (folder / "pick.yaml").write_text(changed(SPEC, right, wrong))
    done = _check(folder)
    assert done.out == ACCEPTED, done.err
    listed = conformance("list", "cases", "--specs", "pick", "-k", "form", cwd=folder.parent).out
    assert "/form." in listed


@pytest.mark.parametrize("number", [".nan", "nan", ".inf"])
def test_an_example_may_have_a_number_that_is_not_finite(folder: Path, number: str) -> None:
    (folder / "pick.yaml").write_text(changed(SPEC, "[[4, 3, 5], [7, 6, 8]]", f"[[4, {number}, {number}], [7, 6, 8]]"))
    done = _check(folder)
    assert done.out == ACCEPTED, done.err


MATRIX = "data: {float32: [[4, 3, 5], [7, 6, 8]]}"


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        (MATRIX, "data: [4, 3, 5]", 16,
         "examples.of-a-matrix.call.data: a tensor needs its dtype, as in {float32: [4, 3, 5]}; found [4, 3, 5]"),
        (MATRIX, "data: 4", 16, "examples.of-a-matrix.call.data: a tensor needs its dtype, as in {float32: 4}; found 4"),
        ("places: {int64: [5, 0, 4]}", "places: [5, 0, 4]", 16,
         "examples.of-a-matrix.call.places: a tensor needs its dtype, as in {int64: [5, 0, 4]}; found [5, 0, 4]"),
        ("shape: places.shape", "shape: places.rank", 6,
         "result.shape: 'places.rank' is 1 for examples.of-a-matrix; expected a shape, which is a tuple"),
        ("shape: places.shape", "shape: places", 6, "result.shape: 'places' is a tensor for examples.of-a-matrix; expected"),
        ("dtype: data.dtype", "dtype: data.kind", 6,
         "result.dtype: 'data.kind' is 'float' for examples.of-a-matrix; expected the name of a dtype"),
        ("shape: places.shape", 'shape: "(places.shape[0],)"', 24,
         "rules.result-shape.keep.no-axes: result.shape cannot be evaluated for it: '(places.shape[0],)': tuple index out of"),
        ("cite: {mine.pick: [example.1]}", "cite: mine.pick#example.1", 15,
         "examples.of-a-matrix.cite: citations are grouped by document; write {mine.pick: [example.1]}; found 'mine.pick#"),
        ("cite: {mine.pick: [example.1]}", "cite: [mine.pick#example.1, mine.pick#outside]", 15,
         "examples.of-a-matrix.cite: citations are grouped by document; write {mine.pick: [example.1, outside]}; found ["),
        ("cite: {mine.pick: [example.1]}", "cite: {mine.pick: example.1}", 15,
         "examples.of-a-matrix.cite.mine.pick: expected a list; write [example.1]; found 'example.1'"),
        ("  of-a-matrix:", "  of_a_matrix:", 13,
         "examples.of_a_matrix: expected lower-case words and numbers with hyphens between them; write of-a-matrix; found"),
        ("data: {tensor: any}", "data: tensor", 4,
         "arguments.data: expected a mapping with some of the keys tensor, vector, scalar, choice, key, optional, into, along,"),
        ("picked: 0..2", "picked: [0, 2]", 7, "axes.picked: expected a whole number or text; found [0, 2]"),
        ("into: data, selects: flat", "into: data, along: 0, selects: slices", 5,
         "arguments.places.along: expected the name of an argument; an axis that is always the same is an argument too; found"),
        ("    require: ", "    otherwise: {raises: TypeError}\n    require: ", 30,
         "rules.places-dtype.otherwise: expected 'raises', 'observed' or text; found {'raises': 'TypeError'}"),
        ("raises: IndexError", "raises: [IndexError]", 46,
         "behaviours.outside-is-an-error.cases.at-the-size.raises: expected text or true; found ['IndexError']"),
        ("raises: IndexError", "raises: IndexEror", 46,
         "behaviours.outside-is-an-error.cases.at-the-size.raises: undefined type of error 'IndexEror'; did you mean 'IndexError'?"),
        ("returns: [8, 4, 6]", "returns: {float32: [8, 4, 6]}", 17,
         "examples.of-a-matrix.returns: result gives the dtype, so returns has only elements; write [8, 4, 6]"),
        (MATRIX, 'data: {float32: "arange(6)"}', 16,
         "examples.of-a-matrix.call.data: 'arange(6)': expected arange(start, stop); found 1 arguments"),
        (MATRIX, 'data: {float32: "concat(0)"}', 16,
         "examples.of-a-matrix.call.data: 'concat(0)': expected concat(axis, array, ...); found 1 arguments"),
        ("places.dtype == 'int64'", "places.dtype = 'int64'", 30,
         "rules.places-dtype.require: not an expression: \"places.dtype = 'int64'\": invalid syntax; write == to compare"),
        ("places.dtype == 'int64'", "places.ndim == 1", 30,
         "rules.places-dtype.require: undefined attribute 'ndim'; did you mean 'rank'?"),
        ("places.dtype == 'int64'", "result.dtype == 'int64'", 30,
         "rules.places-dtype.require: undefined name 'result'; a rule about the result of a call has ensure in place of"),
        ("permute(places, order)", "permute(places, odrer)", 52, "relations.order.left: undefined name 'odrer'; did you mean"),
        (", selects: flat", "", 10, "layout.places: places has into, so its last axis holds vectors: it must end in rank(GROUP), and "
         "data must begin with GROUP...; if places indexes a single axis, add along under arguments, and if it counts all elements,"),
        ("        fix: {places: {int64: [0, 2, 1]}}", "       fix: {places: {int64: [0, 2, 1]}}", 47,
         "not YAML: did not find expected key while parsing a block mapping; text with a colon, comma or bracket needs quotes, "
         "and keys of one mapping are indented alike"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_problem_that_says_where_and_what_to_write(
    folder: Path, right: str, wrong: str, line: int, message: str
) -> None:
    (folder / "pick.yaml").write_text(changed(SPEC, right, wrong))
    [problem] = load_sound_specs(folder)[1]
    assert str(problem).partition("pick/pick.yaml:")[2].startswith(f"{line}: {message}"), problem


ADAPTER = """\
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "mine", "version": "1.0"}


@api("mine.pick", operation="pick")
def pick(data, places):
    return np.take(data, places)
"""


@pytest.fixture
def adapter(folder: Path) -> Path:
    adapter = folder.parent / "mine.py"
    adapter.write_text(ADAPTER)
    return adapter


def test_an_adapter_of_an_operation_of_ones_own_is_checked_with_its_specs(adapter: Path) -> None:
    without = conformance("check", "mine.py", cwd=adapter.parent, COLUMNS="500")
    assert without.status == 4
    assert "mine.py:10: mine.pick: undefined operation 'pick'; allowed: advanced_index_get, " in without.err
    assert ". An operation of your own needs its specs: conformance check SPECS mine.py\n" in without.err
    assert "ok: adapter mine.py" in conformance("check", "pick", "mine.py", cwd=adapter.parent).out
    adapter.write_text(changed(ADAPTER, '"pick"', '"pikc"'))
    wrong = conformance("check", "pick", "mine.py", cwd=adapter.parent)
    assert wrong.err.endswith("undefined operation 'pikc'; did you mean 'pick'?\n"), "its specs are there"


def test_an_adapter_is_checked_with_the_specs_of_its_project(adapter: Path) -> None:
    (adapter.parent / "pyproject.toml").write_text('[tool.conformance]\nspecs = "pick"\n')
    assert conformance("check", "mine.py", cwd=adapter.parent).out == "ok: adapter mine.py\n"
    done = conformance("adapter", "check", "./mine.py", "--here", cwd=adapter.parent)
    assert "  pick: mine.pick\n" in done.out, done.out + done.err


def test_what_an_adapter_maps_is_shown_with_specs_of_ones_own(adapter: Path) -> None:
    done = conformance("adapter", "check", "./mine.py", "--here", "--specs", "pick", cwd=adapter.parent)
    assert "  pick: mine.pick\n" in done.out, done.out + done.err
    assert "ok: every API conforms to some examples" in done.out


def test_a_run_without_the_specs_of_an_operation_says_how_to_name_them(adapter: Path) -> None:
    done = conformance("run", "./mine.py", "--here", "-k", "as-printed", cwd=adapter.parent, COLUMNS="500")
    assert done.status == 4
    assert ". An operation of your own needs its specs: --specs, in pytest --conformance-specs\n" in done.err


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('operation="pick"', "operation=pick", "@api needs the operation's name in quotes: @api('mine.pick', operation='gather_nd')"),
        (', operation="pick"', "", "@api needs the operation's name in quotes: @api('mine.pick', operation='gather_nd')"),
        ('operation="pick"', 'operation="pick", inplace="data"', "unknown keyword 'inplace' of @api; did you mean 'in_place'?"),
        ('operation="pick"', 'operation="pick", dtypes=("flot32",)', "dtypes: undefined dtype 'flot32'; did you mean 'float32'?"),
        ('operation="pick"', 'operation="pick", index_dtypes="int64"', "index_dtypes is a list; write index_dtypes=('int64',)"),
        ('operation="pick"', 'operation="pick", index_dtypes=["int99"]', "index_dtypes: undefined dtype 'int99'; did you mean"),
    ],
)  # fmt: skip
def test_a_mistake_in_an_adapter_says_what_to_write(
    folder: Path, adapter: Path, right: str, wrong: str, message: str
) -> None:
    adapter.write_text(changed(ADAPTER, right, wrong))
    [problem] = check_adapter(adapter, load_specs(folder))
    assert problem.location.line == 10
    assert problem.message.startswith(f"mine.pick: {message}"), problem


def test_the_keywords_of_an_adapter_are_those_of_its_decorator() -> None:
    assert ("name", *KEYWORDS) == tuple(inspect.signature(api).parameters)


def test_an_api_that_no_document_describes_is_noted_with_a_similar_one(adapter: Path) -> None:
    adapter.write_text(changed(ADAPTER, '"mine.pick"', '"mine.pik"'))
    done = conformance("adapter", "check", "./mine.py", "--here", "--specs", "pick", cwd=adapter.parent)
    note = "note: no document describes mine.pik (pick); did you mean 'mine.pick'? If it promises to do what a documented API does"
    assert note in done.out
    adapter.write_text(changed(ADAPTER, '"mine.pick"', '"mine.pik", follows="mine.pick"'))
    done = conformance("adapter", "check", "./mine.py", "--here", "--specs", "pick", cwd=adapter.parent)
    assert "no document describes" not in done.out


def test_a_run_of_an_operation_that_the_target_does_not_map_says_so(folder: Path) -> None:
    done = conformance("run", "numpy", "--here", "--specs", "pick", cwd=folder.parent, COLUMNS="200")
    assert done.status == 5
    assert "numpy==" in done.out
    assert "no results: its adapter maps no API to pick. Run an adapter that does; docs/adapters.md shows" in done.out


def test_a_run_says_that_no_divergence_of_an_undocumented_api_fails_it(adapter: Path) -> None:
    remark = "no document describes mine.pikc, so every divergence of "
    run = ("run", "./mine.py", "--here", "--specs", "pick", "-k", "as-printed")
    assert remark not in conformance(*run, cwd=adapter.parent, COLUMNS="200").out
    adapter.write_text(changed(ADAPTER, '"mine.pick"', '"mine.pikc"'))
    assert remark in conformance(*run, cwd=adapter.parent, COLUMNS="200").out

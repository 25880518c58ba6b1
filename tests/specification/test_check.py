from __future__ import annotations

from pathlib import Path

import pytest

from conformance.specification.case_files import read_case
from conformance.specification.check import check
from conformance.specification.loader import load_specs
from tests.specification.small import SPEC, changed, write_specs

HEAD = """
operation: gather_elements
summary: Take elements of a tensor along an axis.
arguments: {input: {tensor: any}, dim: {scalar: integer}, index: {tensor: integer}}
result: {shape: index.shape, dtype: input.dtype}
rules:
  within:
    states: Indices lie inside.
    cite: {fake.gather: [example.3]}
    require: "within(index, 0, input.shape[dim])"
    keep: {a: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [0]}}}}
    break: {b: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [2]}}, fix: {index: {int64: [1]}}}}
  rank:
    states: Ranks agree.
    cite: {fake.gather: [example.3]}
    require: "index.rank == input.rank"
    keep: {a: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [0]}}}}
    break: {b: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [[1]]}}, fix: {index: {int64: [1]}}}}
"""
BEHAVIOUR = """
behaviours:
  outside-is-an-error:
    states: An index that is neither a position nor one from the end is an error.
    cite: {fake.gather: [example.3]}
    only-documented: true
    require: "within_either_end(index, input.shape[dim])"
    cases:
      c: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [-3]}}, raises: true, fix: {index: {int64: [1]}}}
"""
FOUND = """
case: CLAUSE/found.two-axes
call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [[1]]}}
raises: true
fix: {index: {int64: [1]}}
"""


def _checked(folder: Path, found: str, replacement: str) -> list[str]:
    assert found in HEAD
    (folder / "documents.yaml").write_text((Path(__file__).parent.parent / "fakes/specs/documents.yaml").read_text())
    (folder / "a.yaml").write_text(HEAD.replace(found, replacement, 1))
    return [str(problem) for problem in check(load_specs(folder))]


def test_the_suites_own_specs_agree_with_themselves() -> None:
    assert check(load_specs()) == []


def test_rules_with_fitting_calls_have_no_problem(tmp_path: Path) -> None:
    assert _checked(tmp_path, "operation", "operation") == []


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("index: {int64: [0]}", "index: {int64: [5]}", "should keep every rule, but breaks within"),
        ("index: {int64: [2]}", "index: {int64: [1]}", "should break within, but keeps it"),
        ("index: {int64: [2]}", "index: {int64: [[2]]}", "also breaks rank"),
        ("fix: {index: {int64: [1]}}", "fix: {index: {int64: [3]}}", "its control should keep every rule"),
        (
            '    require: "index.rank',
            '    implies: [within]\n    require: "index.rank',
            "lists within under implies",
        ),
    ],
)
def test_a_call_that_does_not_do_what_it_is_there_for_is_told(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    problems = _checked(tmp_path, found, replacement)
    assert any(said in problem and "a.yaml:" in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("int64: [-3]", "int64: [-1]", "should raise, but keeps require of outside-is-an-error"),
        ("int64: [1]", "int64: [2]", "its control violates require of outside-is-an-error"),
        ("raises: true, fix", "observed: it is open, fix", "should not raise, but violates require"),
    ],
)
def test_a_call_of_a_behaviour_that_is_an_error_violates_its_condition(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    assert found in BEHAVIOUR
    assert _checked(tmp_path, HEAD, HEAD + BEHAVIOUR) == []
    problems = _checked(tmp_path, HEAD, HEAD + BEHAVIOUR.replace(found, replacement, 1))
    assert any(said in problem and "a.yaml:" in problem for problem in problems), problems


def test_a_calls_fields_say_what_it_is_for_and_where_it_comes_from(tmp_path: Path) -> None:
    folder = write_specs(tmp_path / "specs")
    case = changed(FOUND, "CLAUSE", "gather_elements.rule.rank")
    (tmp_path / "case.yaml").write_text(case)
    catalogue = load_specs(folder)
    written = [call for clause in catalogue.operations["gather_elements"].clauses for call in clause.written_calls]
    found = read_case(tmp_path / "case.yaml", catalogue).written_calls
    assert [(call.name, call.breaks, call.found, call.printed) for call in [*written, *found]] == [
        ("as-printed", False, False, True),
        ("as-printed", False, False, True),
        ("keep.one-axis", False, False, False),
        ("break.two-axes", True, False, False),
        ("found.two-axes", True, True, False),
    ]


def test_an_expectation_that_the_document_only_implies_is_not_called_printed(tmp_path: Path) -> None:
    spec = changed(SPEC, "    returns: [30, 20, 10, 10]", "    returns: [30, 20, 10, 10]\n    printed: false")
    [example] = [
        clause
        for clause in load_specs(write_specs(tmp_path, spec=spec)).operations["gather_elements"].clauses
        if clause.name == "backwards"
    ]
    [call] = example.written_calls
    assert (call.name, call.printed) == ("inferred", False)


def test_no_example_that_follows_from_the_document_of_another_operation_is_called_printed() -> None:
    operations = load_specs().operations
    examples = [
        clause
        for name in ("gather_nd", "tensor_scatter_nd_add")
        for clause in operations[name].clauses
        if clause.family == "example" and {one.document.id for one in clause.citations} == {"tf.raw_ops.ScatterNd"}
    ]
    assert examples
    assert {call.printed for clause in examples for call in clause.written_calls} == {False}


def test_a_found_call_of_an_example_is_not_printed_in_the_document(tmp_path: Path) -> None:
    folder = write_specs(tmp_path / "specs")
    (tmp_path / "case.yaml").write_text(changed(FOUND, "CLAUSE", "gather_elements.example.outside"))
    (call,) = read_case(tmp_path / "case.yaml", load_specs(folder)).written_calls
    assert (call.breaks, call.found, call.printed) == (False, True, False)


FROM_THE_END = """
behaviours:
  from-the-end:
    states: A negative index counts from the end.
    cite: {fake.gather: [example.3]}
    only-documented: DOCUMENTED
    cases: {a: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [-1]}}, returns: [2]}}
"""


@pytest.mark.parametrize(("documented", "problems"), [("true", 0), ("false", 1)])
def test_only_what_one_documentation_promises_may_contradict_a_rule(
    tmp_path: Path, documented: str, problems: int
) -> None:
    found = _checked(tmp_path, HEAD, HEAD + FROM_THE_END.replace("DOCUMENTED", documented))
    assert len(found) == problems
    assert all("should keep every rule, but breaks within" in problem for problem in found)


def test_calls_of_other_clauses_may_break_a_rule_of_some_apis_alone(tmp_path: Path) -> None:
    column, rule = ("index: {int64: [2]}", "index: {int64: [[2]]}"), "    states: Ranks agree.\n"
    assert any("also breaks rank" in problem for problem in _checked(tmp_path, *column))
    spec = changed(HEAD, rule, f"{rule}    only-documented: true\n")
    assert _checked(tmp_path, HEAD, changed(spec, *column)) == []


def test_a_promise_about_something_that_is_no_argument_is_told(tmp_path: Path) -> None:
    write_specs(tmp_path)
    documents = tmp_path / "documents.yaml"
    text = documents.read_text()
    assert check(load_specs(tmp_path)) == []
    claim = "example.1: A row is read backwards."
    assert claim in text, text
    documents.write_text(text.replace(claim, "example.1: {says: A row is read backwards., keeps: [imput]}", 1))
    [problem] = check(load_specs(tmp_path))
    assert "keeps 'imput', which is no argument of an operation; did you mean 'input'?" in problem.message


EMPTY = """
rules:
  within:
    states: Indices lie inside.
    cite: {fake.gather: [example.3]}
    require: "within(index, 0, input.shape[dim])"
    keep: {a: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [0]}}}}
    break:
      b: {call: {input: {int32: "zeros([0, 2])"}, dim: 0, index: {int64: [[0]]}}, fix: {input: {int32: CONTROL}}}
"""


@pytest.mark.parametrize(("control", "problems"), [("[[1, 2]]", 1), ('"zeros([1, 0])"', 0)])
def test_a_control_of_a_call_without_elements_has_none_either(tmp_path: Path, control: str, problems: int) -> None:
    rules = HEAD[HEAD.index("rules:") :]
    found = _checked(tmp_path, rules, EMPTY.replace("CONTROL", control))
    assert [("refuses all such tensors" in problem) for problem in found] == [True] * problems


def test_an_api_that_is_told_to_skip_an_index_outside_is_not_expected_to_raise(tmp_path: Path) -> None:
    documents = (Path(__file__).parent.parent / "fakes/specs/documents.yaml").read_text()
    (tmp_path / "a.yaml").write_text(
        HEAD.replace("index: {tensor: integer}", "index: {tensor: integer, into: input, along: dim}")
    )
    for name, expected in (("fake.right(mode='raise')", 0), ("fake.right(mode='clip')", 1)):
        described = f'describes: ["{name}", fake.mutate]'
        (tmp_path / "documents.yaml").write_text(documents.replace("describes: [fake.right, fake.mutate]", described))
        found = [problem.message for problem in check(load_specs(tmp_path))]
        assert [f"a document about {name}, which is told not to" in message for message in found] == [True] * expected

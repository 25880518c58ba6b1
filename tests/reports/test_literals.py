from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from conformance.outcomes.model import Died, Outcome, Part, Returned, Unsupported
from conformance.reports.literals import (
    argument_text,
    array_description,
    call_text,
    expectation_text,
    outcome_description,
    outcome_text,
)
from conformance.reports.text import beginning, one_line, visible, visible_json, visible_tree
from conformance.results.literals import Packed
from tests.outcomes import HUNG, SEGFAULT, abstract, raised, returned


def test_a_call_reads_as_names_with_dtypes_and_values() -> None:
    call = {
        "indices": {"int32": [[4], [3], [1], [7]]},
        "updates": {"float32": "zeros([13, 11])"},
        "shape": [8],
        "reduce": "add",
        "src": 1.25,
        "dim": None,
    }
    assert call_text(call).splitlines() == [
        "indices = int32 [[4], [3], [1], [7]]",
        "updates = float32 zeros([13, 11])",
        "shape   = [8]",
        'reduce  = "add"',
        "src     = 1.25",
        "dim     = None",
    ]


def test_a_view_is_named_after_its_elements() -> None:
    assert call_text({"input": {"int32": [[1, 2]], "view": "offset"}}) == "input = int32 [[1, 2]], offset"


def test_a_matrix_too_wide_for_a_line_has_a_row_a_line_with_its_columns_aligned() -> None:
    call = {"input": {"int64": [[number * scale for number in range(12)] for scale in (1, 1000)]}}
    assert call_text(call).splitlines() == [
        "input = int64 [[    0,     1,     2,     3,     4,     5,     6,     7,     8,     9,    10,    11],",
        "               [    0,  1000,  2000,  3000,  4000,  5000,  6000,  7000,  8000,  9000, 10000, 11000]]",
    ]


@pytest.mark.parametrize(
    ("expectation", "text"),
    [
        ({"returns": {"dtype": "int32", "shape": [2], "values": [0, 11]}}, "int32 (2,)\n[0, 11]"),
        ({"returns": {"dtype": "float64", "shape": [], "values": "nan"}}, "float64 ()\nnan"),
        ({"returns": {"dtype": "int8", "shape": [9, 9], "text": "zeros([9, 9])"}}, "int8 (9, 9)\nzeros([9, 9])"),
        ({"raises": True}, "an exception of any type"),
        ({"raises": "ValueError"}, "an exception: ValueError"),
        ({"observed": "nobody says"}, "nothing in particular: the result is recorded, not judged (nobody says)"),
    ],
)
def test_an_expectation_reads_as_what_it_asks_for(expectation: dict[str, Any], text: str) -> None:
    assert expectation_text(expectation) == text


def test_printed_digits_are_said_with_the_numbers_they_bound() -> None:
    array = {"dtype": "float32", "shape": [1], "values": [1.5], "digits": 4}
    assert expectation_text({"returns": array}).endswith("compared to 4 decimal places")


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (returned([True], "bool"), "bool (1,)\n[True]"),
        (Returned("int8", (999,), "d"), "int8 (999,), too large to show"),
        (abstract("int8", (3, 2)), "int8 (3, 2), without values"),
        (raised("KeyError", "7"), "raised KeyError: 7"),
        (raised("KeyError", "", phase="result"), "raised KeyError (reading the result), without a message"),
        (SEGFAULT, "the process was killed by SIGSEGV"),
        (Died(exit_code=3, stderr="bye\n"), "the process exited with code 3\nend of standard error:\nbye"),
        (HUNG, "no answer within 30 s; the process was killed"),
        (Unsupported("no reduction"), "not supported: no reduction"),
    ],
)
def test_an_outcome_reads_as_what_happened(outcome: Outcome, text: str) -> None:
    assert outcome_text(outcome) == text


def test_integers_beyond_a_double_and_numbers_that_json_lacks_are_shown_as_they_come() -> None:
    array = {"dtype": "float64", "shape": [4], "values": ["nan", "-inf", "9007199254740993", 2**63 - 1]}
    assert array_description(array).text.endswith("[nan, -inf, 9007199254740993, 9223372036854775807]")


def test_characters_that_command_a_terminal_or_cannot_be_encoded_are_spelled_out() -> None:
    text = visible("a\x00b\x1b[31m\x85\u2028\u202e\ud800\r\nc\td é 日")
    assert text == "a#x00b#x1B[31m#x85#x2028#x202E#xD800\nc\td é 日"
    text.encode()


def test_an_argument_that_is_stored_packed_has_the_same_text() -> None:
    for value in ({"float32": [4.0, 1.0]}, {"float32": [[4.0, 1.0]], "view": "strided"}):
        assert argument_text(Packed(value)) == argument_text(value)


def test_every_string_of_a_tree_is_made_visible_and_nothing_else_is_touched() -> None:
    tree = {"a\x1b": ["\x00", 1, None, 2.5, True, {"b": "\x07"}]}
    assert visible_tree(tree) == {"a#x1B": ["#x00", 1, None, 2.5, True, {"b": "#x07"}]}


@given(
    some.recursive(
        some.none()
        | some.booleans()
        | some.integers()
        | some.text(some.characters() | some.sampled_from('\r\n\x7f\u202e\ud800\\"u')),
        lambda values: some.lists(values) | some.dictionaries(some.text(), values),
    )
)
def test_visible_json_is_the_json_of_the_visible_tree(tree: object) -> None:
    assert visible_json(tree, is_compact=True) == json.dumps(visible_tree(tree), separators=(",", ":"))
    assert visible_json(tree) == json.dumps(visible_tree(tree), ensure_ascii=False)


def test_a_long_text_on_one_line_says_how_much_is_missing() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("x" * 250, 200) == "x" * 200 + " ... (50 more characters)"


def test_the_beginning_of_a_sentence_ends_after_a_clause_or_else_after_a_word() -> None:
    varying = "40 calls with duplicate indices gave different results when repeated, e.g. torch.scatter in scatter_elements.example.a"
    assert beginning(varying, 76) == "40 calls with duplicate indices gave different results when repeated ..."
    kernels = (
        "tensorflow==2.21.0[xla]@cpu has no kernel for tf.raw_ops.ScatterNdNonAliasingAdd, tf.raw_ops.TensorScatterMax"
    )
    assert beginning(kernels, 76) == "tensorflow==2.21.0[xla]@cpu has no kernel for ..."
    assert beginning("one: " + "x " * 100, 60) == "one: " + "x " * 27 + "x ..."  # a first clause of a word says nothing
    assert beginning("no repeats, since it is quick", 20) == "no repeats, since it is quick"


def test_a_long_text_is_cut_after_a_word_and_only_if_that_saves_something() -> None:
    text = "an index out of bounds " + "x" * 100
    assert one_line(text, 30) == "an index out of bounds ... (101 more characters)"
    assert one_line(text, 100) == text
    assert one_line("aborts where an index is outside", 31) == "aborts where an index is outside"


def test_several_results_are_shown_by_name() -> None:
    parts = (Part("result", "int8", (2, 2)), Part("x + 1", "float32", ()), Part("none", "int8", (0, 3)))
    shown = outcome_description(Returned("int8", (5,), "digest", [1, 2, 3, 4, 5], parts=parts))
    assert shown.text == (
        "3 results\nresult = int8 (2, 2)\n[[1, 2], [3, 4]]\nx + 1 = float32 ()\n5\nnone = int8 (0, 3)\n[]"
    )
    assert shown.shape is None


@pytest.mark.parametrize("lengths", [(3,), (10**9, 0), (10**6, 10**6)])
def test_several_results_of_a_file_that_contradicts_itself_are_not_laid_out(lengths: tuple[int, ...]) -> None:
    shown = outcome_description(Returned("int8", (2,), "digest", [1, 2], parts=(Part("x", "int8", lengths),)))
    assert "too large to show" in shown.text


def test_a_key_stands_in_brackets_behind_its_tensor() -> None:
    call = {"input": {"int32": [1, 2]}, "key": "1:, None, True", "reduce": "add"}
    assert call_text(call).splitlines() == [
        "input  = int32 [1, 2]",
        "key    = input[1:, None, True]",
        'reduce = "add"',
    ]

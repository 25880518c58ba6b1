from __future__ import annotations

import textwrap

import pytest

from conformance.repro.source import AdapterSource, CannotQuote, inlined

ADAPTER = textwrap.dedent(
    '''
    """A framework."""

    from __future__ import annotations

    import frame
    import numpy as np
    from frame import extra, other

    from conformance.adapter import Unsupported, api

    WORDS = {"add": "sum"}


    def describe():
        return {"framework": "frame", "version": frame.__version__}


    def to_native(array, dtype):
        made = frame.make(array)
        return made.cast() if dtype == "bfloat16" else made


    def per_axis(indices):
        """Apart."""
        return indices.unbind(-1)


    def grid(index, dim):
        found = extra.grid(index)
        found[dim] = index
        return found


    @api("frame.put", operation="scatter_nd")
    def put(indices, updates, shape):
        zeros = frame.zeros(shape)
        return frame.put(zeros, per_axis(indices), updates)


    def refuse(reason):
        """Says what the suite is to be told."""
        raise Unsupported(reason)


    @api("frame.take", operation="gather_elements")
    def take(input, dim, index):
        if not isinstance(index, frame.Tensor):
            refuse("only tensors as indices")
        return frame.take(input, dim, index)


    @api("frame.scatter_", operation="scatter_elements")
    def scatter_(input, dim, index, src, reduce=None):
        """In place."""
        if reduce == "multiply" or not isinstance(src, frame.Tensor):
            raise Unsupported("no multiplication")
        if reduce is None:
            return input.scatter_(dim, index, src)
        return input.scatter_(dim, index, src, reduce=WORDS.get(reduce, reduce) or "none")


    @api("frame.nd", operation="gather_elements")
    def nd(input, dim, index):
        return frame.nd(input, grid(index, dim))


    @api("frame.looped", operation="gather_elements")
    def looped(input, dim, index):
        for _ in range(dim):
            input = frame.turn(input)
        return input


    @api("frame.leaning", operation="gather_elements")
    def leaning(input, dim, index):
        return input if dim else Unsupported
    '''
)


def function(name: str) -> str:
    """As the worker quotes it: with its decorator."""
    start = ADAPTER.index(f"def {name}(")
    return ADAPTER[ADAPTER.rindex("@api", 0, start) : (ADAPTER + "\n\n").index("\n\n\n", start) + 1]


def source() -> AdapterSource:
    return AdapterSource(ADAPTER)


def test_a_single_return_is_inlined_with_its_plain_arguments_and_without_refusals() -> None:
    quoted = source().quote(function("scatter_"), {"dim": 1})
    assert (quoted.before, quoted.call) == ((), "input.scatter_(1, index, src)")


def test_a_refusal_in_a_helper_of_its_own_is_left_out_like_any_other() -> None:
    assert source().quote(function("take"), {"dim": 0}).call == "frame.take(input, 0, index)"


def test_a_branch_is_chosen_by_the_arguments() -> None:
    quoted = source().quote(function("scatter_"), {"dim": -1, "reduce": "add"})
    assert quoted.call == "input.scatter_(-1, index, src, reduce=WORDS.get('add', 'add') or 'none')"
    assert source().helpers(quoted.names) == ['WORDS = {"add": "sum"}']


def test_statements_before_the_return_come_before_the_call_and_one_line_helpers_are_put_in() -> None:
    quoted = source().quote(function("put"), {"shape": (8,)})
    assert quoted.before == ("zeros = frame.zeros((8,))",)
    assert quoted.call == "frame.put(zeros, indices.unbind(-1), updates)"
    assert source().helpers(quoted.names) == []


def test_a_longer_helper_is_quoted_with_the_imports_that_it_needs_and_no_others() -> None:
    quoted = source().quote(function("nd"), {"dim": 0})
    [helper] = source().helpers(quoted.names)
    assert quoted.call == "frame.nd(input, grid(index, 0))"
    assert helper.startswith("def grid(index, dim):\n    found = extra.grid(index)")
    assert source().imports({"frame", "extra", "grid"}) == ["import frame", "from frame import extra"]


def test_a_function_with_a_loop_is_quoted_whole_without_its_decorator() -> None:
    quoted = source().quote(function("looped"), {"dim": 2})
    assert quoted.call == "looped(input, 2, index)"
    assert quoted.functions[0].startswith("def looped(input, dim, index):\n    for _ in range(dim):")
    assert "looped" not in quoted.names


def test_code_that_leans_on_the_suite_cannot_be_quoted() -> None:
    with pytest.raises(CannotQuote, match="needs Unsupported of this suite"):
        source().quote(function("leaning"), {"dim": 0})


def test_what_makes_a_tensor_and_names_the_version_is_read_from_the_hooks() -> None:
    assert source().constructors[:2] == ["frame.make", "frame.tensor"]
    assert source().framework_names == ["frame"]
    assert source().version == "frame.__version__"


def test_tensors_go_into_a_call_only_where_each_is_read_once() -> None:
    assert inlined("f(a, b)", {"a": "t([1])", "b": "t(2)"}) == "f(t([1]), t(2))"
    assert inlined("f(a, a.shape)", {"a": "t([1])"}) is None
    assert inlined("f(b)", {"a": "t([1])", "b": "t(2)"}) is None

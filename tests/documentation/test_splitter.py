"""A text of any style becomes sentences, entries, code and examples, each word once, each with its place."""

from __future__ import annotations

import inspect
import re

import pytest

from conformance.documentation.splitter import split

GOOGLE = """\
pick(values, where, *, out=None) -> Tensor

Picks values at places, e.g. one of each row. :attr:`where` never repeats.

With two axes, the result is::

    result[i][j] = values[where[i][j]][j]  # by rows
    result[i][j] = values[i][where[i][j]]  # by columns

.. note:: A place may be negative (see
          below). It counts from the end.

.. warning::
    Places outside are not checked.

Args:
    values (Tensor, optional): what to pick from. Must have
        at least one axis.
    where (Union(int, Tensor[int])): the places
    *more: ignored

Returns:
    The picked values. They are new.

Raises:
    TypeError: If the dtype of `where` is float.
    ValueError: If a place is outside.

Example::

    >>> pick([1, 2], [1])
    [2]

    This is a longer one:

    >>> pick([1, 2],
    ...      [0, 0])
    [1, 1]

.. function:: pick(values) -> Tensor
   :noindex:

Picks all values.

Args:
    values (Tensor, optional): what to pick from. Must have at least one axis.
"""
NUMPY = """\
Put values at places.

Parameters
----------
arr : ndarray (N..., M)
    What to change. Changed in place.
places : {array_like, int}, optional
    Where. One of:

    * 0 -- the first
    * 1 -- the second
mode

Returns
-------
out : ndarray
    The argument.

See Also
--------
pick : the reverse
drop :
    Leaves values out

Notes
-----
It is as fast as the loop ::

    for place in places:
        arr[place] = 0

    done()

Examples
--------
>>> put([1], 0)
"""
SPHINX = """\
Moves rows.

:param Tensor rows: the rows. They stay
    where they are.
:type rows: Tensor
:raises IndexError: if there is none
:returns: the moved rows
:rtype: Tensor
"""
MARKDOWN = """\
Counts things in `bins`.

```python
# not a heading
count(bins)
```

> **WARNING**: The order is not defined.
>
> - On a CPU it is.

The shape is:

    bins.shape[:-1]

## Wide bins

1. The first is wide.
2. "B" is narrow.

<div style="width:70%">
<img src="bins.png">
</div>

>>> count([1])
1
"""
MINDSPORE = """\
    Updates `input_x` , then returns it.

    .. math::

        y_i = x_i

    Inputs:
        - **input_x** (Tensor) - The input. It is changed.
        - **axis** (int) - The axis.

          - less than the rank

    Outputs:
        Tensor, of the same shape.

    Raises:
        TypeError: If `axis`
                   is no int.

    Supported Platforms:
        ``Ascend`` ``CPU``
"""
CHINESE = "取出元素。索引越界时报错。 完成。"
TABLE = """\
Ways to write it:

=========  ===========
Written    Means
=========  ===========
x.set(y)   x = y
=========  ===========
"""
TEXTS = {name: globals()[name] for name in ("GOOGLE", "NUMPY", "SPHINX", "MARKDOWN", "MINDSPORE", "CHINESE", "TABLE")}


def _read(text: str) -> list[tuple[str, str]]:
    return [(str(piece.place), " ".join(piece.text.split())) for piece in split(text) if piece.is_statement]


@pytest.mark.parametrize("name", TEXTS)
def test_every_word_is_in_exactly_one_piece(name: str) -> None:
    words = re.compile(r"\w+")
    found = [word for piece in split(TEXTS[name]) for word in words.findall(piece.text)]
    assert found == words.findall(inspect.cleandoc(TEXTS[name]))


@pytest.mark.parametrize("name", TEXTS)
def test_every_statement_has_a_locator_of_its_own(name: str) -> None:
    locators = [piece.place.locator for piece in split(TEXTS[name]) if piece.is_statement]
    assert sorted(set(locators)) == sorted(locators)


def test_a_text_in_the_style_of_google() -> None:
    assert _read(GOOGLE) == [
        ("signature 1", "pick(values, where, *, out=None) -> Tensor"),
        ("sentence 1", "Picks values at places, e.g. one of each row."),
        ("sentence 2", ":attr:`where` never repeats."),
        ("sentence 3", "With two axes, the result is::"),
        (
            "code 1",
            "result[i][j] = values[where[i][j]][j] # by rows result[i][j] = values[i][where[i][j]] # by columns",
        ),
        ("note, sentence 1", "A place may be negative (see below)."),
        ("note, sentence 2", "It counts from the end."),
        ("warning, sentence 1", "Places outside are not checked."),
        ("parameter values, sentence 1", "values (Tensor, optional): what to pick from."),
        ("parameter values, sentence 2", "Must have at least one axis."),
        ("parameter where, sentence 1", "where (Union(int, Tensor[int])): the places"),
        ("parameter *more, sentence 1", "*more: ignored"),
        ("returns, sentence 1", "The picked values."),
        ("returns, sentence 2", "They are new."),
        ("raises TypeError, sentence 1", "TypeError: If the dtype of `where` is float."),
        ("raises ValueError, sentence 1", "ValueError: If a place is outside."),
        ("example, example 1", ">>> pick([1, 2], [1]) [2]"),
        ("example, sentence 1", "This is a longer one:"),
        ("example, example 2", ">>> pick([1, 2], ... [0, 0]) [1, 1]"),
        ("overload 2, signature 1", "pick(values) -> Tensor"),
        ("overload 2, sentence 1", "Picks all values."),
        ("overload 2, parameter values, sentence 1", "values (Tensor, optional): what to pick from."),
        ("overload 2, parameter values, sentence 2", "Must have at least one axis."),
    ]


def test_a_text_in_the_style_of_numpy() -> None:
    assert _read(NUMPY) == [
        ("sentence 1", "Put values at places."),
        ("parameter arr, sentence 1", "arr : ndarray (N..., M) What to change."),
        ("parameter arr, sentence 2", "Changed in place."),
        ("parameter places, sentence 1", "places : {array_like, int}, optional Where."),
        ("parameter places, sentence 2", "One of:"),
        ("parameter places, sentence 3", "* 0 -- the first"),
        ("parameter places, sentence 4", "* 1 -- the second"),
        ("parameter mode, sentence 1", "mode"),
        ("returns out, sentence 1", "out : ndarray The argument."),
        ("see also pick, sentence 1", "pick : the reverse"),
        ("see also drop, sentence 1", "drop : Leaves values out"),
        ("note, sentence 1", "It is as fast as the loop ::"),
        ("note, code 1", "for place in places: arr[place] = 0 done()"),
        ("example, example 1", ">>> put([1], 0)"),
    ]


def test_the_fields_of_sphinx() -> None:
    assert _read(SPHINX) == [
        ("sentence 1", "Moves rows."),
        ("parameter rows, sentence 1", ":param Tensor rows: the rows."),
        ("parameter rows, sentence 2", "They stay where they are."),
        ("parameter rows, sentence 3", ":type rows: Tensor"),
        ("raises IndexError, sentence 1", ":raises IndexError: if there is none"),
        ("returns, sentence 1", ":returns: the moved rows"),
        ("returns, sentence 2", ":rtype: Tensor"),
    ]


def test_markdown() -> None:
    assert _read(MARKDOWN) == [
        ("sentence 1", "Counts things in `bins`."),
        ("code 1", "```python # not a heading count(bins) ```"),
        ("sentence 2", "**WARNING**: The order is not defined."),
        ("sentence 3", "- On a CPU it is."),
        ("sentence 4", "The shape is:"),
        ("code 2", "bins.shape[:-1]"),
        ("Wide bins, sentence 1", "1. The first is wide."),
        ("Wide bins, sentence 2", '2. "B" is narrow.'),
        ("Wide bins, example 1", ">>> count([1]) 1"),
    ]


def test_the_blocks_of_mindspore() -> None:
    assert _read(MINDSPORE) == [
        ("sentence 1", "Updates `input_x` , then returns it."),
        ("code 1", "y_i = x_i"),
        ("parameter input_x, sentence 1", "- **input_x** (Tensor) - The input."),
        ("parameter input_x, sentence 2", "It is changed."),
        ("parameter axis, sentence 1", "- **axis** (int) - The axis."),
        ("parameter axis, sentence 2", "- less than the rank"),
        ("returns, sentence 1", "Tensor, of the same shape."),
        ("raises TypeError, sentence 1", "TypeError: If `axis` is no int."),
        ("supported platform, sentence 1", "``Ascend`` ``CPU``"),
    ]


def test_sentences_of_chinese_end_with_their_own_full_stop() -> None:
    assert [text for _, text in _read(CHINESE)] == ["取出元素。", "索引越界时报错。", "完成。"]


def test_each_row_of_a_table_is_a_statement() -> None:
    assert [text for _, text in _read(TABLE)] == ["Ways to write it:", "Written Means", "x.set(y) x = y"]


def _hashes(text: str) -> set[str]:
    return {piece.hash for piece in split(text) if piece.is_statement}


def test_hashes_do_not_depend_on_indentation_style_and_order() -> None:
    sections = GOOGLE.partition("Returns:")
    after = sections[2].partition("Raises:")
    moved = f"{sections[0]}Raises:{after[2].replace('Example::', 'Returns:' + after[0] + 'Example::', 1)}"
    assert moved != GOOGLE
    assert _hashes(moved) == _hashes(GOOGLE)
    assert _hashes(GOOGLE.replace("\n", "\n        ")) == _hashes(GOOGLE)
    assert _hashes(MINDSPORE.replace("``CPU``", "CPU").replace("`axis`", ":attr:`axis`")) == _hashes(MINDSPORE)


def test_one_changed_word_changes_one_hash() -> None:
    changed = GOOGLE.replace("never repeats", "sometimes repeats")
    assert len(_hashes(GOOGLE) - _hashes(changed)) == len(_hashes(changed) - _hashes(GOOGLE)) == 1


def test_a_lost_minus_sign_changes_the_hash_of_its_formula() -> None:
    [lost] = _hashes(MARKDOWN) - _hashes(MARKDOWN.replace("[:-1]", "[:1]"))
    assert lost == next(piece.hash for piece in split(MARKDOWN) if piece.text.strip() == "bins.shape[:-1]")


def test_equal_sentences_about_two_parameters_are_two_statements() -> None:
    text = "Args:\n  a: One. Must be int32.\n  b: Two. Must be int32.\n"
    assert len(_hashes(text)) == 4


@pytest.mark.parametrize(
    "text", ["", "\n \n", ">>>", "```", ".. ", "::", "---\n---", "Args:", "1.", "`" * 99, ":param:"]
)
def test_no_text_makes_it_fail(text: str) -> None:
    words = re.compile(r"\w+")
    assert [word for piece in split(text) for word in words.findall(piece.text)] == words.findall(text)


def test_a_long_text_takes_no_longer_than_its_length() -> None:
    # Quadratic behaviour would take minutes here.
    assert len(split("(word. " * 30_000)) > 0
    assert len(split("Args:\n" + "  name (a, " * 20_000)) > 0
    assert len(split("a\n" * 100_000)) > 0

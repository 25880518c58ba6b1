"""The examples of a text become statements with what they print, or the error that they raise."""

from __future__ import annotations

import textwrap

from conformance.documentation.examples import Example, ExampleStatement, examples

TEXT = """\
Reads values.

Example::

    >>> values = [
    ...     1, 2]
    >>> values
    [1, 2]

    >>> gather(values, 5)
    Traceback (most recent call last):
      ...
    package.errors.IndexError: 5 is too large

```
>>> print(7)
7
```
"""


def _statements(text: str) -> list[tuple[ExampleStatement, ...]]:
    return [example.statements for example in examples(textwrap.dedent(text))]


def test_each_example_has_its_statements_in_order() -> None:
    assert _statements(TEXT) == [
        (ExampleStatement("values = [\n    1, 2]\n", ""), ExampleStatement("values\n", "[1, 2]\n")),
        (ExampleStatement("gather(values, 5)\n", "", error="IndexError"),),
        (ExampleStatement("print(7)\n", "7\n"),),
    ]


def test_a_prompt_that_no_session_has_gives_an_example_without_statements() -> None:
    [example] = examples("Example::\n\n    >>>values\n    [1]\n")
    assert isinstance(example, Example)
    assert example.statements == ()


def test_an_example_above_the_section_of_examples_has_a_locator_of_its_own() -> None:
    pieces = [example.piece for example in examples("Puts.\n\n>>> put(1)\n\nExample:\n    >>> put(2)\n")]
    assert [piece.place.locator for piece in pieces] == ["example.1", "example.2"]


def test_a_code_directive_is_an_example_if_it_has_prompts() -> None:
    directive = ".. code-block:: pycon\n    :name: first\n\n    >>> print(7)\n    7\n\nIt prints.\n"
    assert _statements(directive) == [(ExampleStatement("print(7)\n", "7\n"),)]
    assert _statements(directive.replace(">>> ", "")) == []

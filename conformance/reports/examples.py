"""Texts on examples of shipped documentation that fail."""

from __future__ import annotations

from conformance.reports.text import one_line
from conformance.results.file import Results
from conformance.results.records import ExampleRecord

EXAMPLES_TITLE = "Examples in its own documentation that do not run, or print something else"


def failing_examples(results: Results) -> list[ExampleRecord]:
    """The examples that fail, in the order of the targets."""
    return [example for example in results.examples if example.fails]


def example_text(example: ExampleRecord) -> str:
    """``jax.ops.segment_sum, example 1: Statement 3 raises NameError. name 'x' is not defined``."""
    message = one_line(example.error.message, 120) if example.error is not None else ""
    return one_line(f"{example.object}, {example.place}: {example.explanation} {message}".strip(), 240)

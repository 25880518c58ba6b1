"""The summaries name the examples of shipped documentation that fail, and no others."""

from __future__ import annotations

from dataclasses import replace

from conformance.outcomes.model import Error
from conformance.reports.summaries import summary_md
from conformance.results.file import Results
from conformance.results.records import ExampleRecord
from tests.reports.sample import sample
from tests.reports.test_terminal import shown

RAISED = ExampleRecord(
    *("torch==2.13.0@cpu", "torch.gather", "example 1", "kklmnopq", ["torch.gather"], "raised", 3),
    error=Error("NameError", "name 'x' is\x1b\nnot defined"),
    explanation="Statement 3 raises NameError.",
)
DIFFERS = replace(RAISED, verdict="differs", object="torch.take", error=None, explanation="Statement 2 prints nothing.")
AGREES = replace(RAISED, verdict="agrees", object="torch.scatter", error=None, explanation=None)
TITLE = "Examples in its own documentation that fail (2)"
TEXTS = [
    "torch.gather, example 1: Statement 3 raises NameError. name 'x' is#x1B not defined",
    "torch.take, example 1: Statement 2 prints nothing.",
]


def _results(*examples: ExampleRecord) -> Results:
    return replace(sample(), examples=list(examples))


def test_the_terminal_names_the_first_and_lists_all_if_asked_for() -> None:
    results = _results(RAISED, AGREES, DIFFERS)
    lines = [line.strip() for line in shown(results, 140, verbose=True).splitlines()]
    at = lines.index(TITLE)
    assert lines[at + 1 : at + 3] == [f"torch==2.13.0@cpu {text}" for text in TEXTS]
    short = [line.strip() for line in shown(results, 140).splitlines()]
    at = short.index(f"{TITLE.removesuffix(' (2)')}, which fails no run: 2 examples")
    assert short[at + 1 : at + 3] == TEXTS


def test_the_summary_of_a_job_lists_them() -> None:
    text = summary_md(_results(RAISED, AGREES, DIFFERS))
    assert f"## {TITLE}\n" in text
    assert [line for line in text.splitlines() if "example 1" in line] == [
        f"- `torch==2.13.0@cpu` `{words}`" for words in TEXTS
    ]


def test_without_any_nothing_is_said() -> None:
    assert "Examples in" not in shown(_results(AGREES), 140) + summary_md(_results(AGREES))

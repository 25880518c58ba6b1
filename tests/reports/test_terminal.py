from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

from conformance.findings.conclusions import Conclusions
from conformance.reports.document import (
    Code,
    Column,
    Document,
    Heading,
    Item,
    Items,
    Row,
    Rows,
    Sentence,
    Span,
    code,
    line,
)
from conformance.reports.summaries import summary
from conformance.reports.terminal import show
from conformance.reports.verdict import report
from conformance.results.file import Results
from tests.reports.sample import sample
from tests.reports.sample_several import several


def shown(results: Results, width: int = 80, *, colours: bool = False, verbose: bool = False) -> str:
    file = io.StringIO()
    system: Literal["standard"] | None = "standard" if colours else None
    console = Console(file=file, width=width, force_terminal=colours, highlight=False, color_system=system)
    show(summary(Conclusions(results), verbose=verbose), console)
    return file.getvalue()


def typical() -> Results:
    """Without the rare verdicts and the hostile clause."""
    results = sample()
    some = [one for one in results.results if one.verdict in ("conforms", "diverges") and "hostile" not in one.case]
    return replace(results, results=some)


def test_the_figures_of_a_usual_run_fit_80_columns_in_a_line_a_target_below_whole_words() -> None:
    lines = [line.rstrip() for line in shown(typical()).splitlines()]
    at = next(number for number, line in enumerate(lines) if line.startswith("target"))
    assert lines[at - 1 : at + 7] == [
        "                                              diverges",
        "target                  judged  conforms  own  portability  open  absent",
        "reference@cpu                3         3    -            0     0       0",
        "torch==2.13.0@cpu            7         3    1            3     0       0",
        "tensorflow==2.21.0@cpu       9         8    0            1     0       0",
        "mindspore==2.10.0@cpu        7         4    2            1     0       0",
        "jax==0.10.0@cpu",
        "  did not start",
    ]


def nothing_new() -> Results:
    """As many results of every kind as a whole run has, on four targets, with everything that fails in a ledger."""
    results = sample()
    records = [
        replace(one, known="an-entry", clause=f"scatter_nd.rule.n{number}") if one.verdict != "conforms" else one
        for number in range(60)
        for one in results.results
    ]
    targets = [target for target in results.targets if target.blocked is None]
    return replace(results, results=records, targets=targets)


def test_a_run_with_nothing_unexpected_ends_in_40_lines_with_the_verdict_first() -> None:
    lines = shown(nothing_new()).splitlines()
    assert lines[0].startswith("passed: nothing unexpected (")
    assert len(lines) <= 34  # six more say where the report is and what is next
    assert "New: nothing" in lines
    [known] = [line for line in lines if line.startswith("Known divergences: ")]
    assert known.startswith("Known divergences: 3 entries, ")
    assert len(shown(nothing_new(), verbose=True).splitlines()) > 500


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_only_a_name_is_longer_than_the_terminal_and_stands_alone(width: int) -> None:
    lines = shown(sample(), width).splitlines()
    assert [line for line in lines if len(line) > width and len(line.split()) > 1] == []


@pytest.mark.parametrize("width", [40, 80, 140])
def test_a_target_that_did_not_start_has_a_reason_and_no_zeros(width: int) -> None:
    text = " ".join(shown(sample(), width).split())
    assert "jax==0.10.0@cpu did not start" in text or "jax==0.10.0@cpu: did not start" in text
    assert "the newest is 0.9.2" in text
    *_, row = (line for line in shown(sample(), width).splitlines() if line.startswith("jax==0.10.0"))
    assert "0 " not in row.removeprefix("jax==0.10.0")


@pytest.mark.parametrize("width", [40, 60])
def test_a_terminal_too_narrow_for_a_table_has_the_figures_in_sentences(width: int) -> None:
    text = " ".join(shown(sample(), width).split())
    assert "tensorflow==2.21.0@cpu: 14 results: 8 conforms, 1 observed, 1 blocked, 1 diverges (portability)" in text


def test_the_cause_at_the_end_of_a_traceback_is_shown() -> None:
    results = sample()
    reason = (
        "exited with code 1 while starting\nTraceback:\n"
        + '  File "a.py"\n' * 99
        + "ModuleNotFoundError: No module named 'numpy'"
    )
    targets = [replace(target, blocked=reason) if target.blocked else target for target in results.targets]
    text = " ".join(shown(replace(results, targets=targets)).split())
    assert "exited with code 1 while starting Traceback:" in text
    assert "ModuleNotFoundError: No module named 'numpy'" in text


def test_what_is_new_is_listed_in_full_and_what_is_known_only_if_asked_for() -> None:
    text = shown(sample(), 140)
    places = [
        text.index(title) for title in ("New: breaks its own documentation: 2 causes", "New: died or hung: 2 causes")
    ]
    assert places == sorted(places)
    assert (
        "  mindspore.ops.scatter_nd on mindspore==2.10.0@cpu\n"
        "    scatter_nd.rule.shape-positive: accepted in 1 of 3 cases\n"
        "    ValueError is documented for a length below 1; the call returned an empty tensor.\n"
    ) in text
    assert "error-type in 1 of 3 cases" not in text
    verbose = shown(sample(), 140, verbose=True)
    assert (
        "error-type in 1 of 3 cases\n    ValueError is documented; RuntimeError was raised.\n    known: mind" in verbose
    )
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    many = [replace(own, clause=f"scatter_nd.rule.number-{number}") for number in range(99)]
    assert all(one.clause in shown(replace(results, results=many)) for one in many)


def test_findings_that_differ_in_nothing_but_the_api_are_one_entry() -> None:
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    apis = ("torch.gather", "torch.gather(out=)", "torch.Tensor.gather")
    text = shown(replace(results, results=[replace(own, api=api) for api in apis]))
    assert f"  {', '.join(apis)} on {own.target}\n" in text
    assert text.count("in 1 of 1 case each\n") == 1
    other = replace(own, api="torch.take", explanation="Another one.")
    assert shown(replace(results, results=[own, other])).count("in 1 of 1 case\n") == 2


def test_differences_from_other_documentation_are_a_line_of_what_they_mean_for_each_target() -> None:
    text = shown(sample(), 200)
    assert "    mindspore==2.10.0@cpu: does not give the same result each time (1 result), raises another type" in text
    assert "scatter_nd.relation" not in text.partition("Differs from another")[2]


def test_what_a_mode_did_with_an_index_out_of_bounds_is_named() -> None:
    results = sample()
    one = next(one for one in results.results if one.divergence == ["accepted"] and one.standing == "portability")
    clamps = replace(one, behaviour="clamps")
    assert "clamps an index out of bounds (1 result)" in shown(replace(results, results=[clamps]), 200)


def test_an_incomplete_run_says_so_before_its_figures() -> None:
    text = shown(sample(complete=False))
    assert text.index("incomplete run") < text.index("\ntarget ")
    assert text.count("incomplete") == 1
    assert "incomplete" not in shown(sample())


def test_a_message_cannot_command_the_terminal() -> None:
    text = shown(sample(), 140, verbose=True)
    assert "\x1b" not in text
    assert "#x1B[31mred" in text


def test_colour_is_for_terminals_only_and_markup_in_a_name_is_text() -> None:
    results = sample()
    marked = [replace(one, id="[red]x[/red]@cpu", blocked="[bold]no[/bold]") for one in results.targets[-1:]]
    coloured = shown(replace(results, targets=[*results.targets[:-1], *marked]), colours=True)
    assert "\x1b[1;31m" in coloured
    assert "[bold]no[/bold]" in coloured


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    show(summary(Conclusions(sample())))
    out, err = capsys.readouterr()
    assert "\x1b[31m" not in out
    assert "\x1b[1;31m" not in out
    assert "torch==2.13.0" in out
    assert err == ""


def test_where_the_report_is_stands_on_a_line_of_its_own_and_is_never_folded() -> None:
    folder = Path("a" * 50) / ("b" * 50)
    file = io.StringIO()
    show(Document.of(report(folder)), Console(file=file, width=80))
    assert file.getvalue().splitlines()[-1] == f"  {folder / 'index.html'}"


def test_an_id_is_not_broken_at_its_hyphens_or_dots_even_if_it_is_longer_than_the_terminal() -> None:
    names = ["gather_nd.rule.a-long-name/with-a-case-" + "x" * 60, "another-name.of-an-entry"]
    file = io.StringIO()
    show(
        Document((Items([Item(line(code(name), ": it is so, and so on and on and on")) for name in names]),)),
        Console(file=file, width=40),
    )
    assert all(f"  {name}:" in file.getvalue() for name in names)


def test_what_belongs_to_a_heading_or_a_sentence_follows_it_at_once() -> None:
    blocks = (
        Sentence(line("one")), Sentence(line("two")), Items([Item(line("item"), (line("below"),))]), Heading("title"),
        Sentence(line("three")), Code(["copy"]), Sentence(line("four")),
        Rows(Column("name"), [Column("number")], [Row((Span("1"),), code("row"))], []),
    )  # fmt: skip
    file = io.StringIO()
    show(Document(blocks), Console(file=file, width=80))
    assert file.getvalue().splitlines() == [
        "one", "two", "  item", "    below", "", "title", "three", "  copy", "", "four", "", "name  number", "row        1"
    ]  # fmt: skip


def test_a_list_with_a_limit_says_how_many_are_missing() -> None:
    file = io.StringIO()
    items = [Item(line(str(number))) for number in range(9)]
    show(Document((Items(items, {"terminal": 7}),)), Console(file=file, width=80))
    assert file.getvalue().splitlines()[-2:] == ["  6", "  and 2 more lines, which -v lists"]


def test_each_entry_of_a_ledger_that_was_met_is_told_once_with_its_first_sentence_and_its_link_if_asked_for() -> None:
    results = several()
    [entry] = results.known.values()
    long = replace(entry, reason="Every error is a RuntimeError. Whatever an operator finds wrong is raised as that.")
    unmet = replace(entry, id="never-met")
    known = {("mindspore", one.id): one for one in (long, unmet)}
    text = " ".join(shown(replace(results, known=known), verbose=True).split())
    assert "Known divergences (1) mindspore-shape-error-type: Every error is a RuntimeError. (https://gitee.com" in text
    assert "Whatever" not in text
    assert "never-met" not in text
    assert "  mindspore: 1 entry, " in shown(replace(results, known=known))


def test_the_processes_of_each_target_are_shown_if_asked_for() -> None:
    results = sample()
    targets = [
        replace(target, imports=1, forks=104) if target.framework == "torch" else target for target in results.targets
    ]
    text = shown(replace(results, targets=targets), 100, verbose=True)
    assert "torch==2.13.0@cpu: 1 process imported it, 104 workers were forked after an import" in text
    assert text.count("imported it") == 1
    assert "imported it" not in shown(replace(results, targets=targets), 100)


def test_if_no_target_started_the_summary_says_why_and_shows_no_table() -> None:
    results = sample()
    blocked = [target for target in results.targets if target.blocked is not None]
    text = shown(replace(results, targets=blocked, results=[]))
    assert text.startswith("failed: 1 target could not be run")
    assert "the newest is 0.9.2" in text
    assert "conforms" not in text
    assert "New" not in text

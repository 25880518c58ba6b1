from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

from conformance.reports.terminal import show_summary
from conformance.results.file import Results
from tests.reports.sample import sample
from tests.reports.sample_several import several


def shown(results: Results, width: int = 80, *, colours: bool = False, verbose: bool = False) -> str:
    file = io.StringIO()
    system: Literal["standard"] | None = "standard" if colours else None
    console = Console(file=file, width=width, force_terminal=colours, highlight=False, color_system=system)
    show_summary(results, Path("out"), console=console, verbose=verbose)
    return file.getvalue()


def typical() -> Results:
    """Without the rare verdicts and the hostile clause."""
    results = sample()
    some = [one for one in results.results if one.verdict in ("conforms", "diverges") and "hostile" not in one.case]
    return replace(results, results=some)


def test_the_figures_of_a_usual_run_fit_80_columns_in_a_line_a_target() -> None:
    assert [line.rstrip() for line in shown(typical()).splitlines()[:9]] == [
        "11 cases, 5 targets, seed 7",
        "                                con- diverges",
        "target                 results forms      own portab.",
        "reference@cpu                3     3        -       0",
        "torch==2.13.0@cpu            7     3        1       3",
        "tensorflow==2.21.0@cpu       9     8        0       1",
        "mindspore==2.10.0@cpu        7     4        2       1",
        "jax==0.10.0@cpu",
        "  did not start",
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_no_line_but_the_path_is_longer_than_the_terminal(width: int) -> None:
    lines = shown(sample(), width).splitlines()
    assert [line for line in lines if len(line) > width and not line.startswith("Report:")] == []


@pytest.mark.parametrize("width", [40, 80, 140])
def test_a_target_that_did_not_start_has_a_reason_and_no_zeros(width: int) -> None:
    text = " ".join(shown(sample(), width).split())
    assert "jax==0.10.0@cpu did not start" in text or "jax==0.10.0@cpu: did not start" in text
    assert "the newest is 0.9.2" in text
    row = next(line for line in shown(sample(), width).splitlines() if line.startswith("jax==0.10.0"))
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


def test_own_divergences_stand_before_deaths_and_portability() -> None:
    text = shown(sample())
    places = [
        text.index(title)
        for title in ("Breaks its own documentation: 3 causes, 3 findings", "Died or hung: 2 causes", "Differs from")
    ]
    assert places == sorted(places)
    assert "mindspore-shape-error-type" in text


def test_a_divergence_says_target_api_clause_kind_and_why() -> None:
    text = shown(sample(), 140)
    assert (
        "  mindspore==2.10.0@cpu  mindspore.ops.scatter_nd\n"
        "    scatter_nd.rule.shape-positive: accepted in 1 of 3 cases\n"
        "      ValueError is documented for a length below 1; the call returned an empty tensor.\n"
    ) in text


def test_more_divergences_than_a_person_reads_are_left_to_the_page() -> None:
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    many = [replace(own, clause=f"scatter_nd.rule.number-{number}") for number in range(33)]
    text = shown(replace(results, results=many))
    assert "number-19:" in text
    assert "number-20:" not in text
    assert "13 more in index.html" in text


def test_an_incomplete_run_says_so_before_its_figures() -> None:
    text = shown(sample(complete=False))
    assert text.index("Incomplete run") < text.index("target ")
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
    show_summary(sample(), None)
    out, err = capsys.readouterr()
    assert "\x1b[31m" not in out
    assert "\x1b[1;31m" not in out
    assert "torch==2.13.0" in out
    assert err == ""


def test_where_the_report_is_comes_last_and_is_never_folded() -> None:
    folder = Path("a" * 50) / ("b" * 50)
    file = io.StringIO()
    show_summary(sample(), folder, console=Console(file=file, width=80))
    assert file.getvalue().splitlines()[-1] == f"Report: {folder / 'index.html'}"


def test_each_entry_of_a_ledger_that_was_met_is_told_once_with_its_first_sentence_and_its_link() -> None:
    results = several()
    [entry] = results.known.values()
    long = replace(entry, reason="Every error is a RuntimeError. Whatever an operator finds wrong is raised as that.")
    unmet = replace(entry, id="never-met")
    known = {("mindspore", one.id): one for one in (long, unmet)}
    text = " ".join(shown(replace(results, known=known)).split())
    assert "Known divergences (1) mindspore-shape-error-type: Every error is a RuntimeError. (https://gitee.com" in text
    assert "Whatever" not in text
    assert "never-met" not in text


def test_the_processes_of_each_target_are_shown_if_asked_for() -> None:
    results = sample()
    targets = [
        replace(target, imports=1, forks=104) if target.framework == "torch" else target for target in results.targets
    ]
    console = Console(file=(file := io.StringIO()), width=100)
    show_summary(replace(results, targets=targets), None, console=console, verbose=True)
    text = file.getvalue()
    assert "torch==2.13.0@cpu: 1 process imported it, 104 workers were forked after an import" in text
    assert text.count("imported it") == 1
    assert "imported it" not in shown(replace(results, targets=targets), 100)

"""Annotations and the summary of a step."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.reports.commands import options_of
from conformance.reports.document import Document, Sentence, line
from conformance.reports.github import MOST_ANNOTATIONS, MOST_BYTES, commands, step_summary
from conformance.results.records import MergedRunRecord, TargetRecord
from tests.cli.command import conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS
from tests.matrix.small import CASES, run
from tests.outcomes import raised


def diverging(
    count: int = 1, explanation: str = "should raise", command: str = "conformance run mine==1.0", **more: Any
) -> list[str]:
    whole = run()
    whole = replace(whole, run=replace(whole.run, command=command))
    one = replace(whole.results[1], verdict="diverges", standing="own", divergence=["value"], explanation=explanation)
    whole.results[:] = [replace(one, api=f"mine.gather{number}") for number in range(count)]
    return list(commands(whole, "own", **more))


def test_an_annotation_stands_on_the_line_of_the_adapter_and_on_no_file_where_that_is_not_there() -> None:
    [line, _] = diverging(place=lambda result: ("adapter.py", 12) if result.api == "mine.gather0" else None)
    assert line.startswith("::error file=adapter.py,line=12,title=mine==1.0@cpu breaks its own documentation::")
    [line, _] = diverging()
    assert line == (
        "::error title=mine==1.0@cpu breaks its own documentation"
        "::mine.gather0, gather_nd.rule.range: value in 1 of 1 case%0ASays it.%0Ashould raise"
        "%0ATo repeat it: conformance repro gather_nd.rule.range/break.one --target mine==1.0 --api mine.gather0"
    )


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("conformance run ./mine.py --here --smoke", " --here"),
        ("conformance run ./mine.py --python", " --python ''"),
        ("conformance run './mine.py", ""),
    ],
)
def test_the_command_of_an_annotation_has_the_interpreter_of_the_run(command: str, options: str) -> None:
    [line, _] = diverging(command=command)
    assert line.endswith(f" --target mine==1.0 --api mine.gather0{options}")


def test_of_merged_runs_the_options_are_those_of_the_one_with_the_target() -> None:
    merged = [MergedRunRecord("", "conformance run a --here", ["a"]), MergedRunRecord("", "conformance run b", ["b"])]
    whole = replace(run().run, command="conformance report 1 2", merged=merged)
    first, second = (TargetRecord(f"{name}@cpu", name, None, "cpu", "eager", asked=name) for name in "ab")
    assert options_of(whole, first) == ["--here"]
    assert options_of(whole, second) == []


def test_a_message_cannot_begin_a_command_of_its_own() -> None:
    line, _ = diverging(explanation="100%\n::warning::gotcha")
    assert "\n" not in line
    assert "%0A100%25%0A::warning::gotcha%0ATo repeat it: " in line


def test_no_more_are_annotated_than_are_shown_and_the_others_are_counted() -> None:
    lines = diverging(MOST_ANNOTATIONS + 2)
    assert len(lines) == MOST_ANNOTATIONS + 1
    assert lines[-1].startswith("::notice title=Conformance::2 more causes; ")


def test_what_a_run_does_not_fail_on_is_not_annotated() -> None:
    whole = run({CASES[0]: raised()})
    whole.results[:] = [replace(one, verdict="diverges", divergence=["rejected"]) for one in whole.results]
    assert list(commands(whole, "own")) == []
    [line] = commands(whole, "any")
    assert "rejected in 1 of 1 case, and 1 more finding of this cause%0A" in line


def test_a_summary_has_what_changed_and_is_never_longer_than_is_shown() -> None:
    changed = Document((Sentence(line("1.0 -> 2.0: 3 calls changed")),))
    text = step_summary(run(), changed)
    assert text.startswith("# Conformance")
    assert "3 calls changed" in text
    assert text.rstrip().endswith("</details>")
    many = Document(changed.blocks * (MOST_BYTES // 20))
    folded = step_summary(run(), many)
    assert len(folded.encode()) <= MOST_BYTES
    assert folded.rstrip().endswith("</details>")
    for changes, taken in ((many, MOST_BYTES // 2), (None, MOST_BYTES - 150)):
        cut = step_summary(run(), changes, taken)
        assert len(cut.encode()) <= MOST_BYTES - taken
    assert cut.endswith("see summary.md for the rest.\n")


def test_a_step_gets_annotations_and_its_summary(tmp_path: Path) -> None:
    adapter = shutil.copy(WRONG_ADAPTERS / "order_dependent.py", tmp_path)
    conformance("run", "./order_dependent.py", "--here", "--specs", FAKES / "specs", "-q", cwd=tmp_path)
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    done = conformance("report", "conformance-report", "--github", cwd=tmp_path, GITHUB_STEP_SUMMARY=str(summary))
    assert done.status == 0, done.err
    place = re.search(r"::error file=order_dependent.py,line=(\d+),", done.out)
    assert place is not None
    assert Path(adapter).read_text().splitlines()[int(place[1]) - 1].startswith("@api(")
    assert summary.read_text().startswith("before\n# Conformance")
    without = conformance("report", "conformance-report", "--github", cwd=tmp_path, GITHUB_STEP_SUMMARY="")
    assert without.status == 4
    assert "use this option in a step of a GitHub workflow" in without.err


@pytest.mark.parametrize(("fail_on", "annotated"), [("any", True), ("own", False), ("never", False)])
def test_what_made_the_run_fail_is_annotated(tmp_path: Path, fail_on: str, annotated: bool) -> None:
    shutil.copy(WRONG_ADAPTERS / "order_dependent.py", tmp_path)
    words = ("--here", "--specs", FAKES / "specs", "-q", "-k", "lucky-again", "--fail-on", fail_on)
    assert conformance("run", "./order_dependent.py", *words, cwd=tmp_path).status == int(annotated)
    done = conformance(
        "report", "conformance-report", "--github", cwd=tmp_path, GITHUB_STEP_SUMMARY=str(tmp_path / "s")
    )
    assert ("::error file=order_dependent.py" in done.out) is annotated

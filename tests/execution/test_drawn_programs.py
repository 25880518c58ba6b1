"""Drawn programs on a target: each is judged beside the same without compiling, and what is wrong is shrunk and grouped by its form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.cases.draws.program_source import ProgramSource, program_case
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.programs import kept_programs
from conformance.data_folders import adapters_folder
from conformance.execution.plan import Interpreters, Plan, jobs
from conformance.execution.runner import run
from conformance.findings.conclusions import Conclusions
from conformance.reports.counterexamples import counterexamples, file_name, write_counterexamples
from conformance.reports.details import details
from conformance.reports.document import Code, Heading, Items, text_of
from conformance.reports.sections import programs
from conformance.reports.verdict import next_steps
from conformance.results.describe import case_record
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import RunRecord
from conformance.results.variations import DrawnProgramRecord
from conformance.specification.applied import Applied
from conformance.specification.case_files import read_case, with_case
from conformance.specification.literals import argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Around, Call, Operation
from conformance.specification.programs.reading import read_program
from tests.execution.harness import FAKES
from tests.execution.in_process import in_process
from tests.reports.site_of import site_of

ADAPTER = FAKES / "drawn_programs" / "drawn_programs.py"
NUMBER = 15
CHANGED_LATER = """def program(input, dim, index, source, t1):
    y0 = index_add(input, 0, index, source)
    y1 = index_copy(input=input, dim=dim, index=index, source=source)
    {change}
    y2 = y1 + t1
    return y0, y1, y2, input
"""
"""What was copied is wrong from the change on, and so is the sum."""
NAMES = ("index_copy", "index_add", "index_fill")


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    operations = {name: load_specs().operations[name] for name in (*NAMES, "index_select")}
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    drawing = ProgramSource(NUMBER, 0, operations, frozenset(NAMES))
    found = [case for operation in operations.values() for case in drawing.cases(operation, reference)]
    drawn = [case for case in found if isinstance(case, Case)]
    return drawn + [
        written(operations["index_copy"], operations, change, number)
        for number, change in enumerate(["add(input, 2)", "fill(view(input[:1]), 7)"], start=901)
    ]


def written(operation: Operation, operations: Mapping[str, Operation], change: str, number: int) -> Case:
    """A program that is as if it had been drawn."""
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    matrix = argument({"int64": [[1, 2], [3, 4], [5, 6]]})
    given = {
        "input": matrix,
        "dim": 0,
        "index": argument({"int64": [1]}),
        "source": argument({"int64": [[7, 8]]}),
        "t1": matrix,
    }
    manner = Around(read_program(CHANGED_LATER.format(change=change)), "returning")
    return program_case(Applied(operation, Call(given, manner)), operations, reference, number, accumulates=False)


def ran(folder: Path, cases: list[Case], mode: str) -> Results:
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    plan = Plan(record, jobs([f"{ADAPTER}[{mode}]"], Interpreters(here=True)), cases, 30.0, 1)
    run(plan, folder / FILE_NAME, [], in_process)
    return read_results(folder)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory, cases: list[Case]) -> Results:
    return ran(tmp_path_factory.mktemp("compiled"), cases, "compile")


def test_a_program_is_made_on_one_api_and_with_others_in_one_compilation(compiled: Results, cases: list[Case]) -> None:
    drawn = [one for one in compiled.results if "/draw.program." in one.case]
    assert len(drawn) == len({one.case for one in drawn}) <= len(cases)
    assert any(one.together for one in drawn)


def test_what_is_wrong_without_compiling_too_is_not_blamed_on_compiling(compiled: Results) -> None:
    wrong = [one for one in compiled.results if one.api == "fake.index_fill"]
    assert {one.verdict for one in wrong} <= {"blocked", "unsupported"}
    assert any("without compiling, it is not as expected either" in str(one.explanation) for one in wrong)


def test_that_is_found_in_the_mode_that_does_not_compile(tmp_path: Path, cases: list[Case]) -> None:
    eager = ran(tmp_path, [case for case in cases if case.operation_name == "index_fill"], "eager")
    assert any(one.verdict == "diverges" and one.divergence == ["value"] for one in eager.results)


def test_a_program_that_only_the_compiled_mode_refuses_diverges(compiled: Results) -> None:
    refused = [one for one in compiled.results if one.divergence == ["rejected"]]
    assert refused
    assert all("flip(" in program(compiled, one.case) for one in refused)
    assert all("without compiling, it returns what is expected" in str(one.explanation) for one in refused)


def program(results: Results, case: str) -> str:
    variation = results.cases[case].variation
    assert isinstance(variation, DrawnProgramRecord)
    return variation.program


def test_what_is_wrong_is_shrunk_to_what_shows_it(compiled: Results) -> None:
    kinds = Conclusions(compiled).programs
    by_form = {kind.case.form: kind.stands_for for kind in kinds if kind.result.divergence == ["value"]}
    assert by_form["v5 = index_copy(v1, v2, v3, v4); fill(v1, n); return v5"] >= 2
    smallest = next(kind.case for kind in kinds if "fill(input, 0)" in kind.program)
    assert smallest.call["input"] == {"int64": [[1]]}


def test_its_case_file_is_read_back_as_the_same_program_with_the_same_result(compiled: Results, tmp_path: Path) -> None:
    write_counterexamples(compiled, tmp_path)
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    smallest = [*counterexamples(compiled)]
    assert len(smallest) > 1
    for record in smallest:
        kept = read_case(tmp_path / "counterexamples" / file_name(record), load_specs())
        [case] = kept_programs(with_case(load_specs(), kept).operations[record.operation], reference)
        assert isinstance(case, Case)
        again = case_record(case)
        assert (again.id, again.program, again.call) == (record.id, record.program, record.call)
        assert again.expectation == record.expectation


def test_each_wrong_program_names_the_smallest_that_stands_for_it(compiled: Results) -> None:
    wrong = [one for one in compiled.results if one.verdict == "diverges"]
    assert all(one.confirmed == "alone" for one in wrong if one.case == one.smallest)
    assert all(one.smallest in compiled.cases for one in wrong)
    drawn = [one for one in wrong if "/draw.program." in one.case]
    assert sum(kind.stands_for for kind in Conclusions(compiled).programs) == len(drawn) > 2


def test_the_report_prints_the_smallest_program_of_each_kind(compiled: Results) -> None:
    [heading, items] = programs(Conclusions(compiled))
    assert isinstance(heading, Heading)
    assert heading.text.startswith("Drawn programs that are wrong: ")
    assert isinstance(items, Items)
    first = items.items[0]
    assert "stands for" in text_of(first.line)
    assert text_of(first.below[0]).startswith("def program(")


def test_what_stands_for_a_kind_is_its_smallest_program_with_its_text(compiled: Results) -> None:
    conclusions = Conclusions(compiled)
    kinds = {cause.shown.case for cause in conclusions.causes if cause.shown.smallest is not None}
    assert kinds == {one.smallest for one in compiled.results if one.smallest is not None}
    site = site_of(compiled)
    pages = [text for name, text in site.items() if name.startswith("finding/") and "<h2>Program</h2>" in text]
    assert len(pages) == len(kinds)
    assert all("def program(" in text for text in pages)


def test_the_next_step_is_a_script_of_a_smallest_program(compiled: Results) -> None:
    [_, commands] = next_steps(Conclusions(compiled), "any", Path("out"))
    assert isinstance(commands, Code)
    scripts = [text for text in commands.lines if " repro " in text]
    assert scripts
    assert all("/found." in text for text in scripts)
    assert len({*scripts}) == len(scripts)


def test_the_text_of_a_program_is_shown_with_its_call(compiled: Results) -> None:
    result = next(one for one in compiled.results if one.case == one.smallest)
    assert "program:\ndef program(" in details(compiled, result)

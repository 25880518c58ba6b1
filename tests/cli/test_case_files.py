"""A case in a file of its own is run as the specs' are, and moves into them."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.programs import kept_programs
from conformance.data_folders import reference_adapter
from conformance.results.file import read_results
from conformance.specification.applied import Applied
from conformance.specification.case_files import read_case, with_case
from conformance.specification.check import check
from conformance.specification.loader import load_specs
from tests.cli.command import conformance
from tests.specification.small import write_specs
from tests.specification.specs_page import PAGES

CASE = """\
# Seen on one target only.
case: gather_elements.rule.rank/found.two-axes-of-one
call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [[1, 0]]}}
fix: {index: {int64: [1, 0]}}  # one axis
"""
ID = "gather_elements.rule.rank/found.two-axes-of-one"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path / "specs")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "case.yaml"
    path.write_text(CASE)
    return path


def test_a_case_file_is_run_alone_and_judged_by_its_clause(tmp_path: Path, specs: Path, file: Path) -> None:
    done = conformance("run", "reference", "--here", "-q", "--case", file, "--specs", specs, cwd=tmp_path)
    assert done.status == 0, done.err
    results = read_results(tmp_path / "conformance-report")
    assert [(result.case, result.verdict) for result in results.results] == [(ID, "conforms")]
    assert results.cases[ID].expectation == {"raises": True}
    assert results.cases[ID].source == "case.yaml:2"


def test_a_promoted_case_is_part_of_the_specs_with_its_id_and_its_comments(
    tmp_path: Path, specs: Path, file: Path
) -> None:
    done = conformance("promote", file, "--specs", specs, cwd=tmp_path)
    assert (done.status, done.out) == (
        0,
        f"ok: {ID} is at specs/regressions/gather_elements.yaml:3; {file} was removed\n",
    )
    assert not file.exists()
    text = (specs / "regressions" / "gather_elements.yaml").read_text()
    assert "# Seen on one target only." in text
    assert "# one axis" in text
    assert ID in conformance("list", "cases", "--specs", specs, cwd=tmp_path).out
    assert conformance("check", specs, cwd=tmp_path).status == 0


def test_a_second_promotion_is_appended_and_leaves_the_first_as_it_is(tmp_path: Path, specs: Path, file: Path) -> None:
    conformance("promote", file, "--specs", specs, cwd=tmp_path)
    kept = specs / "regressions" / "gather_elements.yaml"
    first = kept.read_text()
    file.write_text(CASE.replace("two-axes-of-one", "another"))
    assert conformance("promote", file, "--specs", specs, cwd=tmp_path).status == 0
    assert kept.read_text().startswith(first)
    assert "gather_elements.rule.rank/found.another" in kept.read_text()


def test_a_case_is_not_promoted_twice(tmp_path: Path, specs: Path, file: Path) -> None:
    conformance("promote", file, "--specs", specs, cwd=tmp_path)
    file.write_text(CASE)
    done = conformance("promote", file, "--specs", specs, cwd=tmp_path)
    assert done.status == 4
    assert f"case {ID!r} already exists at specs/regressions/gather_elements.yaml:3" in done.err
    assert file.exists()


@pytest.mark.parametrize(
    ("found", "replacement", "message"),
    [
        ("gather_elements.rule.rank/", "gather_element.rule.rank/", "case.yaml:2: case: undefined operation 'gather_element'; did you mean 'gather_elements'?"),
        (".rule.rank/", ".rule.rang/", "case.yaml:2: case: undefined clause 'gather_elements.rule.rang'; did you mean 'gather_elements.rule.rank'?"),
        ("/found.two", "/two", "case.yaml:2: case: expected an id such as scatter_nd.rule.updates-shape/found.two-rows; found"),
        ("call:", "cal:", "case.yaml:3: unknown key 'cal' in the file; did you mean 'call'?"),
        ("dim: 0, ", "", "case.yaml:3: call: argument 'dim' is missing"),
        ("fix: {index", "fix: {indx", "case.yaml:4: fix.indx: undefined argument 'indx'; did you mean 'index'?"),
        ("{int64: [[1, 0]]}", "{int65: [[1, 0]]}", "case.yaml:3: call.index: undefined dtype 'int65'"),
    ],
)  # fmt: skip
def test_problems_of_a_case_file_are_reported_with_their_lines(
    tmp_path: Path, specs: Path, file: Path, found: str, replacement: str, message: str
) -> None:
    assert found in CASE
    file.write_text(CASE.replace(found, replacement, 1))
    done = conformance("run", "reference", "--here", "-q", "--case", file, "--specs", specs, cwd=tmp_path)
    assert done.status == 4
    assert message in done.err


def test_a_case_that_breaks_no_rule_does_not_move_into_the_specs(tmp_path: Path, specs: Path, file: Path) -> None:
    file.write_text(CASE.replace("[[1, 0]]", "[1, 1]"))
    done = conformance("promote", file, "--specs", specs, cwd=tmp_path)
    assert done.status == 4
    assert f"{ID}: should break rank, but keeps it" in done.err
    assert file.exists()
    assert not (specs / "regressions").exists()


def test_a_kept_case_of_an_operation_that_is_gone_is_an_error_with_its_line(
    tmp_path: Path, specs: Path, file: Path
) -> None:
    conformance("promote", file, "--specs", specs, cwd=tmp_path)
    kept = specs / "regressions" / "gather_elements.yaml"
    kept.write_text(kept.read_text().replace("gather_elements.rule", "gather_rows.rule"))
    done = conformance("check", specs, cwd=tmp_path)
    assert done.status == 4
    assert "specs/regressions/gather_elements.yaml:3: cases: undefined operation 'gather_rows'" in done.err


PROGRAM = """\
case: gather_elements.rule.rank/found.zeroed-after
program: |
  def program(input, dim, index):
      y = gather_elements(input=input, dim=dim, index=index)
      fill(input, 0)
      return y, input
call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [1, 0]}}
"""


def test_a_promoted_program_is_part_of_the_specs_with_what_the_reference_returns(
    tmp_path: Path, specs: Path, file: Path
) -> None:
    file.write_text(PROGRAM)
    assert conformance("promote", file, "--specs", specs, cwd=tmp_path).status == 0
    operation = load_specs(specs).operations["gather_elements"]
    [case] = kept_programs(operation, load_reference(reference_adapter()))
    assert isinstance(case, Case)
    assert case.id == "gather_elements.rule.rank/found.zeroed-after"
    assert isinstance(case.expectation, Returns)
    assert case.expectation.value.array.tolist() == [20, 10, 0, 0, 0]
    file.write_text(PROGRAM)
    again = conformance("promote", file, "--specs", specs, cwd=tmp_path)
    assert "already exists at specs/regressions/gather_elements.yaml" in again.err


@pytest.mark.parametrize(
    ("found", "replacement", "message"),
    [
        ("fill(input, 0)", "fill(input 0)", "case.yaml:2: program: "),
        ("call:", "raises: ValueError\ncall:", "raises: a program may only have call, apis and note"),
        ("dim: 0, ", "", "call: argument 'dim' is missing"),
        ("dim=dim, ", "", "zeroed-after: "),
        (
            "gather_elements(input=input, dim=dim, index=index)",
            "gather_elements(input=input, dim=dim, index=input)",
            "zeroed-after: ",
        ),
    ],
)
def test_problems_of_a_program_are_reported_with_their_lines(
    tmp_path: Path, specs: Path, file: Path, found: str, replacement: str, message: str
) -> None:
    assert found in PROGRAM
    file.write_text(PROGRAM.replace(found, replacement, 1))
    done = conformance("promote", file, "--specs", specs, cwd=tmp_path)
    assert done.status == 4
    assert message in done.err
    assert file.exists()


def test_the_case_file_that_the_documentation_shows_is_one(tmp_path: Path) -> None:
    [shown] = re.findall(r"(?:^    .*\n)*^    case: .*\n(?:    .*\n)*", PAGES["case-files"], re.MULTILINE)
    path = tmp_path / "shown.yaml"
    path.write_text(textwrap.dedent(shown))
    catalogue = load_specs()
    case = read_case(path, catalogue)
    assert case.id == "scatter_nd.rule.updates-shape/found.slice-too-short-by-one"
    assert Applied(case.operation, case.written_calls[0].call).broken_rules == ("updates-shape",)
    assert check(with_case(catalogue, case)) == check(catalogue)


def test_a_file_that_is_missing_is_named(tmp_path: Path, specs: Path) -> None:
    done = conformance("run", "reference", "--here", "--case", "nowhere.yaml", "--specs", specs, cwd=tmp_path)
    assert done.status == 4
    assert "--case nowhere.yaml: file not found" in done.err

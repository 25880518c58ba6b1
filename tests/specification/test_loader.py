"""Specs that are wrong: every problem at once, with its line, what is allowed and the nearest match."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.specification.loader import load_specs
from conformance.specification.problems import SpecError
from tests.execution.harness import FAKES

GOOD = (FAKES / "specs" / "gather_elements.yaml").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FAKES / "specs", tmp_path / "specs")
    return tmp_path / "specs"


def _problems(folder: Path, text: str | bytes | None = None) -> list[str]:
    if text is not None:
        (folder / "gather_elements.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(SpecError) as caught:
        load_specs(folder)
    return [str(problem) for problem in caught.value.problems]


def test_good_specs_load(folder: Path) -> None:
    assert list(load_specs(folder).operations) == ["gather_elements"]


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("summary:", "sumary:", ":2: unknown key 'sumary' in the file; did you mean 'summary'?"),
        ("    states: A row read backwards.\n", "", "key 'states' is missing"),
        ("dim: {scalar: integer}", "dim: {scalar: intger}", ":5: arguments.dim.scalar:"),
        ("    returns: [3, 2, 1]\n", "    returns: [3, 2, 1]\n    digits: many\n", "examples.lucky.digits"),
        ("input: {int32: [1, 2, 3]}, dim", "inptu: {int32: [1, 2, 3]}, dim", "undefined argument 'inptu'; did you mean 'input'?"),
        ("shape: index.shape", "shape: indx.shape", "result.shape: undefined name 'indx'; did you mean 'index'?"),
        ("shape: index.shape", "shape: print(index)", "cannot call 'print'"),
        ("fake.gather: [example.1]", "fake.gahter: [example.1]", "undefined document 'fake.gahter'; did you mean 'fake.gather'?"),
        ("fake.gather: [example.1]", "fake.gather: [exampel.1]", "no claim 'exampel.1'; did you mean 'example.1'?"),
        ("{fake.gather: [example.1]}", "[fake.gather#example.1]", "by document; write {fake.gather: [example.1]}"),
        ("raises: IndexError", "raises: 5", "examples.outside.raises"),
        ("    fix: {index: {int64: [2, 1, 0]}}\n", "", "has no control"),
        ("raises: IndexError", "raises: IndexError\n    returns: [1]", "has returns and raises; only one"),
        ("int32: [1, 2, 3]", "int23: [1, 2, 3]", "undefined dtype 'int23'"),
        ("operation: gather_elements", "operation: Gather Elements", "operation: expected lower-case letters, digits and underscores, of which the first is a letter; write gather_elements"),
        ("int32: [1, 2, 3]", "view: offest, int32: [1, 2, 3]", "undefined view 'offest'; did you mean 'offset'?"),
        ("    returns: [3, 2, 1]\n", "    about-dtype: [dim]\n", "about-dtype.0: 'dim' is not a tensor of this call"),
        ("operation: gather_elements", "operation: 5", "operation: expected text, which for a number needs quotes; found 5"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(folder: Path, found: str, replacement: str, said: str) -> None:
    assert found in GOOD
    problems = _problems(folder, GOOD.replace(found, replacement, 1))
    assert any(said in problem and "gather_elements.yaml:" in problem for problem in problems), problems


def test_all_mistakes_of_all_files_are_told_at_once(folder: Path) -> None:
    (folder / "other.yaml").write_text("operation: other\nsumary: x\n")
    problems = _problems(folder, GOOD.replace("summary:", "sumary:").replace("examples:", "exmaples:"))
    assert len([one for one in problems if "gather_elements.yaml" in one and "unknown key" in one]) == 2
    assert any("other.yaml:2: unknown key 'sumary'" in one for one in problems)


@pytest.mark.parametrize("text", ["", "- a list\n", "just words\n", b"\xff\xfe", "a: &a [*a]\n", "a: 1\na: 2\n"])
def test_what_is_no_spec_at_all_is_one_clear_problem_and_no_traceback(folder: Path, text: str | bytes) -> None:
    assert len(_problems(folder, text)) >= 1


def test_two_files_cannot_define_one_operation(folder: Path) -> None:
    (folder / "more.yaml").write_text(GOOD)
    assert any("is already defined in" in problem for problem in _problems(folder))


def test_a_folder_that_is_not_there_or_holds_no_spec_is_said_so(tmp_path: Path) -> None:
    assert "spec not found" in _problems(tmp_path / "none")[0]
    assert "no specs found" in _problems(tmp_path)[0]


@pytest.mark.parametrize(
    ("renamed", "said"),
    [
        (
            "gather_elements.example.first: gather_elements.example.lukcy",
            "did you mean 'gather_elements.example.lucky'?",
        ),
        ("gather_elements.example.outside: gather_elements.example.lucky", "is the id of another clause or case now"),
    ],
)
def test_a_renamed_clause_has_a_new_id_that_exists_and_an_earlier_one_that_does_not(
    folder: Path, renamed: str, said: str
) -> None:
    assert any(said in problem for problem in _problems(folder, f"{GOOD}renamed:\n  {renamed}\n"))


def test_the_cases_of_a_renamed_clause_and_what_is_derived_from_a_renamed_case_know_their_earlier_ids(
    folder: Path,
) -> None:
    lucky, first = "gather_elements.example.lucky", "gather_elements.example.first"
    (folder / "gather_elements.yaml").write_text(
        f"{GOOD}renamed:\n  {first}: {lucky}\n  {lucky}/old: {lucky}/as-printed\n"
    )
    operation = load_specs(folder).operations["gather_elements"]
    assert operation.earlier_ids(f"{lucky}/as-printed.int8") == (f"{first}/as-printed.int8", f"{lucky}/old.int8")
    assert operation.earlier_ids("gather_elements.example.lucky-too/x") == ()


def test_a_rule_needs_calls_that_break_it(folder: Path) -> None:
    rule = """
rules:
  ranks:
    states: Ranks agree.
    cite: {fake.gather: [example.1]}
    require: "index.rank == input.rank"
    keep: {a: {call: {input: {int32: [1]}, dim: 0, index: {int64: [0]}}}}
"""
    assert any("break is missing; add at least one call" in problem for problem in _problems(folder, GOOD + rule))


def test_a_claim_about_a_dtype_that_is_none_names_the_nearest(folder: Path) -> None:
    path = folder / "documents.yaml"
    said = "example.1: {says: A row is read backwards., dtypes: {index: [int23]}}"
    path.write_text(path.read_text().replace("example.1: A row is read backwards.", said, 1))
    problems = _problems(folder)
    assert any("undefined dtype or family 'int23'; did you mean 'int32'?" in problem for problem in problems)
    assert all("documents.yaml:8" in problem for problem in problems)


def test_a_version_range_that_is_none_is_an_error_of_the_document(folder: Path) -> None:
    path = folder / "documents.yaml"
    path.write_text(path.read_text().replace("official: true", "official: true\n    versions: newest"))
    assert any("not a version range: 'newest'" in problem for problem in _problems(folder))

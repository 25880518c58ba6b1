"""Pictures of calls that are part of a page, and formulas: what a reader without scripts sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.outcomes.model import Died
from conformance.reports.site.drawing import drawn_call
from conformance.reports.site.formulas import FORMULAS
from conformance.results.file import Results
from conformance.results.records import Difference, Differences, ResultRecord
from tests.findings.test_recorded_call import record
from tests.outcomes import returned
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE
from tests.reports.sample_questions import CASES, KNOWN, results_to_ask
from tests.reports.site_of import Parsed, site_of, words

GATHERED = replace(
    record("gather_elements", input={"float32": [5, 6, 7]}, index={"int64": [2, 0]}, dim=0),
    expectation={"returns": {"dtype": "float32", "shape": [2], "values": [7, 5]}},
)


def result(came: list[float], *differing: int) -> ResultRecord:
    differences = Differences(len(differing), 2, [Difference([at], 0, 0) for at in differing], None)
    return ResultRecord(
        GATHERED.id, "torch==1@cpu", "torch.gather", "it", returned(came, "float32"), "diverges", "own",
        differences=differences if differing else None,
    )  # fmt: skip


def labels(html: str) -> list[str]:
    return [str(each["aria-label"]) for each in Parsed(html).all("svg")]


def test_a_picture_has_the_tensors_what_should_come_and_what_came_and_marks_what_differs() -> None:
    drawn = drawn_call(GATHERED, result([7.0, 6.0], 1))
    assert drawn is not None
    assert labels(drawn) == ["index: 2, 0", "input: 5, 6, 7", "what should come: 7, 5", "what came: 7.0, 6.0"]
    assert drawn.count('<g class="differs">') == 2
    assert "Cells with ≠ differ." in drawn
    assert "differs" not in str(drawn_call(GATHERED, result([7.0, 5.0])))


def test_the_same_letter_is_at_an_index_at_what_it_selects_and_at_where_that_goes() -> None:
    drawn = drawn_call(GATHERED)
    assert drawn is not None
    of_tensors = [figure.partition("</svg>")[0] for figure in drawn.split('<div class="box">')[1:]]
    lettered = [
        [words(cell) for cell in tensor.split("</g>") if 'class="tag"' in cell]
        for tensor in of_tensors
        if "<svg" in tensor
    ]
    assert [[cell.split()[-2:] for cell in cells] for cells in lettered] == [
        [["2", "a"], ["0", "b"]], [["5", "b"], ["7", "a"]], [["7", "a"], ["5", "b"]],
    ]  # fmt: skip


def test_an_index_out_of_bounds_is_dashed_and_an_end_of_the_process_is_said_in_words() -> None:
    outside = replace(
        GATHERED, call={**GATHERED.call, "index": {"int64": [9, 0]}}, expectation={"raises": "IndexError"}
    )
    drawn = drawn_call(outside, replace(result([]), outcome=Died(signal="SIGABRT"), explanation="the process ended"))
    assert drawn is not None
    assert drawn.count('<g class="outside">') == 1
    assert "an exception: IndexError" in drawn
    assert "SIGABRT" in drawn
    assert "The process ended" in drawn


def test_a_call_that_is_too_large_to_draw_has_no_picture() -> None:
    large = replace(
        GATHERED, call={**GATHERED.call, "input": {"float32": "zeros([100])"}, "index": {"int64": "zeros([90])"}}
    )
    assert drawn_call(large) is None


def test_a_finding_opens_with_its_picture_then_its_script_before_what_is_said_of_it() -> None:
    files = site_of(results_to_ask())
    page = files[f"finding/mindspore-{KNOWN.id}/index.html"]
    assert (
        page.index('<figure class="picture still">')
        < page.index("print(&#39;it ends&#39;)")
        < page.index("<dt>APIs</dt>")
    )
    [other] = [text for path, text in files.items() if path.startswith("finding/torch-")]
    assert (
        other.index('<figure class="picture still">')
        < other.index("<h2>The call</h2>")
        < other.index("conformance repro")
    )


def test_a_finding_without_a_script_shows_its_smallest_call() -> None:
    """The first call of a finding may be any of hundreds."""
    results = results_to_ask()
    [wrong] = [one for one in results.results if one.verdict == "diverges"]
    large = replace(
        CASES["gathered outside"],
        id=f"{wrong.clause}/large",
        call={"input": {"float32": [5] * 30}, "dim": 0, "index": {"int64": [30] * 30}},
    )
    first = [replace(wrong, case=large.id), *results.results]
    files = site_of(replace(results, cases={large.id: large, **results.cases}, results=first))
    [page] = [text for path, text in files.items() if path.startswith("finding/torch-")]
    assert "index: 3, 0" in labels(page)


def test_an_operation_begins_with_its_formula_and_an_example_in_a_picture() -> None:
    page = site_of(results_to_ask())["operation/gather_elements/index.html"]
    assert (
        page.index("result[p, q] = input[p, index[p, q]]")
        < page.index('<figure class="picture still">')
        < page.index("<table")
    )
    assert "index: 1, 0" in labels(page)


def test_each_operation_of_the_suite_has_a_formula_of_three_lines() -> None:
    specs = {path.stem for path in (Path(__file__).parents[2] / "specs").glob("*.yaml")} - {"documents", "programs"}
    assert FORMULAS.keys() == specs
    assert {text.count("\n") for text in FORMULAS.values()} == {2}


@pytest.mark.parametrize("name", ["name", "element"])
def test_hostile_names_and_elements_are_text(name: str) -> None:
    call = {**GATHERED.call, **({HOSTILE: 1} if name == "name" else {})}
    case = replace(
        GATHERED, call=call, expectation={"returns": {"dtype": "float32", "shape": [1], "values": [HOSTILE]}}
    )
    drawn = drawn_call(case, result([7.0, 5.0]))
    assert drawn is not None
    assert Parsed(drawn).all("img") == []


def test_no_picture_of_the_sample_breaks_a_page() -> None:
    results: Results = sample()
    drawn = [drawn_call(results.cases[one.case], one) for one in results.results]
    for each in filter(None, drawn):
        Parsed(each)
    assert any(drawn)

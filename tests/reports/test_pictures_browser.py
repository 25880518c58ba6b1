"""The drawings of calls in a real browser."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.outcomes.model import Died, Outcome, Returned
from conformance.reports.literals import Elements, call_text, flat_elements
from conformance.reports.site import write_site
from conformance.reports.site.call_data import arguments_of, compact
from conformance.reports.site.pictures import is_drawn
from conformance.results.file import Results
from conformance.results.records import (
    ClauseRecord,
    Difference,
    Differences,
    EndRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from tests.findings.test_recorded_call import record
from tests.outcomes import raised, returned
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.test_pictures import SELECT

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]

TARGET, API = "torch==2.13.0@cpu", "torch.index_put"
HOSTILE = "<img src=x onerror=alert(1)>"


def _returns(dtype: str, shape: list[int], values: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "values": values, "digest": "0"}


ROWS = replace(
    record(
        "tensor_scatter_nd_update",
        tensor={"int32": "zeros([3, 2])"},
        indices={"int32": [[2], [0]]},
        updates={"int32": [[1, 2], [3, 4]]},
    ),
    expectation={"returns": {**_returns("int32", [3, 2], [[3, 4], [0, 0], [1, 2]]), "source": "spec"}},
)
ELEMENTS = replace(
    record("gather_elements", input={"int64": [[1, 2], [3, 4]]}, dim=1, index={"int64": [[0, 2], [1, 0]]}),
    expectation={"raises": HOSTILE},
)
FOUR_AXES = replace(
    record(
        "gather_nd", params={"int32": "reshape(arange(0, 24), [2, 3, 2, 2])"}, indices={"int32": [[[1, 0]], [[0, 2]]]}
    ),
    expectation={"observed": "no document says it"},
)
READ = replace(
    record("gather_nd", params={"int32": [[1, 2], [3, 4], [5, 6]]}, indices={"int32": [[2], [0]]}),
    expectation={"returns": {**_returns("int32", [2, 2], [[5, 6], [1, 2]]), "source": "spec"}},
)
MISFIT = record(
    "scatter_nd", indices={"int32": [[[1]], [[0]]]}, updates={"int32": [5, 6]}, shape=[2]
)  # whose updates lack a batch axis
LARGE = record(
    "tensor_scatter_nd_update",
    tensor={"float32": "zeros([13, 11, 7])"},
    indices={"int32": [[0, 0], [12, 10]]},
    updates={"float32": "ones([2, 7])"},
)
CASES = {
    "rows": ROWS,
    "read": READ,
    "elements": ELEMENTS,
    "four-axes": FOUR_AXES,
    "misfit": MISFIT,
    "large": LARGE,
    "slices": SELECT,
}
WRONG = Differences(2, 6, [Difference([0, 1], 4, 0), Difference([2, 0], 1, 9)])


def _result(name: str, outcome: Outcome, verdict: Any, **more: Any) -> ResultRecord:
    return ResultRecord(f"it.rule.all/{name}", TARGET, API, "it.rule.all", outcome, verdict, "portability", **more)


RESULTS = [
    _result(
        "rows",
        returned([[3, 0], [0, 0], [9, 2]]),
        "diverges",
        divergence=["value"],
        differences=WRONG,
    ),
    _result("elements", raised("IndexError", HOSTILE), "conforms"),
    _result("four-axes", returned([[[[12, 13], [14, 15]]], [[[8, 9], [10, 11]]]]), "observed"),
    _result("read", returned([[5, 6], [1, 2]]), "conforms"),
    _result("misfit", Died(signal="SIGABRT", stderr="check failed"), "died"),
    _result("slices", returned([[3, 1, 0], [6, 4, 0]]), "observed"),
    _result("large", Returned("float32", (13, 11, 7), "1"), "observed"),
]  # fmt: skip


def _results() -> Results:
    clause = ClauseRecord("it.rule.all", "it", "rule", "Everything fits.", [], "specs/it.yaml:1")
    cases = {
        f"it.rule.all/{name}": replace(case, id=f"it.rule.all/{name}", clause=clause.id, operation="it")
        for name, case in CASES.items()
    }
    return Results(
        run=RunRecord("2026-01-09T08:07:06+00:00", "conformance run torch", 7, "f00d", "0.1.0"),
        targets=[TargetRecord(TARGET, "torch", "2.13.0", "cpu", "eager", title="PyTorch")],
        clauses={clause.id: clause},
        cases=cases,
        results=RESULTS,
        end=EndRecord(True, {}),
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("site")
    write_site(_results(), folder)
    return (folder / "api" / API / "index.html").as_uri()


def _opened(browser: Browser, address: str, name: str, **how: Any) -> Page:
    page = browser.open(f"{address}#call=it.rule.all/{name}", **how)
    page.wait_for("document.querySelector('.picture svg')")
    return page


def _texts(page: Page, selector: str) -> list[str]:
    texts: list[str] = page.evaluate(
        f"[...document.querySelectorAll('.picture {selector}')].map((one) => one.textContent)"
    )
    return texts


@pytest.mark.parametrize("name", CASES)
def test_every_drawing_is_an_image_with_a_title_and_words_and_breaks_no_policy(
    browser: Browser, address: str, name: str
) -> None:
    page = _opened(browser, address, name)
    assert page.evaluate("document.querySelector('.picture svg').getAttribute('role')") == "img"
    assert page.evaluate(
        "document.querySelector('.picture svg').getAttribute('aria-labelledby').split(' ')"
        ".every((id) => document.getElementById(id).textContent.length > 20)"
    )
    assert page.evaluate("document.querySelectorAll('.picture [style]').length") == 0
    assert page.errors == []


def test_the_words_say_which_vector_points_where_and_what_goes_there(browser: Browser, address: str) -> None:
    [words] = _texts(_opened(browser, address, "rows"), "desc")
    assert "indices: int32 (2, 1), axes batch, depth." in words
    assert "a: [2] points to tensor[2, 0] and on, where updates[0, 0] and on goes." in words
    assert "2 of 6 elements differ." in words


def test_the_words_say_which_slice_an_index_takes(browser: Browser, address: str) -> None:
    [words] = _texts(_opened(browser, address, "slices"), "desc")
    assert "index: int64 (3,), axes picked. input: int32 (2, 3), axes before, along." in words
    assert "a: [2] points to input[0, 2] and on" in words
    assert "c: [3] is out of bounds." in words


def test_what_belongs_together_has_one_number_and_one_tint(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "rows")
    cells = "[...document.querySelectorAll('.picture .cell-of')].filter((one) => one.querySelector('.tag'))"
    tagged = page.evaluate(
        f"{cells}.map((one) => one.querySelector('.value').textContent + ' ' + one.querySelector('.tag').textContent)"
    )
    # the indices, the tensor of zeros, the updates; then expected and got, where 4 and 1 are told as different
    assert tagged[:6] == ["2 a", "0 b", "0 b", "0 a", "1 a", "3 b"]
    assert page.evaluate("document.querySelectorAll('.picture .tint-0').length") == 1 + 2 + 2 + 1 + 1


def test_arrows_go_from_each_vector_to_its_slice_and_from_each_update_into_it(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "rows")
    assert page.evaluate("document.querySelectorAll('.picture .arrow').length") == 4


def test_a_gather_has_arrows_from_each_row_of_indices_to_the_row_that_it_reads(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "read")
    assert page.evaluate("document.querySelectorAll('.picture .arrow').length") == 2 + 2


LABELS_UNDER_ARROWS = """
[...document.querySelectorAll(".picture .arrow")].flatMap((arrow) => {
  const { left, top } = arrow.ownerSVGElement.getBoundingClientRect();
  const points = Array.from({ length: 60 }, (_, at) => arrow.getPointAtLength(arrow.getTotalLength() * at / 59));
  return [...arrow.ownerSVGElement.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return points.some(({ x, y }) => x + left > box.left && x + left < box.right && y + top > box.top && y + top < box.bottom);
  }).map((text) => text.textContent);
})
"""


@pytest.mark.parametrize("name", ["rows", "read", "elements", "four-axes"])
def test_no_arrow_lies_over_a_label(browser: Browser, address: str, name: str) -> None:
    page = _opened(browser, address, name)
    assert page.evaluate("document.querySelectorAll('.picture .arrow').length") > 0
    assert page.evaluate(LABELS_UNDER_ARROWS) == []


def test_elements_that_differ_have_an_edge_and_a_sign_in_what_was_expected_and_in_what_was_got(
    browser: Browser, address: str
) -> None:
    page = _opened(browser, address, "rows")
    assert page.evaluate("document.querySelectorAll('.picture .differs .ring').length") == 4
    assert _texts(page, ".differs .value") == ["4", "1", "0", "9"]
    assert _texts(page, ".differs .end") == ["≠"] * 4


def test_axis_groups_are_told_apart_by_colour_line_and_name(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "rows")
    names = _texts(page, ".axis")
    assert {"batch: axis 0", "depth: axis 1", "outer: axis 0", "inner: axis 1"} <= set(names)
    strokes = page.evaluate(
        "[0, 1, 2].map((colour) => getComputedStyle(document.querySelector(`.picture .axis.colour-${colour} path`)))"
        ".map((style) => style.stroke + ' ' + style.strokeDasharray)"
    )
    assert len(set(strokes)) == 3
    assert len({stroke.split(") ")[1] for stroke in strokes}) == 3


def test_an_index_outside_stands_out_and_the_error_is_text(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "elements")
    assert _texts(page, ".outside .value") == ["2"]
    said = " ".join(_texts(page, ".message-box ~ text"))
    assert "an exception: <img src=x" in said
    assert page.evaluate("document.querySelectorAll('.picture img').length") == 0


def test_four_axes_are_nested_blocks_with_a_bracket_each(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "four-axes")
    assert {"outer 2", "outer 3", "inner 2"} <= set(_texts(page, ".axis text"))
    assert page.evaluate("document.querySelectorAll('.picture .cell-of').length") == 4 + 24 + 8


def test_incompatible_arguments_are_drawn_without_groups_and_with_a_notice(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "misfit")
    assert _texts(page, ".axis") == []
    assert "are incompatible" in page.evaluate("document.querySelector('.picture figcaption').textContent")
    assert "the process was killed by SIGABRT" in _texts(page, ".small")


def test_a_large_tensor_is_a_block_with_its_shape_and_where_the_vectors_point(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "large")
    assert "1001 elements" in _texts(page, ".small")
    places = page.evaluate(
        "[...document.querySelectorAll('.picture .spot circle')].map((one) => Number(one.getAttribute('cx')))"
    )
    assert (places[0] < 20, places[1] > 120) == (True, True)


@pytest.mark.parametrize("name", CASES)
def test_on_a_narrow_screen_the_drawing_is_wrapped_or_scrolls_and_the_page_does_not(
    browser: Browser, address: str, name: str
) -> None:
    page = _opened(browser, address, name, width=390)
    assert page.evaluate("document.querySelector('#panel').scrollWidth <= 390")
    assert page.evaluate("document.querySelector('.picture .scroll').clientWidth <= 390")


ARRAYS: list[tuple[str, Any]] = [
    ("int64", 5),
    ("int64", [[number * scale for number in range(12)] for scale in (1, 1000)]),
    ("float32", [[[1.0, "nan"], [-0.0, 1e-07]]] * 9),
    ("int64", ["9007199254740993", 2**62, -1]),
    ("bool", [[True, False, None]]),
    ("float64", [[], []]),
    ("complex64", ["(1+2j)", '"', "a, b]", "\\", {"a": [1, 2]}]),
]


@pytest.mark.parametrize(("dtype", "values"), ARRAYS)
def test_the_panel_writes_arrays_as_the_terminal_does(browser: Browser, address: str, dtype: str, values: Any) -> None:
    page = browser.open(address)
    shape = (len(flat_elements(values)),)
    array = Elements(dtype, shape, values, ("tolerance 1",))
    shown = page.evaluate(f"description({json.dumps(compact(array))})")
    assert "\n".join([shown["head"], shown["body"], *shown["notes"]]) == array.text
    assert shown["cells"] == (flat_elements(values) if is_drawn(shape) else None)
    call = {"input": {dtype: values, "view": "offset"}, "a longer name": {dtype: values}, "dim": -1}
    case = replace(ROWS, call=call)
    lines = page.evaluate(f"callText('it', callTexts({json.dumps(arguments_of(case.arguments))}))").splitlines()
    assert [line.removeprefix("  ") for line in lines[1:-1]] == call_text(call).splitlines()


def test_a_picture_shows_the_elements_that_stand_in_the_call(browser: Browser, address: str) -> None:
    page = _opened(browser, address, "elements")
    cells = page.evaluate("[...document.querySelectorAll('.picture .cell-of .value')].map((one) => one.textContent)")
    assert cells == ["0", "2", "1", "0", "1", "2", "3", "4"]
    assert "index: int64 (2, 2)" in _texts(page, "desc")[0]

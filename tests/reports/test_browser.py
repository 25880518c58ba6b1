"""The page in a real browser."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.reports.html import index_html
from conformance.results.records import RelationRecord
from tests.outcomes import returned
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample import sample

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]

OPEN = "#case=scatter_nd.relation.zeros-then-add/1&api=mindspore.ops.scatter_nd&target=mindspore%3D%3D2.10.0%40cpu"
SHOWN = "!document.getElementById('panel').hidden"
SCROLL_LIMIT = 10.0
"""Seconds for the browser to scroll to the target of a link."""
ROWS = "[...document.querySelectorAll('tr.clause')].filter((row) => row.checkVisibility()).length"


def in_sight(page: Page, selector: str) -> bool:
    """Whether an element begins inside the window, once the browser has scrolled."""
    position = f"document.querySelector({selector!r}).getBoundingClientRect().top"
    shown = f"(() => {{ const top = {position}; return top >= 0 && top < innerHeight; }})()"
    deadline = time.monotonic() + SCROLL_LIMIT
    while not page.evaluate(shown):
        if time.monotonic() > deadline:
            return False
    return True


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(index_html(sample()), encoding="utf-8")
    return path.as_uri()


def test_the_page_opens_without_an_error_or_a_request(browser: Browser, address: str) -> None:
    page = browser.open(address)
    assert page.evaluate(ROWS) == 9
    assert page.errors == []
    assert page.requests == [address]


def test_without_scripts_the_overview_is_whole_and_says_what_is_missing(browser: Browser, address: str) -> None:
    page = browser.open(address, scripts=False)
    assert page.evaluate(ROWS) == 9
    assert page.evaluate("document.getElementById('filters').hidden")
    assert page.evaluate("document.querySelector('noscript').checkVisibility()")


def test_a_click_on_a_cell_opens_what_happened_and_escape_goes_back_to_the_cell(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.click(".matrix td.hung")
    page.wait_for(SHOWN)
    text = page.evaluate("document.getElementById('panel').innerText")
    for part in ("tf.scatter_nd", "hung", "no answer within 30 s", "waiting for a lock", "indices = int32 [[4]"):
        assert part in text
    page.press("Escape")
    assert page.evaluate("document.getElementById('panel').hidden")
    assert page.evaluate("document.activeElement.matches('td.hung')")


def test_a_deep_link_opens_the_case_marks_its_cell_and_the_elements_that_differ(browser: Browser, address: str) -> None:
    page = browser.open(address + OPEN)
    page.wait_for(SHOWN)
    assert page.evaluate("document.querySelector('.matrix td[aria-current]').textContent.includes('value')")
    marked = "[...document.querySelectorAll('#panel .differs .value')].map((cell) => cell.textContent)"
    assert page.evaluate(marked) == ["0", "12", "7", "-12"]


def test_what_no_picture_draws_is_a_grid_with_the_elements_that_differ_marked(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    results = sample()
    relation = "scatter_nd.relation.zeros-then-add/1"
    cases = {relation: replace(results.cases[relation], expectation={"relation": {"left": "a", "right": "b"}})}
    right = RelationRecord({}, returned((0, 11, 0, 10, 9, 0, 0, 12)))
    some = [replace(one, relation=right) for one in results.results if one.case == relation]
    path: Path = tmp_path_factory.mktemp("relation") / "index.html"
    path.write_text(index_html(replace(results, cases=cases, results=some)), encoding="utf-8")
    page = browser.open(path.as_uri() + OPEN)
    page.wait_for(SHOWN)
    marked = "[...document.querySelectorAll('.grid td.differs')].map((cell) => cell.firstChild.textContent)"
    assert page.evaluate(marked) == ["0", "12", "7", "-12"]


def test_a_link_to_a_case_that_is_gone_says_so(browser: Browser, address: str) -> None:
    page = browser.open(address + "#case=scatter_nd.rule.gone/1")
    page.wait_for(SHOWN)
    assert "Not in these results" in page.evaluate("document.getElementById('panel').innerText")


def test_a_link_to_a_missing_target_opens_the_same_case_on_the_same_api_with_a_notice(
    browser: Browser, address: str
) -> None:
    page = browser.open(address + OPEN.replace("2.10.0", "2.9.0"))
    page.wait_for(SHOWN)
    text = page.evaluate("document.getElementById('panel').innerText")
    assert "No result of this case for mindspore==2.9.0@cpu" in text
    assert "mindspore.ops.scatter_nd" in text


def test_every_cell_opens(browser: Browser, address: str) -> None:
    page = browser.open(address)
    for number in range(page.evaluate("document.querySelectorAll('.matrix td:not(.none)').length")):
        page.evaluate(f"document.querySelectorAll('.matrix td:not(.none)')[{number}].click()")
        page.wait_for(f"document.querySelectorAll('.matrix td:not(.none)')[{number}].hasAttribute('aria-current')")
    assert page.errors == []
    assert page.requests == [address]


def test_hostile_strings_stay_text_in_the_panel(browser: Browser, address: str) -> None:
    hostile = "#case=gather_elements.rule.hostile/broken.1&api=torch.gather&target=torch%3D%3D2.13.0%40cpu"
    page = browser.open(address + hostile)
    page.wait_for(SHOWN)
    assert page.evaluate("document.querySelectorAll('img, #panel script').length") == 0
    assert "<img src=x onerror=alert(1)>" in page.evaluate("document.getElementById('panel').innerText")
    assert not page.evaluate("[...document.links].some((link) => link.protocol === 'javascript:')")


def test_a_search_shows_the_clauses_that_have_all_its_words_and_is_in_the_address(
    browser: Browser, address: str
) -> None:
    page = browser.open(address)
    page.evaluate("document.getElementById('query').focus()")
    page.type("BATCH updates")
    page.wait_for(f"{ROWS} === 1")
    assert page.evaluate("location.hash") == "#q=BATCH%20updates"
    assert page.evaluate("document.getElementById('filter-status').textContent") == "1 of 9 clauses"


def test_filters_come_from_the_address_and_go_back_into_it(browser: Browser, address: str) -> None:
    page = browser.open(address + "#only=died&only=hung&without=mindspore%3D%3D2.10.0%40cpu")
    assert page.evaluate(ROWS) == 2
    assert page.evaluate("document.querySelectorAll('[name=only]:checked').length") == 2
    columns = "[...document.querySelectorAll('.matrix .head')].filter((head) => head.checkVisibility()).length"
    assert page.evaluate(columns) == 4
    page.click("#reset")
    page.wait_for(f"{ROWS} === 9")
    assert page.evaluate("location.hash") in ("", "#")


def test_a_cell_opened_under_a_filter_keeps_the_filter(browser: Browser, address: str) -> None:
    page = browser.open(address + "#only=hung")
    page.click(".matrix td.hung")
    page.wait_for(SHOWN)
    assert "only=hung" in page.evaluate("location.hash")
    assert page.evaluate(ROWS) == 1


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.innerText"))


def test_the_keyboard_alone_walks_a_matrix_and_opens_and_closes_a_cell(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.evaluate("document.querySelector('.matrix-scroll').focus()")
    page.press("Tab")
    assert page.evaluate("document.activeElement.matches('.matrix a.to-claim')")
    page.evaluate("document.querySelector('.matrix td[tabindex]').focus()")
    page.press("ArrowDown", "ArrowDown", "End", "ArrowLeft", "ArrowLeft", "ArrowRight")
    assert "accepted" in focused(page)
    page.press("Enter")
    page.wait_for(SHOWN)
    assert page.evaluate("document.activeElement.id") == "panel"
    page.press("Tab")
    assert page.evaluate("document.activeElement.className") == "close"
    page.press("Enter")
    page.wait_for(f"!({SHOWN})")
    assert "accepted" in focused(page)
    assert page.evaluate("document.querySelectorAll('.matrix td[tabindex]').length") == 2


def test_a_link_to_a_claim_unfolds_its_document_and_shows_it(browser: Browser, address: str) -> None:
    page = browser.open(address + OPEN)
    page.wait_for(SHOWN)
    page.evaluate("document.querySelector('#panel a.to-claim').click()")
    page.wait_for("document.querySelector('.claim:target').checkVisibility()")
    assert page.evaluate("document.getElementById('panel').hidden")
    assert in_sight(page, ".claim:target")


def test_a_claim_is_unfolded_where_a_browser_does_not_do_so_by_itself(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.evaluate("location.hash = document.querySelector('tr.clause a.to-claim').hash")
    page.wait_for("document.querySelector('.claim:target').checkVisibility()")
    page.evaluate("document.querySelector('.claim:target').closest('details').open = false; scrollTo(0, 0)")
    page.evaluate("window.dispatchEvent(new Event('hashchange'))")
    assert page.evaluate("document.querySelector('.claim:target').checkVisibility()")
    assert in_sight(page, ".claim:target")


def test_a_link_to_a_clause_shows_its_row_even_where_a_filter_hid_it(browser: Browser, address: str) -> None:
    page = browser.open(address + "#only=hung")
    assert page.evaluate(ROWS) == 1
    page.evaluate("location.hash = '#clause/scatter_nd.relation.zeros-then-add'")
    page.wait_for(f"{ROWS} === 9")
    page.wait_for("document.querySelector('tr.clause:target') !== null")
    assert in_sight(page, "tr.clause:target")


def test_without_scripts_links_lead_from_a_clause_to_its_claims_and_back(browser: Browser, address: str) -> None:
    page = browser.open(address, scripts=False)
    link = page.evaluate("document.querySelector('tr.clause a.to-claim').href")
    page = browser.open(link, scripts=False)
    assert in_sight(page, ".claim:target")
    page = browser.open(page.evaluate("document.querySelector('.claim:target a.to-clause').href"), scripts=False)
    assert in_sight(page, "tr.clause:target")


def test_a_filter_keeps_cells_that_hold_such_results_beside_the_worst_that_they_name(
    browser: Browser, address: str
) -> None:
    page = browser.open(address)
    page.evaluate("location.hash = '#only=conforms'")
    page.wait_for("document.querySelector('td.faded') !== null")
    assert not page.evaluate("document.querySelector('.matrix td.own').matches('.faded')")
    assert page.evaluate("document.querySelector('.matrix td.hung').matches('.faded')")


@pytest.mark.parametrize("width", [320, 400, 800, 1400])
@pytest.mark.parametrize("link", ["", OPEN])
def test_the_page_is_never_wider_than_its_window(browser: Browser, address: str, width: int, link: str) -> None:
    page = browser.open(address + link, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_scheme_of_the_reader_is_followed(browser: Browser, address: str) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    assert browser.open(address).evaluate(paper) == "rgb(255, 255, 255)"
    assert browser.open(address, dark=True).evaluate(paper) == "rgb(20, 24, 29)"


def test_the_title_tells_what_a_link_opens(browser: Browser, address: str) -> None:
    page = browser.open(address + "#view=porting&q=shape")
    title = page.evaluate("document.title")
    assert title.startswith("“shape” · Porting · Conformance")
    assert browser.open(address).evaluate("document.title") == "Conformance of scatter and gather"


OWN = "#case=gather_elements.behaviour.nan-payload/1&api=torch.gather&target=torch%3D%3D2.13.0%40cpu"


def test_a_finding_that_is_not_reported_upstream_offers_the_text_of_an_issue(browser: Browser, address: str) -> None:
    page = browser.open(address + OWN)
    page.wait_for(SHOWN)
    text = page.evaluate("document.querySelector('#panel .issue pre').textContent")
    assert text.startswith("**torch.gather: 1 of 3 elements differ.**\n\nPyTorch 2.13.0, cpu, eager\n\n")
    for part in ("What the documentation says, in other words:\n- ", "Call:\n\n```text\n", "Expected:", "Actual:"):
        assert part in text
    assert page.evaluate(
        "[...document.querySelectorAll('#panel a')].some((one) => one.textContent === 'Issues of PyTorch 2.13.0')"
    )


def test_a_difference_from_another_api_is_nothing_to_report(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.click(".matrix td.portability")
    page.wait_for(SHOWN)
    assert "accepted" in page.evaluate("document.querySelector('#panel .verdict').textContent")
    assert page.evaluate("document.querySelector('#panel .issue') === null")

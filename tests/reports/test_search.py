"""The search, in a real browser."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_questions import results_to_ask

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]

HITS = "document.getElementById('hits')"
VISIBLE_ROWS = "[...document.querySelectorAll('.behaviours tbody tr')].filter((row) => row.checkVisibility())"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("search") / "index.html"
    path.write_text(index_html(results_to_ask()), encoding="utf-8")
    return path.as_uri()


def searched(browser: Browser, address: str, text: str) -> Page:
    page = browser.open(f"{address}#q={quote(text)}")
    page.wait_for(f"!{HITS}.hidden")
    return page


def situations(page: Page) -> set[str]:
    return set(page.evaluate(f"{VISIBLE_ROWS}.map((row) => row.cells[0].innerText)"))


@pytest.mark.parametrize("text", ["out of range", "out of bounds", "past the end"])
def test_synonyms_find_the_same_situation(browser: Browser, address: str, text: str) -> None:
    assert situations(searched(browser, address, text)) == {"index past the end"}


@pytest.mark.parametrize(
    ("text", "hits"),
    [("SIGABRT", "1 row of behaviour"), ("RuntimeError", "1 clause"), ("int8", "1 clause"), ("compile", "1 finding")],
)
def test_signals_errors_dtypes_and_modes_are_found(browser: Browser, address: str, text: str, hits: str) -> None:
    page = searched(browser, address, text)
    page.wait_for(f"{HITS}.innerText.includes({hits!r})")


def test_an_api_is_linked_and_narrows_the_columns(browser: Browser, address: str) -> None:
    page = searched(browser, address, "tf.scatter_nd")
    assert page.evaluate(f"{HITS}.querySelector('a').textContent") == "tf.scatter_nd"
    shown = "[...document.querySelectorAll('#op-scatter_nd .apis th')].filter((each) => !each.hidden)"
    assert set(page.evaluate(f"{shown}.map((each) => each.dataset.api)")) == {"tf.scatter_nd"}
    page.evaluate("query.value = '', query.dispatchEvent(new Event('input', { bubbles: true }))")
    page.wait_for(f"{HITS}.hidden")
    assert len(page.evaluate(f"{shown}.map((each) => each.dataset.api)")) > 1


def test_a_search_without_hits_says_what_to_try(browser: Browser, address: str) -> None:
    page = searched(browser, address, "quantum")
    assert "Try fewer of them" in page.evaluate(f"{HITS}.innerText")
    assert situations(page) == set()


def test_the_address_and_the_title_say_what_was_searched(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.evaluate("query.value = 'negative', query.dispatchEvent(new Event('input', { bubbles: true }))")
    assert page.evaluate("location.hash") == "#q=negative"
    assert "negative" in page.evaluate("document.title")


def test_a_table_is_sorted_by_the_heading_that_is_pressed(browser: Browser, address: str) -> None:
    page = browser.open(address)
    results = "[...document.querySelectorAll('.totals tbody tr:not([data-follows])')].map((row) => Number(row.cells[2].innerText))"
    page.evaluate("document.querySelectorAll('.totals thead th')[2].querySelector('button').click()")
    numbers = page.evaluate(results)
    assert numbers == sorted(numbers)
    page.evaluate("document.querySelectorAll('.totals thead th')[2].querySelector('button').click()")
    assert page.evaluate(results) == sorted(numbers, reverse=True)


def test_a_table_that_goes_on_to_the_right_shows_it_until_its_end_is_reached(browser: Browser, address: str) -> None:
    page = browser.open(address, width=730)
    box = "document.querySelector('#do-tensor_scatter_nd_update .scroll')"
    page.evaluate(f"{box}.scrollIntoView()")
    page.wait_for(f"{box}.classList.contains('goes-on')")
    page.evaluate(f"{box}.scrollLeft = 9999")
    page.wait_for(f"!{box}.classList.contains('goes-on')")

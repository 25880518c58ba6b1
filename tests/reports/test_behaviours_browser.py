"""The behaviour table in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, Browser
from tests.reports.sample_porting import results_in_modes, results_to_port
from tests.reports.test_accessibility import AXE, NO_AXE, violations

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]

ROW = "[...document.querySelectorAll('.behaviours tbody th')].find((one) => one.textContent === 'index past the end')"
SHOWN = "!document.getElementById('panel').hidden"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("behaviours") / "index.html"
    path.write_text(index_html(results_to_port()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("modes") / "index.html"
    path.write_text(index_html(results_in_modes(9)), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_first_screen_says_what_happens_past_the_end(browser: Browser, address: str, scripts: bool) -> None:
    page = browser.open(address, height=1000, scripts=scripts)
    assert page.evaluate(f"{ROW}.getBoundingClientRect().bottom < innerHeight")
    assert page.evaluate(f"{ROW}.nextElementSibling.innerText.includes('raises')")


def test_a_cell_opens_to_the_call_and_its_script(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.evaluate(f"{ROW}.parentElement.querySelector('a').click()")
    page.wait_for(SHOWN)
    text = page.evaluate("document.getElementById('panel').innerText")
    assert "indices = " in text
    assert "conformance repro" in text
    assert "case=gather_nd.rule.all/" in page.evaluate("location.hash")
    page.press("Escape")
    assert page.evaluate("document.activeElement.closest('.behaviours') !== null")


def test_a_cell_that_opens_stays_where_it_is_and_is_not_covered(browser: Browser, many: str) -> None:
    page = browser.open(many, height=400)
    page.click("button.fold")
    cell = "[...document.querySelectorAll('.behaviours tbody tr:nth-last-child(2) a')].at(-1)"
    page.evaluate(f"{cell}.scrollIntoView({{ block: 'center' }})")
    top = page.evaluate(f"{cell}.getBoundingClientRect().top")
    page.evaluate(f"{cell}.click()")
    page.wait_for(SHOWN)
    assert abs(page.evaluate(f"{cell}.getBoundingClientRect().top") - top) < 2
    edge = "document.getElementById('panel').getBoundingClientRect().left"
    assert page.evaluate(f"{cell}.getBoundingClientRect().right <= {edge}")
    page.press("Escape")
    assert abs(page.evaluate(f"{cell}.getBoundingClientRect().top") - top) < 2


COLUMNS = "[...document.querySelectorAll('.behaviours thead th')].filter((each) => each.checkVisibility()).length"
OTHERWISE = "[...document.querySelectorAll('.otherwise')].filter((each) => each.checkVisibility())"


def test_modes_of_a_framework_are_folded_where_targets_are_many_and_said_where_they_differ(
    browser: Browser, many: str
) -> None:
    page = browser.open(many)
    assert page.evaluate(COLUMNS) == 1 + 3
    assert page.evaluate(f"{OTHERWISE}.map((each) => each.textContent)") == ["otherwise in cpu, mode-8"]
    page.click("button.fold")
    assert page.evaluate(COLUMNS) == 1 + 12
    assert page.evaluate(f"{OTHERWISE}.length") == 0
    page.click("button.fold")
    assert page.evaluate(COLUMNS) == 1 + 3


def test_no_mode_is_folded_without_scripts(browser: Browser, many: str) -> None:
    assert browser.open(many, scripts=False).evaluate(COLUMNS) == 1 + 12


def test_columns_of_a_target_come_into_the_matrix_at_their_place_when_it_is_chosen(browser: Browser, many: str) -> None:
    page = browser.open(many + "#with=torch%3D%3D1.0%5Bmode-8%5D%40cpu")
    heads = "[...document.querySelectorAll('.matrix .head')].map((each) => each.dataset.target)"
    page.wait_for(f"{heads}.length === 4")
    assert page.evaluate(heads)[-1] == "torch==1.0[mode-8]@cpu"
    row = "[...document.querySelector('tr.clause').cells].map((each) => each.innerText.replaceAll(/\\s+/g, ' '))"
    assert page.evaluate(row)[-1] == page.evaluate(row)[1].replace("observed 9", "died 1 of 1 8 open")
    page.evaluate("document.querySelector('tr.clause').lastElementChild.click()")
    page.wait_for(SHOWN)
    assert "mode-8" in page.evaluate("document.querySelector('#panel .crumbs').textContent")


@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_is_wider_than_the_screen(browser: Browser, address: str, width: int) -> None:
    page = browser.open(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.errors == []


@pytest.mark.skipif(not AXE, reason=NO_AXE)
@pytest.mark.parametrize(("width", "dark"), [(1400, False), (390, True)], ids=["wide and light", "narrow and dark"])
def test_axe_finds_nothing(browser: Browser, address: str, width: int, dark: bool) -> None:
    assert violations(browser.open(address, width=width, dark=dark)) == []

"""The views besides the overview, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_several import OLDER, several

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]

VIEW = "document.getElementById('view')"
READY = f"{VIEW}.querySelector('h2') !== null"
PANEL = "!document.getElementById('panel').hidden"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("views") / "index.html"
    path.write_text(index_html(several()), encoding="utf-8")
    return path.as_uri()


def shown(browser: Browser, address: str, width: int = 1400) -> Page:
    page = browser.open(address, width=width)
    page.wait_for(READY)
    return page


def text(page: Page, selector: str = "#view") -> str:
    return " ".join(str(page.evaluate(f"document.querySelector({selector!r}).innerText")).split())


def count(page: Page, selector: str) -> int:
    return int(page.evaluate(f"document.querySelectorAll({selector!r}).length"))


def test_every_tab_shows_its_view_alone_and_is_in_the_address(browser: Browser, address: str) -> None:
    page = browser.open(address)
    for number in range(count(page, "#views a")):
        name = page.evaluate(f"document.querySelectorAll('#views a')[{number}].textContent")
        page.evaluate(f"document.querySelectorAll('#views a')[{number}].click()")
        page.wait_for(f"document.querySelector('#views [aria-current]').textContent === {name!r}")
        page.wait_for("[...document.querySelectorAll('main > *')].filter((one) => one.checkVisibility()).length === 1")
        page.wait_for("document.querySelector('main > :not([hidden]) h2') !== null")
    assert page.errors == []
    assert page.requests == [address]


def test_a_question_lists_its_findings_and_each_opens_its_result(browser: Browser, address: str) -> None:
    page = shown(browser, f"{address}#view=questions&ask=ends")
    assert "Dies or hangs" in text(page, "#answer")
    assert count(page, "#view .findings > li") == 2
    page.click("#view .findings a.open")
    page.wait_for(PANEL)
    assert "view=questions" in page.evaluate("location.hash")
    page.press("Escape")
    page.wait_for(f"!({PANEL})")
    assert page.evaluate("document.activeElement.matches('#view .findings a.open')")


def test_findings_tell_what_a_ledger_knows_from_what_is_new(browser: Browser, address: str) -> None:
    page = shown(browser, f"{address}#view=questions&ask=own")
    assert "known: mindspore-shape-error-type" in text(page)
    assert count(page, "#view .findings .where b") == 3


def test_a_known_divergence_has_its_reason_and_link_in_the_panel(browser: Browser, address: str) -> None:
    case = "scatter_nd.rule.shape-positive/broken.2"
    page = browser.open(f"{address}#case={case}&api=mindspore.ops.scatter_nd&target=mindspore%3D%3D2.10.0%40cpu")
    page.wait_for(PANEL)
    assert "Every error of an operator is a RuntimeError. Report" in text(page, "#panel")
    assert count(page, "#panel a[href='https://gitee.com/mindspore/mindspore/issues/1']") == 1


def test_versions_show_what_changed_and_only_the_clauses_on_which_they_differ(browser: Browser, address: str) -> None:
    page = shown(browser, f"{address}#view=versions")
    assert text(page, ".step summary") == "2.1.2 → 2.13.0 1 call changed, 7 the same, 4 not comparable"
    row = text(page, ".by-condition tbody tr")
    assert row.startswith("torch.gather gather_elements")
    assert row.endswith("raises IndexError ✓ returns 1")
    assert count(page, ".timeline tbody tr") == 1
    cells = [page.evaluate(f"document.querySelectorAll('.timeline td')[{at}].innerText") for at in (0, 1)]
    assert [" ".join(one.split()) for one in cells] == [
        "raises IndexError 1", "≠ changed: returns 2, raises NotImplementedError 1"
    ]  # fmt: skip


def test_versions_can_be_compared_and_unchanged_clauses_be_shown_by_the_address(browser: Browser, address: str) -> None:
    page = shown(browser, f"{address}#view=versions&every=yes")
    assert count(page, ".timeline tbody tr") > 3
    page.tab.select_option("#choose-before", label="2.1.2")
    page.tab.select_option("#choose-after", label="2.13.0")
    page.tab.uncheck("#every")
    page.wait_for("document.querySelectorAll('.timeline tbody tr').length === 1")
    assert page.evaluate("document.activeElement.id") == "every"
    for part in ("before=torch%3D%3D2.1.2%40cpu", "after=torch%3D%3D2.13.0%40cpu"):
        assert part in page.evaluate("location.hash")
    assert OLDER not in text(page)


def test_dtypes_show_claimed_beside_observed_and_a_broken_claim_in_red(browser: Browser, address: str) -> None:
    page = shown(browser, f"{address}#view=dtypes")
    assert "gather_elements" in text(page)
    cells = [page.evaluate(f"document.querySelectorAll('.dtypes td')[{at}].innerText") for at in (0, 1)]
    assert [" ".join(one.split()) for one in cells] == ["✓ works", "✗ rejected claimed"]
    assert page.evaluate("document.querySelectorAll('.dtypes td')[1].className") == "own"


@pytest.mark.parametrize(("view", "table"), [("dtypes", ".dtypes"), ("versions&every=yes", ".timeline")])
def test_the_tables_of_dtypes_and_versions_sort_by_a_column(
    browser: Browser, address: str, view: str, table: str
) -> None:
    page = shown(browser, f"{address}#view={view}")
    column = f"[...document.querySelectorAll('{table}')].at(-1).querySelectorAll('tbody tr')"
    texts = f"[...{column}].map((row) => row.cells[0].textContent)"
    ascending = sorted(page.evaluate(texts), key=str.casefold)
    for heading in ("ascending", "descending"):
        page.evaluate(f"[...document.querySelectorAll('{table}')].at(-1).querySelector('.sort').click()")
        assert count(page, f"{table} [aria-sort={heading}]") == 1
    assert sorted(page.evaluate(texts), key=str.casefold) == ascending
    assert page.evaluate(texts)[0] == ascending[-1]


def test_the_documents_list_claims_that_no_call_can_test(browser: Browser, address: str) -> None:
    page = browser.open(f"{address}#claim/tf.raw_ops.ScatterNd/paragraph%209")
    page.wait_for("document.querySelector('.claim:target')?.checkVisibility()")
    assert text(page, ".claim:target").endswith("Not testable: Speed is nothing that a call shows.")
    assert text(page, "#views [aria-current]") == "Documents"


@pytest.mark.parametrize("view", ["questions", "versions", "dtypes", "porting", "documents"])
@pytest.mark.parametrize("width", [390, 1400])
def test_no_view_is_wider_than_its_window(browser: Browser, address: str, view: str, width: int) -> None:
    page = browser.open(f"{address}#view={view}", width=width)
    page.wait_for("document.querySelector('main > :not([hidden]) h2') !== null")
    assert page.evaluate("document.documentElement.scrollWidth") <= width

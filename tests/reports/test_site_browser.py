"""The site in a real browser, from disk and from a server: the panel, the search, and what is asked of the network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from conformance.reports.site import write_site
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_questions import CASES, COMPILED, MINDSPORE, TORCH, results_to_ask
from tests.reports.sample_several import several
from tests.reports.serving import served
from tests.reports.test_accessibility import AXE, NO_AXE, violations

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]

PANEL = "document.getElementById('panel')"
OUTSIDE = CASES["gathered outside"].id


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("site")
    write_site(results_to_ask(), path)
    return path


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


def reads(page: Page, text: str, within: str = PANEL) -> None:
    page.wait_for(f"{within}.innerText.replaceAll(/\\s+/g, ' ').includes({text!r})")


def opened(browser: Browser, address: str, case: str, target: str) -> Page:
    page = browser.open(f"{address}#call={quote(case, safe='')}&target={quote(target, safe='')}")
    page.wait_for(f"!{PANEL}.hidden")
    return page


@pytest.mark.parametrize("place", ["disk", "server"])
def test_a_cell_opens_its_call_and_escape_closes_it(browser: Browser, folder: Path, server: str, place: str) -> None:
    root = folder.as_uri() if place == "disk" else server
    page = browser.open(f"{root}/api/torch.gather/index.html")
    page.click("#index-past-the-end a.does.own")
    reads(page, "An error is documented.")
    reads(page, "index = int64 [3, 0]")
    reads(page, "An index outside raises.")
    page.wait_for("document.querySelector('#panel .picture svg') !== null")
    assert COMPILED.id in page.evaluate("decodeURIComponent(location.hash)")
    page.press("Escape")
    page.wait_for(f"{PANEL}.hidden")
    assert page.evaluate("document.activeElement.matches('a.does.own')")
    assert page.evaluate("document.activeElement.hash").endswith("&row=index-past-the-end")
    assert page.errors == []
    assert all(request.startswith(root) for request in page.requests)


def test_a_call_opened_from_the_page_of_a_situation_is_one_of_its_cell(browser: Browser, folder: Path) -> None:
    page = browser.open((folder / "situation/past-the-end/index.html").as_uri())
    link = "a.does[href*='torch.gather/']"
    row = page.evaluate(f'document.querySelector("{link}").closest("tr").querySelector("th a").hash').removeprefix("#")
    page.tab.click(link)
    page.tab.wait_for_url("**/api/torch.gather/**")
    page.wait_for(f"!{PANEL}.hidden")
    assert page.evaluate("location.hash").endswith(f"&row={row}")
    assert page.evaluate(f"document.getElementById('{row}') !== null")


def test_the_panel_leads_to_the_same_call_elsewhere_and_to_the_cause(browser: Browser, folder: Path) -> None:
    page = opened(browser, (folder / "api/torch.gather/index.html").as_uri(), OUTSIDE, TORCH.id)
    reads(page, "This call in each version and mode")
    page.click("#panel .choices a[href*=compile]")
    reads(page, "An error is documented.")
    cause = page.evaluate("document.querySelector('#panel a[href*=finding]').href")
    assert Path(cause.removeprefix("file://")).is_file()


def test_a_script_that_was_run_is_shown_and_else_the_command_that_prints_one(browser: Browser, folder: Path) -> None:
    died = CASES["scattered outside"].id
    page = opened(browser, (folder / "api/mindspore.ops.scatter_nd/index.html").as_uri(), died, MINDSPORE.id)
    reads(page, "print('it ends')")
    page = opened(browser, (folder / "api/torch.gather/index.html").as_uri(), OUTSIDE, TORCH.id)
    reads(page, f"conformance repro {OUTSIDE} --target torch==2.13.0@cpu --api torch.gather")


def test_a_call_that_the_results_lack_says_so_and_another_target_is_shown_with_a_notice(
    browser: Browser, folder: Path
) -> None:
    address = (folder / "api/torch.gather/index.html").as_uri()
    reads(opened(browser, address, "gather_elements.rule.gone/1", TORCH.id), "This run has no result")
    reads(opened(browser, address, OUTSIDE, "torch==9.0@cpu"), "No result of this call on torch==9.0@cpu")


def test_the_search_finds_apis_and_operations_by_words_and_opens_one(browser: Browser, folder: Path) -> None:
    page = browser.open((folder / "index.html").as_uri())
    page.press("/")
    page.type("scatter tf")
    reads(page, "tf.scatter_nd", "document.getElementById('found')")
    found = page.evaluate("[...document.querySelectorAll('#found code')].map((one) => one.textContent)")
    assert found == ["tf.scatter_nd", "tf.tensor_scatter_nd_update"]
    page.press("ArrowDown", "Enter")
    page.tab.wait_for_url("**/api/tf.scatter_nd/index.html")
    assert page.errors == []


def found_for(page: Page, text: str) -> list[str]:
    page.evaluate("document.getElementById('find').value = ''")
    page.evaluate("document.getElementById('find').focus()")
    page.type(text)
    page.wait_for("!document.getElementById('found').hidden")
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('#found li[role=option] a')].map((one) => one.innerText.replaceAll(/\\s+/g, ' '))"
    )
    return found


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("negative index", "negative index situation"),
        ("what does it do with duplicates?", "positions written twice situation"),
        ("take_along_axis", "gather_elements operation"),
        ("x[i, j] = v", "tensor_scatter_nd_update operation"),
        ("torch.gather out of bounds", "torch.gather index past the end"),
        ("gahter", "gather_elements operation"),
        ("torch.gahter", "torch.gather PyTorch"),
        ("mindspore.ops.scatter_nd int8 dtype", "mindspore.ops.scatter_nd dtypes"),
        ("mindspore to tensorflow", "from MindSpore to TensorFlow porting"),
        ("which APIs crash?", "Ends the process, or hangs findings"),
        ("mindspore.ops.ScatterND", "mindspore.ops.scatter_nd MindSpore"),
        ("tf.scatter_nd in mindspore", "tf.scatter_nd in other frameworks"),
        ("torch compile", "PyTorch 2.13.0, compile mode"),
    ],
)
def test_the_search_finds_situations_other_words_and_nearly_what_is_written(
    browser: Browser, folder: Path, text: str, first: str
) -> None:
    page = browser.open((folder / "index.html").as_uri())
    assert found_for(page, text)[0] == first
    assert page.errors == []


def test_the_search_leads_to_the_row_of_an_api(browser: Browser, folder: Path) -> None:
    page = browser.open((folder / "index.html").as_uri())
    found_for(page, "torch.gather past the end")
    page.press("Enter")
    page.tab.wait_for_url("**/api/torch.gather/index.html#index-past-the-end")


def test_what_nothing_is_near_is_not_found(browser: Browser, folder: Path) -> None:
    page = browser.open((folder / "index.html").as_uri())
    assert found_for(page, "zyzzyva") == []
    assert found_for(page, "int46") == []  # another number is another dtype
    reads(page, "Nothing of this run has these words.", "document.getElementById('found')")


def test_the_findings_are_filtered_by_framework_danger_and_report(browser: Browser, folder: Path) -> None:
    page = browser.open((folder / "finding/index.html").as_uri())
    shown = "[...document.querySelectorAll('li[data-framework]')].filter((one) => one.offsetParent).map((one) => one.dataset.framework)"
    assert sorted(page.evaluate(shown)) == ["mindspore", "torch"]
    for name, value, left in (
        ("framework", "torch", ["torch"]),
        ("danger", "ends", ["mindspore"]),
        ("reported", "no", ["torch"]),
    ):
        page.tab.select_option(f"select[name={name}]", value)
        assert page.evaluate(shown) == left, name
        reads(page, "1 of 2 causes", "document.querySelector('#filters output')")
        page.tab.select_option(f"select[name={name}]", "")
    asked = browser.open((folder / "finding/index.html").as_uri() + "?framework=mindspore")
    assert asked.evaluate(shown) == ["mindspore"]
    assert asked.errors == []


def test_without_scripts_everything_but_search_and_panel_is_there(browser: Browser, folder: Path) -> None:
    page = browser.open((folder / "api/torch.gather/index.html").as_uri(), scripts=False)
    text = page.tab.inner_text("main")
    assert "Index past the end: IndexError." in text
    assert not page.tab.is_visible(".find")


@pytest.mark.skipif(not AXE, reason=NO_AXE)
@pytest.mark.parametrize(("dark", "width"), [(False, 1400), (True, 390)], ids=["light", "dark"])
@pytest.mark.parametrize(
    "path",
    [".", "situation/past-the-end", "finding", "finding/mindspore-ends", "operation/gather_elements"],
)
def test_a_page_with_pictures_situations_or_filters_can_be_used_by_all(
    browser: Browser, folder: Path, path: str, dark: bool, width: int
) -> None:
    page = browser.open((folder / path / "index.html").as_uri(), width=width, dark=dark)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.errors == []


def test_hostile_texts_are_text_in_the_panel_too(browser: Browser, tmp_path: Path) -> None:
    write_site(several(), tmp_path)
    page = opened(
        browser, (tmp_path / "api/torch.gather/index.html").as_uri(), "gather_elements.rule.hostile/broken.1", ""
    )
    reads(page, "</script><img src=x onerror=alert(1)>")
    assert page.evaluate("document.images.length") == 0
    assert page.errors == []

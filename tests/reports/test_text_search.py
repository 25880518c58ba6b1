"""The search in the text of a published site, with the index of pagefind, in a real browser."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.reports.site import publish, write_site
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_questions import results_to_ask
from tests.reports.serving import served
from tests.reports.test_accessibility import AXE, NO_AXE, violations

PAGEFIND = importlib.util.find_spec("pagefind") is not None
needs_pagefind = pytest.mark.skipif(not PAGEFIND, reason="needs the Python packages pagefind and pagefind-bin")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root: Path = tmp_path_factory.mktemp("published")
    publish(results_to_ask(), root, "https://site.test", None, {})
    return root / "latest"


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    subprocess.run([sys.executable, "-m", "pagefind", "--site", folder, "--silent"], check=True)
    with served(folder) as address:
        yield address


def reads(page: Page, text: str) -> None:
    page.wait_for(f"document.querySelector('main').innerText.includes({text!r})")


@needs_pagefind
def test_words_lead_to_the_pages_that_have_them_and_nothing_is_asked_of_others(browser: Browser, server: str) -> None:
    page = browser.open(f"{server}/search/?q=past+the+end+torch.gather")
    reads(page, "torch.gather")
    address = page.evaluate("document.querySelector('#text-found a').href")
    assert address.startswith(f"{server}/")
    assert page.errors == []
    assert all(request.startswith(server) for request in page.requests)


@needs_pagefind
def test_words_that_no_page_has_are_said_to_be_on_none(browser: Browser, server: str) -> None:
    page = browser.open(f"{server}/search/")
    page.type("zyzzyva")
    page.press("Enter")
    reads(page, "No page has these words.")
    assert page.evaluate("document.querySelectorAll('#text-found li').length") == 0


@pytest.mark.skipif(not AXE, reason=NO_AXE)
@pytest.mark.parametrize(("dark", "width"), [(False, 1400), (True, 390)], ids=["light", "dark"])
def test_the_page_can_be_used_by_all(browser: Browser, folder: Path, dark: bool, width: int) -> None:
    page = browser.open((folder / "search/index.html").as_uri(), width=width, dark=dark)
    assert violations(page) == []


def test_without_an_index_the_page_says_so(browser: Browser, folder: Path) -> None:
    page = browser.open((folder / "search/index.html").as_uri() + "?q=gather")
    reads(page, "has no index of its text")
    assert page.evaluate("document.querySelectorAll('#text-found li').length") == 0


def test_a_site_that_is_not_published_has_no_such_page(tmp_path: Path) -> None:
    write_site(results_to_ask(), tmp_path)
    assert not (tmp_path / "search").exists()
    assert "search/" not in (tmp_path / "index.html").read_text(encoding="utf-8")

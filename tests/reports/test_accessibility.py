"""Accessibility of the page: axe-core over every view, landmarks, focus, contrast, and the size of what is pressed."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

import pytest

from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_several import several

AXE = importlib.util.find_spec("axe_playwright_python") is not None
NO_AXE = "needs the Python package axe-playwright-python, which holds axe-core"
OPEN = "#case=scatter_nd.relation.zeros-then-add/1&api=mindspore.ops.scatter_nd&target=mindspore%3D%3D2.10.0%40cpu"
VIEWS = {
    "overview": "", "filtered": "#only=portability&q=shape", "panel": OPEN, "questions": "#view=questions&ask=own",
    "versions": "#view=versions&every=yes", "dtypes": "#view=dtypes", "porting": "#view=porting",
    "documents": "#view=documents", "apis": "#view=api", "api": "#view=api&name=torch.gather", "search": "#q=bfloat16",
}  # fmt: skip

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("accessibility") / "index.html"
    path.write_text(index_html(several()), encoding="utf-8")
    return path.as_uri()


def settled(browser: Browser, address: str, view: str, *, dark: bool = False, width: int = 1400) -> Page:
    page = browser.open(address + VIEWS[view], width=width, dark=dark)
    page.wait_for("document.querySelector('main > :not([hidden]) h2') !== null")
    if view == "panel":
        page.wait_for("!document.getElementById('panel').hidden")
    return page


def violations(page: Page) -> list[str]:
    """What axe-core finds, as its rule, how grave it is and the first element."""
    # what is out of sight is laid out late, and axe would judge it against what it covers till then
    page.evaluate(
        "for (const one of document.querySelectorAll('.operation, .does')) one.style.contentVisibility = 'visible'"
    )
    axe = importlib.import_module("axe_playwright_python.sync_playwright").Axe()  # has no types
    found = axe.run(page.tab, options={"rules": {"target-size": {"enabled": True}}}).response["violations"]
    return [f"{one['impact']}: {one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found]


@pytest.mark.skipif(not AXE, reason=NO_AXE)
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_in_any_view(browser: Browser, address: str, view: str, dark: bool, width: int) -> None:
    assert violations(settled(browser, address, view, dark=dark, width=width)) == []

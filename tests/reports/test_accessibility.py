"""Accessibility: axe-core over a page of each kind, wide and light, narrow and dark, and the panel."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

import pytest

from conformance.reports.site import Guide, write_site
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_several import several

AXE = importlib.util.find_spec("axe_playwright_python") is not None
NO_AXE = "needs the Python package axe-playwright-python, which holds axe-core"
CALL = "#call=scatter_nd.relation.zeros-then-add/1&target=mindspore%3D%3D2.10.0%40cpu"
PAGES = {
    "first": "index.html", "apis": "api/index.html", "api": "api/torch.gather/index.html",
    "panel": f"api/mindspore.ops.scatter_nd/index.html{CALL}", "operation": "operation/gather_elements/index.html",
    "findings": "finding/index.html", "portability": "finding/portability/index.html",
    "finding": "finding/mindspore-mindspore-shape-error-type/index.html",
    "ports": "port/index.html", "port": "port/torch/tensorflow/index.html",
    "port operation": "port/torch/tensorflow/scatter_nd/index.html", "changes": "changes/torch/index.html",
    "documents": "documents/index.html", "document": "documents/tf.raw_ops.ScatterNd/index.html", "run": "run/index.html",
    "guide": "guide/first/index.html",
}  # fmt: skip
CHAPTER = "# First\n\nSee [the same](first.md#more).\n\n## More\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n    code\n"

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("accessibility")
    (folder / "docs").mkdir()
    (folder / "docs" / "first.md").write_text(CHAPTER, encoding="utf-8")
    write_site(several(), folder, guide=Guide.read(folder / "docs"))
    return folder.as_uri()


def opened(browser: Browser, address: str, kind: str, *, dark: bool, width: int) -> Page:
    page = browser.open(f"{address}/{PAGES[kind]}", width=width, dark=dark)
    if kind == "panel":
        page.wait_for("!document.getElementById('panel').hidden")
    return page


def violations(page: Page) -> list[str]:
    """What axe-core finds, as its rule, how grave it is and the first element."""
    axe = importlib.import_module("axe_playwright_python.sync_playwright").Axe()  # has no types
    found = axe.run(page.tab, options={"preload": False, "rules": {"target-size": {"enabled": True}}}).response[
        "violations"
    ]
    return [f"{one['impact']}: {one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found]


@pytest.mark.skipif(not AXE, reason=NO_AXE)
@pytest.mark.parametrize(("dark", "width"), [(False, 1400), (True, 390)], ids=["light", "dark"])
@pytest.mark.parametrize("kind", PAGES)
def test_axe_finds_nothing_on_a_page_of_each_kind(
    browser: Browser, address: str, kind: str, dark: bool, width: int
) -> None:
    page = opened(browser, address, kind, dark=dark, width=width)
    assert violations(page) == []
    assert page.errors == []


@pytest.mark.parametrize("kind", PAGES)
def test_no_page_is_wider_than_a_narrow_screen(browser: Browser, address: str, kind: str) -> None:
    page = opened(browser, address, kind, dark=False, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

"""The pictures of the README and the documentation: all operations at a glance, the page of an API, and a call opened.

``python -m tests.reports.picture DIR FOLDER`` makes ``glance.png``, ``api.png`` and ``opened.png`` in FOLDER from the report in
DIR; it needs Chromium and Playwright.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.reports.browser import AVAILABLE, MISSING, Browser, chromium

WIDTH, HEIGHT = 1400, 1000
WRONG = ".situations a.does:is(.own, .portability)"
"""A divergence, whose call a picture shows."""


def pictures(
    browser: Browser, report: Path, folder: Path, api: str = "torch.gather", opened: str = "torch.take_along_dim"
) -> None:
    """Write them into a folder, two of them of the pages of two APIs."""
    folder.mkdir(parents=True, exist_ok=True)
    page = browser.open((report / "index.html").resolve().as_uri(), WIDTH, HEIGHT)
    page.tab.locator("section[aria-labelledby=glance]").screenshot(path=folder / "glance.png")
    page = browser.open((report / "api" / api / "index.html").resolve().as_uri(), WIDTH, HEIGHT)
    page.screenshot(folder / "api.png")
    page = browser.open((report / "api" / opened / "index.html").resolve().as_uri(), WIDTH, HEIGHT)
    page.click(WRONG)
    page.wait_for("document.querySelector('#panel .picture svg') !== null")
    page.screenshot(folder / "opened.png")


def main(report: Path, folder: Path) -> None:
    if not AVAILABLE:
        sys.exit(MISSING)
    with chromium() as browser:
        pictures(browser, report, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

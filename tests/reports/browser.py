"""A real Chromium, Debian's, driven by Playwright: what a test of the page needs of a browser."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright import sync_api

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AVAILABLE = CHROMIUM is not None and importlib.util.find_spec("playwright") is not None
MISSING = "the browser tests need Debian's chromium and the Python package playwright (pip install playwright)"

FLAGS = ["--hide-scrollbars", "--disable-gpu", "--force-color-profile=srgb"]

WAIT = """
new Promise((resolve, reject) => {
  const until = performance.now() + 30000;
  const look = () => {
    const value = (() => { try { return (%s); } catch { return false; } })();
    if (value) resolve(true);
    else if (performance.now() > until) reject(new Error("never came true"));
    else setTimeout(look, 5);
  };
  look();
})
"""
# not Playwright's own waiting, which compiles text inside the page and is refused by the page's policy


class Page:
    """One tab."""

    def __init__(self, page: sync_api.Page) -> None:
        self.tab = page
        """Playwright's own page, for what is not here."""
        self.requests: list[str] = []
        """Addresses that the page asked for."""
        self.errors: list[str] = []
        """Exceptions, console errors and violations of the policy."""
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, awaited if it is a promise."""
        return self.tab.evaluate(expression)

    def wait_for(self, expression: str) -> None:
        """Return as soon as an expression is true."""
        self.evaluate(WAIT % expression)

    def click(self, selector: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)

    def type(self, text: str) -> None:
        self.tab.keyboard.insert_text(text)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        self.tab.screenshot(path=path, full_page=whole)


class Browser:
    """A running Chromium."""

    def __init__(self, browser: sync_api.Browser) -> None:
        self._browser = browser

    def open(
        self, address: str, width: int = 1400, height: int = 900, *, dark: bool = False, scripts: bool = True
    ) -> Page:
        """A new tab in a profile of its own at an address, loaded."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        page = Page(context.new_page())
        page.tab.goto(address)
        return page

    def close_tabs(self) -> None:
        for context in self._browser.contexts:
            context.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser, ended with everything that was opened in it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield Browser(browser)
        finally:
            browser.close()

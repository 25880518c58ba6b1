"""What the tests of the page share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reports.browser import Browser, chromium


@pytest.fixture(scope="package")
def running() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(running: Browser) -> Iterator[Browser]:
    """The browser, whose tabs are closed after each test, as open ones go on taking time."""
    yield running
    running.close_tabs()

"""What the tests of the page share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reports.browser import Browser, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running

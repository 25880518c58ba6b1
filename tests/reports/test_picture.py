"""The pictures of the README."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, Browser
from tests.reports.picture import BELOW, OPENED, WIDTH, pictures
from tests.reports.sample import sample


def whole(path: Path) -> tuple[int, int]:
    """Width and height of a PNG of few colours, all of whose pixels are there."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    at = data.index(b"IDAT")
    [length] = struct.unpack(">I", data[at - 4 : at])
    rows = zlib.decompress(data[at + 4 : at + 4 + length])
    assert len(rows) == height * (width + 1)
    assert len(set(rows)) > 20
    assert len(data) < 250_000
    return width, height


@pytest.mark.browser
@pytest.mark.skipif(not AVAILABLE, reason=MISSING)
def test_the_pictures_show_the_table_above_a_matrix_a_result_an_api_and_porting_each_a_whole_png(
    browser: Browser, tmp_path: Path
) -> None:
    report = tmp_path / "index.html"
    report.write_text(index_html(sample()), encoding="utf-8")
    pictures(browser, report, tmp_path)
    width, height = whole(tmp_path / "overview.png")
    assert width == WIDTH
    assert height > BELOW + 200
    for name in ("opened.png", "api.png", "porting.png"):
        assert whole(tmp_path / name) == (WIDTH, OPENED)

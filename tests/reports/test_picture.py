"""The picture of the README."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, chromium
from tests.reports.picture import OPENED, WIDTH, picture
from tests.reports.sample import sample


@pytest.mark.skipif(not AVAILABLE, reason=MISSING)
def test_the_picture_shows_the_table_above_the_opened_case_and_is_a_whole_png(tmp_path: Path) -> None:
    report, made = tmp_path / "index.html", tmp_path / "overview.png"
    report.write_text(index_html(sample()), encoding="utf-8")
    with chromium() as browser:
        picture(browser, report, made)
    data = made.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert width == WIDTH
    assert height > OPENED + 200
    at = data.index(b"IDAT")
    [length] = struct.unpack(">I", data[at - 4 : at])
    rows = zlib.decompress(data[at + 4 : at + 4 + length])
    assert len(rows) == height * (WIDTH + 1)
    assert len(set(rows)) > 20
    assert len(data) < 250_000

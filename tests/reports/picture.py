"""The picture of the README: the top of a report, and below it one divergence opened.

``python -m tests.reports.picture reports/index.html reports/overview.png`` makes it; it needs Chromium.
"""

from __future__ import annotations

import base64
import struct
import sys
import tempfile
import zlib
from pathlib import Path

from tests.reports.browser import AVAILABLE, MISSING, Browser, Page, chromium

WIDTH = 1400
OPENED = 960
"""Height of the lower part."""

CHOSEN = "tr.clause[data-clause='scatter_nd.rule.updates-shape'] td.died"
ELSE = ".matrix td:is(.own, .died, .hung, .portability)"
CLICK = f"""(document.querySelector("{CHOSEN}") ?? document.querySelector("{ELSE}")).click()"""
SHOWN = "!document.getElementById('panel').hidden && document.querySelector('.matrix td[aria-current]')"
BOTH = "<style>body { margin: 0 } img { display: block } img + img { margin-top: 3px }</style>"

INDEXED = """
(() => {
  const canvas = new OffscreenCanvas(%d, %d), context = canvas.getContext("2d");
  context.fillStyle = "#d0d7de";
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const image of document.images) context.drawImage(image, image.offsetLeft, image.offsetTop);
  const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const often = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([pixel]) => pixel);
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
  const palette = often.map(parts);
  const far = (one, other) => one.reduce((sum, part, place) => sum + (part - other[place]) ** 2, 0);
  const nearest = (one) => palette.reduce((best, other, at) => far(one, other) < far(one, palette[best]) ? at : best, 0);
  const place = new Map([...counts.keys()].map((pixel) => [pixel, nearest(parts(pixel))]));
  return [palette.flat(), Array.from(pixels, (pixel) => String.fromCharCode(place.get(pixel))).join("")];
})()
"""
"""The 256 commonest colours, and for each pixel the nearest of them: a picture of text a third as large."""


def picture(browser: Browser, report: Path, into: Path) -> None:
    """Write a PNG of a report; AssertionError where the report has no divergence to open."""
    with tempfile.TemporaryDirectory() as name:
        parts = [Path(name) / "top.png", Path(name) / "opened.png"]
        _top(browser, report.resolve().as_uri(), parts[0])
        _opened(browser, report.resolve().as_uri(), parts[1])
        images = (base64.b64encode(part.read_bytes()).decode() for part in parts)
        both = Path(name) / "both.html"
        both.write_text(BOTH + "".join(f'<img src="data:image/png;base64,{one}">' for one in images), encoding="utf-8")
        page = browser.open(both.as_uri(), WIDTH)
        height = page.evaluate("document.documentElement.scrollHeight")
        into.write_bytes(_indexed(page, height))


def _indexed(page: Page, height: int) -> bytes:
    """The page's images, one below the other, as a PNG with a palette."""
    palette, places = page.evaluate(INDEXED % (WIDTH, height))
    pixels = places.encode("latin-1")
    rows = b"".join(b"\0" + pixels[at : at + WIDTH] for at in range(0, len(pixels), WIDTH))
    header = struct.pack(">IIBBBBB", WIDTH, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", bytes(palette)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _top(browser: Browser, address: str, into: Path) -> None:
    """As far as the table of targets and its legend."""
    height = browser.open(address, WIDTH).evaluate("document.querySelector('.legend').getBoundingClientRect().bottom")
    browser.open(address, WIDTH, round(height) + 24).screenshot(into)


def _opened(browser: Browser, address: str, into: Path) -> None:
    page = browser.open(address, WIDTH, OPENED)
    page.evaluate(CLICK)
    page.wait_for(SHOWN)
    page.evaluate("document.querySelector('.matrix td[aria-current]').closest('tr').scrollIntoView()")
    page.evaluate("document.querySelector('.matrix td[aria-current]').closest('section').scrollIntoView()")
    page.screenshot(into)


if __name__ == "__main__":
    if not AVAILABLE:
        sys.exit(MISSING)
    with chromium() as running:
        picture(running, Path(sys.argv[1]), Path(sys.argv[2]))

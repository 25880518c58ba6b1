"""The pictures of the README and the documentation: the top of a report above one of its matrices, one result opened, an
API, and porting.

``python -m tests.reports.picture reports/index.html reports`` makes ``overview.png``, ``opened.png``, ``api.png`` and
``porting.png``; it needs Chromium and Playwright.
"""

from __future__ import annotations

import base64
import struct
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from tests.reports.browser import AVAILABLE, MISSING, Browser, Page, chromium

WIDTH = 1400
BELOW = 720
"""Height of the part with a matrix."""
OPENED = 1000
TOP = 1000

MATRIX = """
(() => {
  const section = document.getElementById("op-tensor_scatter_nd_update") ?? document.querySelector(".operation");
  const rules = [...section.querySelectorAll(".family")].find((row) => row.textContent.includes("Rules"));
  document.documentElement.style.scrollPaddingTop = 0;
  document.getElementById("filters").hidden = true;
  section.scrollIntoView();
  const room = section.querySelector(".matrix-scroll");
  if (rules) room.scrollTop += rules.getBoundingClientRect().top - section.querySelector("thead").getBoundingClientRect().bottom;
})()
"""
ALARMS = ".matrix td:is(.own, .died, .hung, .portability)"
CHOSEN = f"""
(() => {{
  const row = document.querySelector("tr.clause[data-clause='scatter_elements.behaviour.same-formula-for-other-ranks']");
  const cells = [...(row?.querySelectorAll("td.portability") ?? []), ...document.querySelectorAll("{ALARMS}")];
  (cells.find((cell) => cell.textContent.includes("value")) ?? cells[0]).click();
}})()
"""
"""A divergence of elements, which a drawing shows."""
API = ".apis-of a"
"""Links to APIs; the first is shown."""
PORTING = "#view .choices-list li:last-child a"
"""The link to the last operation, of the targets that the address names."""
PORTED = "&port=tensorflow%3D%3D2.21.0%40cpu&port=torch%3D%3D2.13.0%40cpu"
SHOWN = "!document.getElementById('panel').hidden && document.querySelector('.matrix td[aria-current]')"
STACKED = "<style>body { margin: 0 } img { display: block } img + img { margin-top: 3px }</style>"

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


def pictures(browser: Browser, report: Path, folder: Path) -> None:
    """Write all into a folder; AssertionError where the report has no divergence to open."""
    address = report.resolve().as_uri()
    with tempfile.TemporaryDirectory() as name:
        top, matrix, opened, api, porting = (
            Path(name) / f"{part}.png" for part in ("top", "matrix", "opened", "api", "porting")
        )
        _top(browser, address, top)
        _matrix(browser, address, matrix)
        _opened(browser, address, opened)
        _stack(browser, [top, matrix], folder / "overview.png")
        _stack(browser, [opened], folder / "opened.png")
        _view(browser, address, _first(browser, address, API), api)
        _view(browser, address, _first(browser, address, PORTING), porting)
        _stack(browser, [api], folder / "api.png")
        _stack(browser, [porting], folder / "porting.png")


def _first(browser: Browser, address: str, links: str) -> str:
    """The address within the page of the first of these links."""
    page = browser.open(address + ("#view=porting" + PORTED if links == PORTING else ""), WIDTH, OPENED)
    page.wait_for(f"document.querySelector({links!r}) !== null")
    return str(page.evaluate(f"document.querySelector({links!r}).hash"))


def _view(browser: Browser, address: str, state: str, into: Path) -> None:
    page = browser.open(address + state, WIDTH, OPENED)
    page.wait_for("document.querySelector('#view h2, #view h3') !== null")
    page.screenshot(into)


def _stack(browser: Browser, parts: Sequence[Path], into: Path) -> None:
    """The images one below the other, in few colours."""
    images = (base64.b64encode(part.read_bytes()).decode() for part in parts)
    both = parts[0].with_suffix(".html")
    both.write_text(STACKED + "".join(f'<img src="data:image/png;base64,{one}">' for one in images), encoding="utf-8")
    page = browser.open(both.as_uri(), WIDTH)
    into.write_bytes(_indexed(page, page.evaluate("document.documentElement.scrollHeight")))


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
    """The sentences and the beginning of the behaviour table."""
    browser.open(address, WIDTH, TOP).screenshot(into)


def _matrix(browser: Browser, address: str, into: Path) -> None:
    page = browser.open(address, WIDTH, BELOW)
    page.evaluate(MATRIX)
    page.screenshot(into)


def _opened(browser: Browser, address: str, into: Path) -> None:
    page = browser.open(address, WIDTH, OPENED)
    page.evaluate(CHOSEN)
    page.wait_for(SHOWN)
    page.evaluate("document.querySelector('.matrix td[aria-current]').closest('section').scrollIntoView()")
    page.evaluate("document.querySelector('.matrix td[aria-current]').scrollIntoView({ block: 'center' })")
    page.screenshot(into)


if __name__ == "__main__":
    if not AVAILABLE:
        sys.exit(MISSING)
    with chromium() as running:
        pictures(running, Path(sys.argv[1]), Path(sys.argv[2]))

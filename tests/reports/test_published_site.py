"""The site of the published run, which is larger than any sample."""

from __future__ import annotations

import posixpath
import shlex
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from conformance.reports.site import write_site
from conformance.results.file import read_results
from tests.cli.command import REPOSITORY, conformance
from tests.findings.published import PUBLISHED
from tests.reports.browser import AVAILABLE, MISSING, Browser
from tests.reports.site_of import Parsed
from tests.reports.test_accessibility import AXE, NO_AXE, violations

MOST_BYTES = 300_000
PAGES = (
    *("index.html", "api/index.html", "api/tf.tensor_scatter_nd_update/index.html"),
    *("operation/gather_elements/index.html", "situation/below-zero/index.html"),
    *("finding/index.html", "finding/portability/index.html", "port/torch/numpy/index.html"),
    *("port/torch/numpy/scatter_elements/index.html", "changes/torch/index.html", "documents/index.html"),
    *("documents/torch.gather/index.html", "run/index.html"),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    if not request.config.getoption("--published"):
        pytest.skip("it takes minutes, and is made with --published before a report is published; CONTRIBUTING.md")
    return write_site(read_results(PUBLISHED), tmp_path_factory.mktemp("published")).parent


def test_no_page_is_large_and_no_link_is_broken(site: Path) -> None:
    pages = {path.relative_to(site).as_posix(): path for path in site.rglob("*.html")}
    assert [name for name, path in pages.items() if path.stat().st_size >= MOST_BYTES] == []
    links, ids = set(), {}
    for name, path in pages.items():
        parsed = Parsed(path.read_text(encoding="utf-8"))
        ids[name] = {*parsed.ids}
        links |= {(name, str(one["href"])) for one in parsed.all("a")}
    assert [link for link in sorted(links) if not leads_somewhere(*link, ids)] == []


def test_the_readme_quotes_how_far_the_published_results_agree(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--published"):
        pytest.skip("it reads the published run, with --published")
    start = "    $ conformance report reports --porting "
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    [excerpt] = (block for block in readme.split("\n\n") if block.startswith(start))
    command, *quoted = (line.removeprefix("    ") for line in excerpt.splitlines())
    printed = conformance(*shlex.split(command)[2:], cwd=REPOSITORY).out.splitlines()
    assert [line for line in quoted if line != "..." and line not in printed] == []


def leads_somewhere(page: str, link: str, ids: dict[str, set[str]]) -> bool:
    """Whether a link of a page leads to another one, and its fragment to an element of it or to a call."""
    parts = urlsplit(link)
    if parts.scheme:
        return True
    there = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path))) if parts.path else page
    fragment = unquote(parts.fragment)
    return there in ids and (not fragment or "call" in parse_qs(parts.fragment) or fragment in ids[there])


@pytest.mark.browser
@pytest.mark.skipif(not AVAILABLE, reason=MISSING)
@pytest.mark.skipif(not AXE, reason=NO_AXE)
@pytest.mark.parametrize(("dark", "width"), [(False, 1400), (True, 390)], ids=["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_on_a_page_of_each_kind(
    browser: Browser, site: Path, name: str, dark: bool, width: int
) -> None:
    page = browser.open((site / name).as_uri(), width=width, dark=dark)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert all(request.startswith(site.as_uri()) for request in page.requests)
    assert page.errors == []

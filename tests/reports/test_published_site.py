"""The site of the published run, which is larger than any sample."""

from __future__ import annotations

import posixpath
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from conformance.reports.site import site_files
from conformance.results.file import read_results
from tests.reports.site_of import Parsed

PUBLISHED = Path(__file__).parents[2] / "reports/results.jsonl.gz"
MOST_BYTES = 300_000


def test_no_page_of_the_published_site_is_large_and_no_link_is_broken(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--published"):
        pytest.skip("it takes minutes, and is made with --published before a report is published; CONTRIBUTING.md")
    paths, large, links, ids = set(), [], set(), {}
    for path, text in site_files(read_results(PUBLISHED)):
        paths.add(path)
        if path.endswith(".html"):
            if len(text.encode()) >= MOST_BYTES:
                large.append(path)
            parsed = Parsed(text)
            ids[path] = {*parsed.ids}
            links |= {(path, str(one["href"])) for one in parsed.all("a")}
    assert large == []
    assert [link for link in sorted(links) if not leads_somewhere(*link, paths, ids)] == []


def leads_somewhere(page: str, link: str, paths: set[str], ids: dict[str, set[str]]) -> bool:
    """Whether a link of a page leads to a file of the site, and its fragment to an element of it or to a call."""
    parts = urlsplit(link)
    if parts.scheme:
        return True
    there = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path))) if parts.path else page
    fragment = unquote(parts.fragment)
    return there in paths and (not fragment or "call" in parse_qs(parts.fragment) or fragment in ids[there])

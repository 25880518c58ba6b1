"""The published site: addresses that last, canonical links, site map, feed, and files for other programs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin
from urllib.request import urlopen
from xml.etree import ElementTree as ET

import pytest

from conformance.reports.site import Guide, publish
from conformance.reports.site.publishing import digest_of
from conformance.results.file import Results
from conformance.results.records import MergedRunRecord
from tests.cli.command import REPOSITORY, conformance
from tests.outcomes import returned
from tests.reports.sample import sample
from tests.reports.sample_questions import CASES, OLD_TF, OLD_TORCH, TF, TORCH, results_to_ask
from tests.reports.serving import served
from tests.reports.test_report_command import write

ROOT = "https://site.test/of/it"
ATOM = "{http://www.w3.org/2005/Atom}"
CHAPTER = "# A chapter\n\nSee [this](first.md#more) and [the code](../conformance/a.py).\n\n## More\n\n<b>x</b>\n"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("published")
    (folder / "docs").mkdir()
    (folder / "docs" / "first.md").write_text(CHAPTER)
    publish(results_to_ask(), folder / "out", ROOT, Guide.read(folder / "docs"), {"behaviours.schema.json": "{}"})
    return folder / "out"


def test_a_run_has_an_address_that_lasts_and_the_newest_is_canonical(published: Path) -> None:
    digest = digest_of(results_to_ask())
    assert re.fullmatch(r"[0-9a-f]{12}", digest)
    assert digest != digest_of(sample())
    for site in ("latest", f"r/{digest}"):
        page = (published / site / "api/torch.gather/index.html").read_text(encoding="utf-8")
        assert f'<link rel="canonical" href="{ROOT}/latest/api/torch.gather/">' in page
        assert f'href="{ROOT}/changes.atom"' in page
    assert "latest/index.html" in (published / "index.html").read_text(encoding="utf-8")


def test_a_crawler_finds_everything_that_pages_link_to(published: Path) -> None:
    with served(published) as address:
        waiting, broken, found = [f"{address}/index.html"], [], set()
        while waiting:
            url = waiting.pop()
            if url in found:
                continue
            found.add(url)
            try:
                with urlopen(url) as answer:
                    text = answer.read().decode() if answer.headers.get_content_type() == "text/html" else ""
            except HTTPError:
                broken.append(url)
                continue
            links = re.findall(r'<(?:a|link|script)\b[^>]*?\b(?:href|src)="([^"#]+)', text)
            inside = {urldefrag(urljoin(url, unescape(link))).url for link in links}
            waiting += [link for link in inside if link.startswith(address)]
    assert broken == []
    assert f"{address}/latest/api/torch.gather/index.html" in found


def test_an_earlier_run_stays(published: Path) -> None:
    publish(sample(), published, ROOT, None, {})
    folders = {path.name for path in (published / "r").iterdir()}
    assert folders == {digest_of(results_to_ask()), digest_of(sample())}
    publish(results_to_ask(), published, ROOT, None, {})


def test_the_map_names_every_page_of_the_newest_run(published: Path) -> None:
    root = ET.parse(published / "sitemap.xml").getroot()
    named = {str(one.text) for one in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")}
    pages = {
        path.parent.relative_to(published / "latest").as_posix() for path in (published / "latest").rglob("index.html")
    }
    assert named == {f"{ROOT}/latest/{'' if page == '.' else page + '/'}" for page in pages}


def test_the_feed_has_an_entry_for_each_version_in_which_anything_changed(published: Path) -> None:
    root = ET.parse(published / "changes.atom").getroot()
    entries = list(root.iter(f"{ATOM}entry"))
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "PyTorch torch==2.13.0@cpu: 1 call changed since torch==2.1.2@cpu",
        "TensorFlow tensorflow==2.21.0@cpu: 1 call changed since tensorflow==2.12.0@cpu",
    ]
    [link] = entries[0].findall(f"{ATOM}link")
    page, _, fragment = link.attrib["href"].removeprefix(f"{ROOT}/").partition("#")
    assert f'id="{fragment}"' in (published / page / "index.html").read_text(encoding="utf-8")


def dates(folder: Path) -> dict[str, str | None]:
    """By framework, the date of its entry of the feed; and that of the feed."""
    root = ET.parse(folder / "changes.atom").getroot()
    entries = {
        str(entry.findtext(f"{ATOM}title")).split()[0]: entry.findtext(f"{ATOM}updated")
        for entry in root.iter(f"{ATOM}entry")
    }
    return {**entries, "feed": root.findtext(f"{ATOM}updated")}


def merged_of(torch: str, old_tensorflow: str, tensorflow: str) -> Results:
    """The same results as of several runs, which started at these times."""
    results = results_to_ask()
    of_runs = {torch: [OLD_TORCH, TORCH], old_tensorflow: [OLD_TF], tensorflow: [TF]}
    runs = [
        MergedRunRecord(start, "conformance run", [each.id for each in of_run]) for start, of_run in of_runs.items()
    ]
    return replace(results, run=replace(results.run, started=min(of_runs), merged=runs))


def test_an_entry_of_the_feed_has_the_start_of_the_last_run_that_shows_the_change(tmp_path: Path) -> None:
    first, second, third = (f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3))
    publish(merged_of(second, third, first), tmp_path, ROOT, None, {})
    assert dates(tmp_path) == {"PyTorch": second, "TensorFlow": third, "feed": third}


def test_an_entry_of_the_feed_keeps_its_date_until_it_says_something_else(tmp_path: Path) -> None:
    first, second, third = (f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3))
    publish(merged_of(first, first, first), tmp_path, ROOT, None, {})
    publish(merged_of(second, second, second), tmp_path, ROOT, None, {})
    assert dates(tmp_path) == {"PyTorch": first, "TensorFlow": first, "feed": first}
    again = merged_of(third, third, third)
    results = [
        replace(each, outcome=returned())
        if (each.target, each.case) == (TF.id, CASES["scattered outside"].id)
        else each
        for each in again.results
    ]
    publish(replace(again, results=results), tmp_path, ROOT, None, {})
    assert dates(tmp_path) == {"PyTorch": first, "TensorFlow": third, "feed": third}


def test_a_feed_that_is_none_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "changes.atom").write_text("<feed")
    publish(results_to_ask(), tmp_path, ROOT, None, {})
    assert {*dates(tmp_path).values()} == {results_to_ask().run.started}


@pytest.mark.parametrize("name", ["behaviours", "conclusions"])
def test_the_files_for_other_programs_name_themselves_and_their_schema(published: Path, name: str) -> None:
    file = json.loads((published / f"{name}.json").read_text(encoding="utf-8"))
    assert file["$id"] == f"{ROOT}/{name}.json"
    assert file["$schema"] == f"{ROOT}/schemas/{name}.schema.json"
    assert file["behaviours"]


def test_chapters_link_each_other_and_nothing_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "first.md").write_text(CHAPTER)
    [chapter] = Guide.read(tmp_path).chapters
    assert chapter.title == "A chapter"
    assert 'href="../first/index.html#more"' in chapter.html
    assert '<h2 id="more">' in chapter.html
    assert "a.py" not in chapter.html
    assert "&lt;b&gt;" in chapter.html


def test_chapters_are_in_the_order_in_which_the_index_links_them_and_others_follow(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    assert [chapter.name for chapter in Guide.read(tmp_path).chapters] == ["a", "b", "c", "d"]
    (tmp_path / "index.md").write_text(
        "# All\n\n- [D](d.md), see [it](d.md#more)\n- [B](b.md) and [code](../code.md)\n"
    )
    guide = Guide.read(tmp_path)
    assert [chapter.name for chapter in guide.chapters] == ["index", "d", "b", "a", "c"]
    assert guide.first == "index"


def test_every_link_of_a_chapter_of_the_documentation_leads_to_a_place() -> None:
    texts = {chapter.name: chapter.html for chapter in Guide.read(REPOSITORY / "docs").chapters}
    places = {name: set(re.findall(r'\bid="([^"]+)"', html)) for name, html in texts.items()}
    links = [
        (name, path.split("/")[1] if path else name, fragment)
        for name, html in texts.items()
        for path, _, fragment in (link.partition("#") for link in re.findall(r'href="([^"]+)"', html))
        if not path.startswith("https://")
    ]
    assert [link for link in links if link[2] and link[2] not in places[link[1]]] == []
    assert ("documents", "glossary", "unread") in links
    assert ("spec-keys", "dtypes", "when-a-refusal-is-judged") in links


def test_the_command_publishes_and_says_what_it_needs(tmp_path: Path) -> None:
    file = write(sample(), tmp_path / "results.jsonl")
    done = conformance("report", file, "--publish", ROOT, "--output", tmp_path / "out", cwd=tmp_path)
    assert done.status == 0, done.err
    schema = json.loads((tmp_path / "out" / "schemas" / "spec.schema.json").read_text(encoding="utf-8"))
    assert schema["$id"] == f"{ROOT}/schemas/spec.schema.json"
    done = conformance("report", file, "--publish", "http://a.test", cwd=tmp_path)
    assert done.status == 4
    assert "https://" in done.err

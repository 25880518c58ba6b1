"""Links between the pages lead somewhere, and the glossary has every word of the closed lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from conformance.app.options import OPTIONS
from conformance.export.index import REASONS
from conformance.judging.vocabulary import Behaviour, Divergence, Standing, Verdict
from conformance.outcomes.model import Status
from conformance.reports.glossary import GLOSSARY as GLOSSARY_OF_REPORTS
from conformance.results.variations import ORIGINS
from conformance.specification.file_format import SpecFile
from tests.cli.command import REPOSITORY

PAGES = [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").glob("*.md"))]
NAMED = re.compile(r"\bdocs/([\w-]+\.md)(?:#([\w-]+))?")
"""A page that a comment, a docstring or a message names, and a place in it."""
ENTRY = re.compile(r'^- <a id="([\w-]+)"></a>\*\*(.+?)\*\*', re.MULTILINE)

LINE = re.compile(r'^- <a id="[\w-]+"></a>\*\*(.+?)\*\*.*?: (.*?\.)(?: \[More\]\(.*)?$', re.MULTILINE)
TEXT = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8")
GLOSSARY = ENTRY.findall(TEXT)
LINES = {word: re.sub("[`*]", "", line) for word, line in LINE.findall(TEXT)}
OLD_NAMES = {"laws", "law", "mend", "entails", "twin", "twins"}
"""Of keys of specs and of what they declare; others, such as ``sums``, are words that texts have for another reason."""
CLOSED = (Verdict, Status, Divergence, Standing, Behaviour)


def _anchors(text: str) -> Iterator[str]:
    """What a link to a page may point to: GitHub's names for its headings, and anchors in its text."""
    yield from re.findall(r'<a id="([\w-]+)">', text)
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.M):
        yield re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")


def _first_column(page: str, heading: str) -> set[str]:
    """The words in the first column of the table with this heading."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    _, _, table = text.partition(f"| {heading} |")
    return set(re.findall(r"^\| `([\w-]+)` \|", table.partition("\n\n")[0], re.MULTILINE))


def test_the_page_about_exports_has_each_reason_why_a_case_is_left_out() -> None:
    assert _first_column("export.md", "reason") == REASONS.keys()


def test_the_page_about_versions_has_each_kind_of_variation() -> None:
    assert _first_column("versions.md", "`kind`") == ORIGINS.keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_to_a_page_leads_to_a_file_and_a_place_in_it(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("folder", ["adapters", "conformance", "specs", ".github"])
def test_every_page_that_a_file_names_is_there_with_its_place(folder: str) -> None:
    named = [
        (path.relative_to(REPOSITORY).as_posix(), name, anchor)
        for path in (REPOSITORY / folder).rglob("*.*")
        if path.suffix in (".py", ".yaml", ".yml", ".toml", ".jinja")
        for name, anchor in NAMED.findall(path.read_text(encoding="utf-8"))
    ]
    texts = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    assert [each for each in named if each[1] not in texts] == []
    assert [each for each in named if each[2] and each[2] not in _anchors(texts[each[1]])] == []


def test_the_index_of_the_documentation_links_each_page_once() -> None:
    index = (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")
    pages = [page.name for page in PAGES if page.parent.name == "docs" and page.name != "index.md"]
    assert sorted(re.findall(r"\]\(([\w-]+\.md)\)", index)) == pages


def test_no_text_for_users_calls_a_key_of_specs_by_its_old_name() -> None:
    helps = {option.flag: option.help for option in OPTIONS.values()}
    pages = {page.name: page.read_text(encoding="utf-8") for page in PAGES if page.name != "CHANGELOG.md"}
    assert [
        (name, word) for name, text in (helps | pages).items() for word in re.findall(r"\w+", text) if word in OLD_NAMES
    ] == []


def test_what_the_readme_says_was_found_is_in_a_ledger_with_its_link() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"^\| .* \| \[.*\]\((https://\S+)\) \|$", readme, re.MULTILINE)
    ledgers = [file.read_text(encoding="utf-8") for file in (REPOSITORY / "adapters").glob("*/divergences.yaml")]
    assert len(links) == len(set(links)) == 10
    assert [link for link in links if not any(f"link: {link}\n" in ledger for ledger in ledgers)] == []


@pytest.mark.parametrize("words", CLOSED, ids=str)
def test_the_glossary_has_every_word_of_a_closed_list(words: object) -> None:
    assert set(get_args(words)) <= {anchor for anchor, _ in GLOSSARY}


def test_the_readme_counts_the_operations() -> None:
    numbers = (
        *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
        *("twenty", "twenty-one", "twenty-two", "twenty-three", "twenty-four"),
        *("twenty-five", "twenty-six", "twenty-seven", "twenty-eight", "twenty-nine", "thirty"),
        *("thirty-one", "thirty-two"),
    )
    specs = [path for path in (REPOSITORY / "specs").glob("*.yaml") if path.stem not in ("documents", "programs")]
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert f"[`specs/`](specs) covers {numbers[len(specs) - 10]} operations." in text


def test_the_glossary_has_the_families_of_clauses() -> None:
    families = {"example", "rule", "behaviour", "relation"}
    assert {f"{name}s" for name in families} <= SpecFile.model_fields.keys()
    assert families <= {anchor for anchor, _ in GLOSSARY}


@pytest.mark.parametrize("words", GLOSSARY_OF_REPORTS.values(), ids=GLOSSARY_OF_REPORTS)
def test_the_glossary_has_the_lines_of_the_reports(words: dict[str, str]) -> None:
    assert [(word, line) for word, line in words.items() if LINES.get(word) != line] == []


def test_the_glossary_of_the_reports_has_every_word_of_a_closed_list() -> None:
    closed = {word for words in CLOSED for word in get_args(words)}
    assert closed <= {word for words in GLOSSARY_OF_REPORTS.values() for word in words}


def test_the_glossary_is_alphabetical_and_has_each_word_once() -> None:
    words = [word.lower() for _, word in GLOSSARY]
    assert words == sorted(set(words))

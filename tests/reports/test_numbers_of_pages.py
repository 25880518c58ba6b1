"""The numbers on the pages of the site, counted again from the lines of results.jsonl in the simplest way that works."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.version import Version

from conformance.results.file import read_results
from tests.findings.naive.behaviours import own_claims
from tests.findings.naive.ports import word_of
from tests.findings.naive.ran import is_for_some, why_not_called
from tests.findings.naive.records import Json, Records, sort_of
from tests.findings.published import lines_about, published_lines
from tests.reports.site_of import site_of, words

OPERATIONS, FRAMEWORKS = ("gather_elements", "index_add"), ("torch", "mindspore", "openvino")
WORST = (("died", "hung"), ("own", "printed"), ("portability",), ("conforms",))
STANDINGS = (
    "ends the process, or hangs",
    "differs from its own documentation",
    "differs from another API's documentation",
)


@dataclass(frozen=True)
class Site:
    records: Records
    pages: dict[str, str]

    @property
    def apis(self) -> dict[str, str]:
        """Each API with the path of its page."""
        found = {path: re.search(r'data-api="([^"]+)"', page) for path, page in self.pages.items()}
        return {words(name[1]): path for path, name in found.items() if name and path.startswith("api/")}

    def of(self, target: str, api: str, operation: str) -> list[Json]:
        """The results of an API."""
        return [
            each
            for each in self.records.results
            if (each["target"], each["api"]) == (target, api)
            and self.records.cases[each["case"]]["operation"] == operation
        ]


def site_from(lines: list[str], folder: Path) -> Site:
    (folder / "results.jsonl").write_text("".join(lines), encoding="utf-8")
    return Site(Records(lines), site_of(read_results(folder)))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Site:
    """A part of the published run; all of it before a report is published."""
    folder = tmp_path_factory.mktemp("numbers")
    is_whole = request.config.getoption("--published")
    return site_from(list(published_lines()) if is_whole else lines_about(OPERATIONS, FRAMEWORKS), folder)


def rows(page: str) -> Iterator[list[str]]:
    """The cells of each row of the tables of a page."""
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.DOTALL):
        yield [words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def newest(site: Site, api: str) -> str:
    """The newest version that has it, in the default mode if any is."""
    names = {each["target"] for each in site.records.mappings if each["api"] == api}
    targets = [site.records.targets[name] for name in names]
    found = max(targets, key=lambda each: (each["default_mode"], each["device"] == "cpu", Version(each["version"])))
    return str(found["id"])


def test_the_first_page_counts_the_apis_that_do_the_worst(site: Site) -> None:
    glance = site.pages["index.html"].partition('class="glance"')[2].partition("</table>")[0]
    said = re.findall(r'href="operation/([^/]+)/index.html#([^"]+)" title="([^"]+)"', glance)
    assert said
    for operation, framework, text in said:
        apis = {
            each["api"]
            for each in site.records.mappings
            if each["operation"] == operation and site.records.targets[each["target"]]["framework"] == framework
        }
        worst = []
        for api in apis:
            sorts = {sort_of(each) for each in site.of(newest(site, api), api, operation)}
            worst.append(next((place for place, names in enumerate(WORST) if sorts & {*names}), len(WORST)))
        text_of_worst = (*STANDINGS, "as documented", "nothing was judged")[min(worst)]
        assert numbers(words(text).partition(":")[0]) == [worst.count(min(worst)), len(apis)], (operation, framework)
        assert words(text).endswith(text_of_worst), (operation, framework)


def test_a_document_counts_the_results_that_are_held_to_each_claim(site: Site) -> None:
    by_clause: dict[str, list[Json]] = {}
    for each in site.records.results:
        by_clause.setdefault(each["clause"], []).append(each)
    compared = 0
    for path, page in site.pages.items():
        for clause, badges in (
            re.findall(r"<li>[^\n]*<small>([\w.-]+\.[\w./-]+)</small>(.*?)</li>", page)
            if path.startswith("documents/")
            else ()
        ):
            claim = re.findall(r'class="here" href="#([^"]+)"', page[: page.index(f"<small>{clause}</small>{badges}")])[
                -1
            ]
            title = re.findall(r"<p><code>([^<]+)</code>", page.replace("<wbr>", ""))[0]
            cited = [
                each
                for each in site.records.clauses[clause]["citations"]
                if (each["document"], re.sub(r"\s+", "-", each["locator"])) == (title, claim)
            ]
            held = (
                each
                for each in by_clause.get(clause, ())
                if own_claims(site.records, each["target"], each["api"], cited)
            )
            counts = Counter(map(sort_of, held))
            said = {
                sort: int(number)
                for sort, number in re.findall(r'class="badge (\w+)">(?:<span[^>]*>[^<]*</span> )?(\d+)', badges)
            }
            assert said == counts, (path, claim, clause)
            compared += 1
    assert compared > 50


def test_the_page_of_an_api_counts_the_calls_that_were_made(site: Site) -> None:
    common = [case for case in site.records.cases.values() if not is_for_some(site.records, case)]
    for api, path in site.apis.items():
        target = newest(site, api)
        operations = dict.fromkeys(each["operation"] for each in site.records.mappings if each["api"] == api)
        said = re.findall(r"(\d+) of (\d+) calls made", words(site.pages[path]))
        assert said
        made = []
        for operation in operations:
            results = site.of(target, api, operation)
            of_some = sum(is_for_some(site.records, site.records.cases[each["case"]]) for each in results)
            device = site.records.targets[target]["device"].partition(":")[0]
            cases = sum(case["operation"] == operation and case.get("device") in (None, device) for case in common)
            made.append((str(sum(why_not_called(each) is None for each in results)), str(cases + of_some)))
        assert {*made} <= {*said}, api


def test_what_takes_an_apis_place_elsewhere_does_the_same_in_as_many_calls(site: Site) -> None:
    compared = 0
    for api, path in site.apis.items():
        for section in re.findall(r'<h2 id="[^"]*elsewhere">.*?</section>', site.pages[path], re.DOTALL):
            operation = re.findall(r'operation/([^/]+)/index.html">All', section)[0]
            for _, name_of_other, same, _ in [row for row in rows(section) if len(row) == 4][1:]:
                other = name_of_other.replace(" ", "")
                sides = [
                    {each["case"]: word_of(each) for each in site.of(newest(site, name), name, operation)}
                    for name in (api, other)
                ]
                pairs = [(word, sides[1].get(case)) for case, word in sides[0].items() if not is_relation(site, case)]
                taken = [pair for pair in pairs if not {*pair} & {None, "lacks", "depends", "raised", "died", "hung"}]
                alike = sum(one == two and one != "varies" for one, two in taken)
                assert numbers(same) == [alike, len(taken)], (api, other)
                assert alike
                compared += 1
    assert compared > 10


def is_relation(site: Site, case: str) -> bool:
    return bool(site.records.clauses[site.records.cases[case]["clause"]]["family"] == "relation")

"""The pages of the site, without a browser."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import unescape
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from conformance.findings.conclusions import Conclusions
from conformance.findings.situations import PAST_THE_END, written_twice
from conformance.judging.vocabulary import Behaviour, Determinism
from conformance.reports.behaviours import WORDS
from conformance.reports.site.addresses import Addresses, folders, relative
from conformance.reports.site.glance import STANDINGS
from conformance.results.file import Results
from conformance.results.records import DtypeClaimRecord
from conformance.results.variations import BatchRecord
from conformance.specification.vocabulary import BatchAxis, LeftOut
from tests.outcomes import returned
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE
from tests.reports.sample_porting import (
    NAMES,
    OTHER_API,
    results_in_modes,
    results_of_frameworks,
    results_of_many_apis,
    results_to_port,
)
from tests.reports.sample_questions import CASES, KNOWN, MINDSPORE, OLD_TORCH, TORCH, results_to_ask
from tests.reports.sample_several import several
from tests.reports.site_of import Parsed, data_of, site_of, words

SAMPLES: dict[str, Callable[[], Results]] = {
    "everything": several,
    "questions": results_to_ask,
    "porting": results_to_port,
    "modes": lambda: results_in_modes(3),
}
MOST_BYTES = 300_000


@cache
def built(name: str) -> dict[str, str]:
    return site_of(SAMPLES[name]())


def pages(files: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in files.items() if path.endswith(".html")}


def test_the_first_page_lists_operations_by_name() -> None:
    links = [str(link["href"]) for link in Parsed(built("everything")["index.html"]).all("a")]
    operations = [link for link in links if link.startswith("operation/") and "#" not in link]
    assert len(operations) > 1
    assert operations == sorted(operations)


def test_the_title_of_the_first_page_says_what_it_is_and_names_the_frameworks() -> None:
    page = Parsed(built("questions")["index.html"])
    assert "What scatter, gather and indexing do in PyTorch, TensorFlow and MindSpore" in page.texts["title"][0]
    assert "For those who port a model" in page.text


def test_the_first_page_has_for_each_operation_and_framework_the_worst_that_an_api_does_and_a_link() -> None:
    """What a version other than the newest does, or an expensive mode, does not count."""
    results = results_to_ask()
    page = built("questions")["index.html"]
    cells = re.findall(r'<a class="does (\w+)" href="([^"]+)" title="([^"]+)"', page)
    assert ("died", "operation/scatter_nd/index.html#mindspore", "1 of 1 API: ends the process, or hangs") in cells
    assert ("conforms", "operation/gather_elements/index.html#torch", "1 of 1 API: as documented") in cells
    assert not any("gather_elements" in link and "tensorflow" in link for _, link, _ in cells)
    broken = [
        replace(one, verdict="diverges", standing="own", divergence=["value"])
        if (one.target, one.api) == (TORCH.id, "torch.gather") else one
        for one in results.results
    ]  # fmt: skip
    page = site_of(replace(results, results=broken))["index.html"]
    assert 'title="1 of 1 API: differs from its own documentation"' in page


@pytest.mark.parametrize("name", SAMPLES)
def test_each_page_says_what_its_signs_and_colours_mean(name: str) -> None:
    for path, text in pages(built(name)).items():
        legend = words(text.partition('<dl class="legend"')[2].partition("</dl>")[0])
        assert "diverges, own differs from its own documentation" in legend, path
        for sort, means in STANDINGS.values():  # the table of the first page says the same
            assert sort == "observed" or all(part in legend for part in means.split(", or ")), (path, means)


def test_the_page_of_a_situation_says_what_each_api_does_in_it() -> None:
    page = words(built("questions")["situation/past-the-end/index.html"])
    assert "torch.gather ! IndexError" in page
    assert "mindspore.ops.scatter_nd ✖ ends the process (SIGABRT)" in page
    assert "tf.tensor_scatter_nd_update" in page


def test_only_operations_in_which_a_newest_version_was_in_a_situation_are_on_its_page() -> None:
    results = results_to_ask()
    behaviours = [one for one in Conclusions(results).behaviours if one.situation == PAST_THE_END]
    calls = {(result.case, one.operation) for one in behaviours for result in one.results}

    def without(operations: set[str]) -> dict[str, str]:
        """The site if only an older version was in the situation."""
        left = {case for case, operation in calls if operation in operations}
        kept = [one for one in results.results if one.case not in left or one.target == OLD_TORCH.id]
        return site_of(replace(results, results=kept))

    page = without({"gather_elements"})["situation/past-the-end/index.html"]
    assert 'id="gather_elements"' not in page
    assert 'id="scatter_nd"' in page
    files = without({operation for _, operation in calls})
    assert "past-the-end" not in "".join(text for path, text in files.items() if path.startswith("situation/"))
    assert "situation/past-the-end" not in "".join(pages(files).values())


def test_the_reference_of_the_suite_comes_last_and_is_said_to_be_no_framework() -> None:
    results = results_to_port()
    first = results.targets[0]
    ours = [replace(first, framework="reference", title="NumPy reference"), *results.targets[1:]]
    files = site_of(replace(results, targets=ours))
    page = words(files["operation/gather_nd/index.html"])
    assert page.index("Mindspore 1.0") < page.index("NumPy reference 1.0")
    assert "NumPy reference 1.0 the suite&#39;s own" in page or "NumPy reference 1.0 the suite's own" in page
    assert "in Tensorflow and Mindspore" in files["index.html"]


def test_the_title_of_a_finding_names_its_apis_and_what_is_wrong() -> None:
    files = built("questions")
    titles = {
        words(re.findall("<h1>(.*?)</h1>", text)[0])
        for path, text in files.items()
        if path.startswith("finding/") and path.count("/") == 2
    }
    assert titles == {"mindspore.ops.scatter_nd: ends the process", "torch.gather: takes what it documents as an error"}


def test_each_cause_is_in_the_list_to_which_its_page_leads_back() -> None:
    files = built("everything")
    lists = ("finding/index.html", "finding/portability/index.html")
    listed = {
        posixpath.normpath(posixpath.join(posixpath.dirname(page), link)): f"{page}#{danger}"
        for page in lists
        for danger, section in re.findall(r'<section [^>]*data-danger="(\w+)">(.*?)</section>', files[page], re.DOTALL)
        for link in re.findall(r'<li [^>]*>\s*<a href="([^"]+)">', section)
    }
    leads = {
        path: posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
        for path, text in files.items()
        if path.startswith("finding/") and path not in lists
        for link in re.findall(r'<p class="crumbs"><a href="([^"]+)">', text)[:1]
    }
    assert {place.partition("#")[0] for place in leads.values()} == {*lists}
    assert leads == listed


def test_what_contradicts_only_other_apis_is_not_among_the_findings() -> None:
    files = built("everything")
    assert "against the documentation of other APIs only" not in files["finding/index.html"]
    assert '<a href="portability/index.html">portability</a>' in files["finding/index.html"]
    assert "portability/" not in built("questions")["finding/index.html"]  # which has no such cause


def test_a_list_without_findings_has_no_filters_and_still_leads_to_those_of_portability() -> None:
    page = site_of(results_to_port())["finding/index.html"]
    assert "Nothing is wrong." in words(page)
    assert '<form class="filters"' not in page
    everything = several()
    portable = replace(
        everything,
        results=[
            one
            for one in everything.results
            if one.standing == "portability" and one.verdict == "diverges" and one.divergence == ["value"]
        ],
    )
    page = site_of(portable)["finding/index.html"]
    assert "No call breaks its own documentation" in words(page)
    assert '<form class="filters"' not in page
    assert '<a href="portability/index.html">portability</a>' in page


def test_a_call_that_breaks_a_rule_on_purpose_should_be_an_error() -> None:
    """The rule alone reads as if it were what the API does not do."""
    found = [
        words(text)
        for text in built("everything").values()
        if "conformance repro scatter_nd.rule.updates-shape/broken.1" in text
    ]
    assert any("An error, since this does not hold: " in text for text in found)


def test_a_finding_says_of_which_framework_it_is_and_whether_it_is_reported() -> None:
    items = [one for one in Parsed(built("questions")["finding/index.html"]).all("li") if "data-framework" in one]
    assert {(one["data-framework"], one["data-reported"]) for one in items} == {("mindspore", "yes"), ("torch", "no")}


def test_the_page_of_an_api_says_whether_it_gives_the_same_bits_each_time_and_how_often_that_was_tried() -> None:
    results = results_to_ask()
    twice = CASES["updated twice"].id
    repeated = [
        replace(one, determinism=Determinism(30, 1, "same-bits", True, 2) if one.target == TORCH.id else Determinism(11, 2, "varies", False, 2))
        if (one.case, one.api) == (twice, "torch.index_put") and one.target in (TORCH.id, OLD_TORCH.id) else one
        for one in results.results
    ]  # fmt: skip
    page = site_of(replace(results, results=repeated))["api/torch.index_put/index.html"]
    row = words(page.partition('<tr id="determinism">')[2].partition("</tr>")[0])
    assert "= same bits 1 call each made 30 times, with 2 threads" in row
    assert (
        '<span class="does observed"><span aria-hidden="true">=</span>&nbsp;same bits' in page
    )  # which nobody promises
    assert "↯ varies 1 of 1 call each made 11 times, with 2 threads" in row
    assert "no call was repeated" in row
    assert '<tr id="determinism">' not in built("questions")["api/torch.index_put/index.html"]


def test_dtypes_come_in_the_order_of_their_widths_and_without_a_claim_that_is_said() -> None:
    results = results_to_ask()
    [small] = [one for one in results.results if one.case == CASES["scattered in int8"].id]
    wider = [replace(CASES["scattered in int8"], id=f"{small.clause}/in-range.{dtype}", call={
        **CASES["scattered in int8"].call, "updates": {dtype: [10, 20]}}) for dtype in ("float64", "int16", "bool")]  # fmt: skip
    more = [
        replace(small, case=case.id, dtype_claim=DtypeClaimRecord({"updates": case.id.rpartition(".")[2]}, "no", None))
        for case in wider
    ]
    page = site_of(
        replace(
            results, cases={**results.cases, **{case.id: case for case in wider}}, results=[*more, *results.results]
        )
    )
    table = (
        page["api/mindspore.ops.scatter_nd/index.html"]
        .partition('<table class="situations dtypes stacked">')[2]
        .partition("</table>")[0]
    )
    assert re.findall(r'<th scope="row"><code>(\w+)</code>', table) == ["bool", "int8", "int16", "float64"]
    assert words(table).count("no claim") == 3


def test_the_dtypes_of_indices_are_one_column_of_an_operation_that_opens() -> None:
    page = built("questions")["operation/gather_elements/index.html"]
    heads = [words(head) for head in re.findall('<th scope="col">(.*?)</th>', page)]
    assert heads.count("dtype of indices") == 1
    assert not any("int64 indices" in head for head in heads)
    [row] = [
        text
        for text in re.findall("<tr><th scope=.row.>.*?</tr>", page, flags=re.DOTALL)
        if "torch.gather" in words(text)
    ]
    assert "returns in int32, int64" in words(row.partition("<summary>")[2].partition("</summary>")[0])


def test_the_official_documents_of_an_api_come_first_and_another_one_is_said_to_be_none() -> None:
    results = results_to_ask()
    article = replace(results.claims[0], document="an article", official=False, rests={})
    documents = [replace(results.documents[0], document="an article", untestable=[]), *results.documents]
    page = site_of(replace(results, claims=[article, *results.claims], documents=documents))[
        "api/torch.gather/index.html"
    ]
    assert "Documentation: torch.gather, an article (not official)" in words(page).replace(" ,", ",")


@pytest.mark.parametrize("name", SAMPLES)
def test_each_place_that_the_search_finds_is_on_its_page(name: str) -> None:
    found = data_of(built(name)["data/names.js"])
    for _, _, address, _, *rows in found["names"]:
        path, _, fragment = address.partition("#")
        ids = {*Parsed(built(name)[path]).ids}
        assert not fragment or fragment in ids, address
        for prefix, numbers in rows[0] if rows else []:
            assert {f"{prefix}{found['situations'][number][2]}" for number in numbers} <= ids, path


def test_names_are_broken_after_dots_only() -> None:
    page = built("questions")["operation/tensor_scatter_nd_update/index.html"]
    assert "tf.<wbr>tensor_scatter_nd_update" in page
    assert "_<wbr>" not in page


@pytest.mark.parametrize("name", SAMPLES)
def test_every_link_leads_to_a_file_and_to_an_element_of_it_or_to_a_call(name: str) -> None:
    files = built(name)
    ids = {path: {*Parsed(text).ids} for path, text in pages(files).items()}
    broken = []
    for path, text in pages(files).items():
        parsed = Parsed(text)
        links = [str(one["href"]) for tag in ("a", "link") for one in parsed.all(tag)]
        links += [str(one["src"]) for one in parsed.all("script")]
        for link in links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            there = (
                posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path))) if parts.path else path
            )
            call = parse_qs(parts.fragment).get("call")
            if there not in files or (parts.fragment and not call and unquote(parts.fragment) not in ids[there]):
                broken.append((path, link))
            if call:
                data = re.search(r'data-calls="([^"]+)"', files[there])
                assert data is not None
                calls = data_of(files[posixpath.normpath(posixpath.join(posixpath.dirname(there), unquote(data[1])))])
                assert call[0] in calls["cases"], link
    assert broken == []


@pytest.mark.parametrize("name", SAMPLES)
def test_every_page_is_reached_from_the_first_and_loads_nothing_from_elsewhere(name: str) -> None:
    files = built(name)
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        path = waiting.pop()
        for link in [str(one["href"]) for one in Parsed(files[path]).all("a")]:
            parts = urlsplit(link)
            there = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path)))
            if not parts.scheme and parts.path and there not in reached:
                reached.add(there)
                waiting.append(there)
    assert {*pages(files)} == reached
    for text in pages(files).values():
        parsed = Parsed(text)
        loaded = [*(one["src"] for one in parsed.all("script")), *(one["href"] for one in parsed.all("link"))]
        assert all(not urlsplit(str(address)).scheme for address in loaded)
        assert not [one for _, one in parsed.elements if "style" in one or any(key.startswith("on") for key in one)]
        assert "script-src 'self'" in unescape(text)
        assert "unsafe" not in text.partition("<body")[0]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_id_stands_twice_on_a_page_and_no_page_is_large(name: str) -> None:
    for path, text in pages(built(name)).items():
        assert [each for each, count in Counter(Parsed(text).ids).items() if count > 1] == [], path
        assert len(text.encode()) < MOST_BYTES, path


def test_the_same_results_give_the_same_bytes() -> None:
    assert site_of(several()) == built("everything")


def test_the_first_line_of_an_api_answers_the_commonest_question() -> None:
    files = built("questions")

    def answer(api: str) -> str:
        [line] = re.findall(r'<p class="answer">(.*?)</p>', files[f"api/{api}/index.html"])
        return unescape(line)

    assert answer("torch.gather") == (
        "Index past the end: IndexError. The part of its documentation that is read does not say."
    )
    assert answer("mindspore.ops.scatter_nd") == (
        "Index past the end: ends the process (SIGABRT). No document about it is read."
    )


def test_a_row_has_an_address_and_says_verb_calls_claim_and_since_when() -> None:
    page = built("questions")["api/torch.gather/index.html"]
    row = words(page.partition('<tr id="int32-indices">')[2].partition("</tr>")[0])
    assert row.startswith("int32 indices The part of its documentation that is read does not say.")
    assert "→ returns 1 call; since 2.13.0 at the latest: 2.1.2 raises" in row
    past = page.partition('<tr id="index-past-the-end">')[2].partition("</tr>")[0]
    assert "An index outside raises." in past
    assert 'class="does own"' in past
    assert words(past).count("1 call, against its documentation") == 1


def test_an_api_about_which_no_document_is_read_is_not_said_to_have_a_silent_one() -> None:
    page = words(built("questions")["api/mindspore.ops.scatter_nd/index.html"])
    assert "index past the end No document about it is read." in page
    assert "Its documentation" not in page


def test_the_page_of_an_api_says_how_much_of_its_documentation_is_read() -> None:
    page = words(built("questions")["api/torch.gather/index.html"])
    assert "of its 4 sentences 1 is read by claims, 2 cannot be tested, 1 is unread." in page


@pytest.mark.parametrize("name", SAMPLES)
def test_the_cells_of_an_api_are_the_behaviours_of_the_conclusions(name: str) -> None:
    results = SAMPLES[name]()
    conclusions = Conclusions(results)
    targets = conclusions.table.targets
    for api in {each.api for each in conclusions.behaviours}:
        [page] = [text for path, text in built(name).items() if f'data-api="{api}"' in text]
        shown: Counter[tuple[str, str]] = Counter()
        for columns, cell in re.findall(r'<td(?: colspan="(\d+)")? data-label=[^>]*>(.*?)</td>', page, re.DOTALL):
            for sort, title in re.findall(r'<a class="does (\w+)" [^>]*title="([^"]*)"', cell):
                shown[sort, unescape(title).partition(":")[0]] += int(columns or 1)
        expected = Counter(
            (each.sort, WORDS[each.verb][1])
            for each in conclusions.behaviours
            if each.api == api and each.target in targets
        )
        assert shown == expected, api


def test_neighbouring_columns_that_show_the_same_are_one_cell_that_names_them() -> None:
    page = built("everything")["api/torch.gather/index.html"]
    cells = re.findall(r'<td colspan="2" data-label="2.13.0, 2.1.2">(.*?)</td>', page, re.DOTALL)
    assert "unchanged 3 to 5 calls" in {words(cell).removeprefix("= ") for cell in cells}
    page = built("questions")["api/torch.gather/index.html"]
    past_the_end = page.partition('<tr id="index-past-the-end">')[2].partition("</tr>")[0]
    assert re.findall(r"<td ([^>]*)>", past_the_end) == [
        'colspan="2" data-label="2.13.0, 2.1.2"',
        'data-label="2.13.0 compile"',
    ]


def test_what_was_run_stands_in_the_head_of_each_column() -> None:
    head = words(built("questions")["api/torch.gather/index.html"].partition("<thead>")[2].partition("</thead>")[0])
    assert head.count("3 of 3 calls made") == 3
    results = results_to_ask()
    few = [one for one in results.results if one.api != "torch.gather" or one.case.endswith("/past")]
    some = replace(
        results, results=few, run=replace(results.run, selection="-k past", command="conformance run -k past")
    )
    page = site_of(some)["api/torch.gather/index.html"]
    assert "1 of 3 calls made 2 deselected" in words(page)
    assert "conformance run -k past" in words(page)


def test_the_page_of_a_cause_has_script_text_for_an_issue_and_where_it_is_reported() -> None:
    [page] = [text for path, text in built("questions").items() if path.startswith("finding/mindspore-ends")]
    assert KNOWN.link in page
    assert "print(&#39;it ends&#39;)" in page
    assert "mindspore.ops.scatter_nd" in page
    issue = words(page).partition("For the issue tracker")[2]
    assert f"MindSpore {MINDSPORE.version} (cpu, eager)" in issue
    assert "The process ended." in issue


def test_an_issue_names_the_packages_of_the_framework_and_no_others() -> None:
    results = results_to_ask()
    packages = {"mindspore": "2.10.0", "mindspore-lite": "2.3", "filelock": "3", "Jinja2": "3"}
    results.targets[:] = [replace(one, packages=packages) for one in results.targets]
    [page] = [text for path, text in site_of(results).items() if path.startswith("finding/mindspore-ends")]
    issue = words(page).partition("For the issue tracker")[2]
    assert "; mindspore-lite 2.3" in issue
    assert not [name for name in ("filelock", "Jinja2", "mindspore 2.10.0") if name in issue]


@pytest.mark.parametrize("order", [1, -1])
def test_the_start_page_names_the_newest_version_that_ends_the_process(order: int) -> None:
    results = sample()
    dies = next(one for one in results.results if one.verdict == "died")
    target = next(one for one in results.targets if one.id == dies.target)
    older = replace(target, id=f"{target.framework}==0.1@cpu", version="0.1")
    mappings = [replace(one, target=older.id) for one in results.mappings if one.target == target.id]
    both = replace(
        results,
        targets=[*results.targets, older][::order],
        mappings=[*results.mappings, *mappings],
        results=[*results.results, replace(dies, target=older.id)][::order],
    )
    [ends] = re.findall(r'<section aria-labelledby="ends">.*?</section>', site_of(both)["index.html"], re.DOTALL)
    assert f"{dies.api} {target.version}" in words(ends)
    assert "0.1" not in words(ends).split()


def test_porting_names_what_takes_the_place_of_an_api_in_calls_that_both_take() -> None:
    page = words(built("porting")["port/torch/tensorflow/index.html"])
    assert f"{NAMES['torch']} {NAMES['tensorflow']} 5 of 5 calls that both take 2 calls 1 situation" in page
    assert f"{OTHER_API} no API of Tensorflow did the same in any call" in page
    page = words(built("porting")["port/torch/tensorflow/gather_nd/index.html"])
    assert f"{NAMES['torch']} → {NAMES['tensorflow']} The same in 5 of 5 calls that both take." in page
    assert "counts from the end" in page


def test_each_pair_of_frameworks_has_a_page_about_porting_however_many_there_are() -> None:
    files = site_of(results_of_frameworks(8))
    pairs = {f"frame{first}/frame{second}" for first in range(8) for second in range(8) if first != second}
    there = {path for path in pages(files) if path.startswith("port/")} - {"port/index.html"}
    assert there == {f"port/{pair}/{page}" for pair in pairs for page in ("index.html", "gather_nd/index.html")}
    links = [str(link["href"]) for link in Parsed(files["port/index.html"]).all("a")]
    assert {f"{pair}/index.html" for pair in pairs} <= {*links}
    assert "to frame7 1 operation" in words(files["port/index.html"])


@pytest.mark.parametrize(
    ("frameworks", "blocked", "says"),
    [
        (1, 0, "This run has one framework only."),
        (1, 1, "This run has one framework only."),
        (5, 0, None),
        (3, 2, "Of the frameworks of this run, only frame0 ran. The others did not start, or gave up."),
        (2, 2, "No framework of this run ran: they did not start, or gave up."),
    ],
)
def test_a_run_without_two_frameworks_to_compare_says_why(frameworks: int, blocked: int, says: str | None) -> None:
    page = words(site_of(results_of_frameworks(frameworks, blocked))["port/index.html"])
    assert f"Porting {says or 'What to write instead, and where it does something else.'} " in page


def test_an_operation_without_a_replacement_has_no_page_about_porting() -> None:
    results = results_to_port()
    clause = replace(next(iter(results.clauses.values())), id="take.rule.all", operation="take")
    [case, *_] = results.cases.values()
    case = replace(case, id=f"{clause.id}/plain", clause=clause.id, operation="take")
    [called, *_] = [one for one in results.results if one.api == NAMES["torch"]]
    files = site_of(
        replace(
            results,
            clauses={**results.clauses, clause.id: clause},
            cases={**results.cases, case.id: case},
            mappings=[*results.mappings, replace(results.mappings[0], operation="take")],
            results=[*results.results, replace(called, case=case.id, clause=clause.id)],
        )
    )
    page = "port/torch/tensorflow"
    assert "no API of Tensorflow is tested for it" in words(files[f"{page}/index.html"])
    assert "take/index.html" not in [link["href"] for link in Parsed(files[f"{page}/index.html"]).all("a")]
    assert {path for path in files if path.startswith(page)} == {f"{page}/index.html", f"{page}/gather_nd/index.html"}


def test_no_page_about_porting_grows_with_the_number_of_operations() -> None:
    files = pages(site_of(results_of_many_apis(operations=12, apis=12)))
    of_pair = {path: len(text.encode()) for path, text in files.items() if path.startswith("port/torch/tensorflow/")}
    assert len(of_pair) == 1 + 12
    assert sum(of_pair.values()) > MOST_BYTES > 2 * max(of_pair.values())


def test_frameworks_are_ported_in_the_operations_that_were_run() -> None:
    results = results_to_port()
    [first, *_] = results.mappings
    more = replace(results, mappings=[*results.mappings, replace(first, operation="scatter_nd")])
    clause = replace(results.clauses[next(iter(results.clauses))], id="scatter_nd.rule.all", operation="scatter_nd")
    files = site_of(replace(more, clauses={**results.clauses, clause.id: clause}))
    assert "operation/scatter_nd/index.html" in files
    assert "port/torch/tensorflow/scatter_nd/index.html" not in files
    assert "scatter_nd" not in words(files["port/torch/tensorflow/index.html"])


def test_the_first_page_says_why_nothing_changed() -> None:
    results = results_of_frameworks(2)
    versions = [replace(each, framework="frame0", version=f"{at}.0") for at, each in enumerate(results.targets)]
    same = replace(results, targets=versions, mappings=[replace(each, api="index") for each in results.mappings])
    same = replace(same, results=[replace(each, api="index") for each in results.results])
    assert "This run has no two versions of a framework to compare." in words(site_of(results)["index.html"])
    assert "compared in 9 calls: nothing changed" in words(site_of(same)["index.html"])
    blocked = replace(same, targets=[versions[0], replace(versions[1], blocked="It is not there.")])
    assert "no two versions of a framework to compare" in words(site_of(blocked)["index.html"])


def test_changes_say_what_was_and_what_is() -> None:
    page = words(built("questions")["changes/torch/index.html"])
    assert "torch.gather raises RuntimeError returns 1 such as gather_elements.behaviour.outside/in-int32" in page
    assert "2.13.0 since 2.1.2: 1 call changed" in page


def test_changes_have_the_words_of_the_other_pages() -> None:
    results = results_to_ask()
    behaviours: dict[str, Behaviour] = {OLD_TORCH.id: "wraps-modulo", TORCH.id: "clamps"}
    changed = [
        replace(one, outcome=returned(), behaviour=behaviours[one.target])
        if one.target in behaviours and one.case.endswith("outside/past")
        else one
        for one in results.results
    ]
    page = words(site_of(replace(results, results=changed))["changes/torch/index.html"])
    assert "torch.gather wraps around clamps 1 such as" in page


def test_an_api_without_a_kernel_has_no_cases_that_were_deselected() -> None:
    results = results_to_ask()
    files = site_of(
        replace(
            results,
            mappings=[replace(one, lacks_kernel=one.api == "tf.scatter_nd") for one in results.mappings],
            results=[one for one in results.results if one.api != "tf.scatter_nd"],
        )
    )
    [of_api] = re.findall(
        r'<th scope="row"><a href="[^"]*tf.scatter_nd/.*?</tr>', files["operation/scatter_nd/index.html"], re.DOTALL
    )
    assert words(of_api).count("no kernel") == of_api.count("<td>") > 0
    page = words(files["api/tf.scatter_nd/index.html"])
    assert "0 of 4 calls made 4 no kernel" in page
    assert "deselected" not in words(of_api) + page


def test_what_is_wrong_is_a_sentence_though_no_ledger_has_it() -> None:
    results = results_to_ask()
    wrong = [replace(one, explanation=one.explanation and "expected an error.") for one in results.results]
    page = words(site_of(replace(results, results=wrong))["api/torch.gather/index.html"])
    assert "What is wrong torch.gather Takes what it documents as an error. Expected an error." in page


def test_an_operation_has_a_row_for_each_api_and_no_merged_cells() -> None:
    page = built("questions")["operation/tensor_scatter_nd_update/index.html"]
    rows = re.findall(r"<tr>.*?</tr>", page.partition("<tbody")[2], flags=re.DOTALL)
    assert [words(row).split()[0] for row in rows] == ["torch.index_put", "tf.tensor_scatter_nd_update"]
    assert len({row.count("<td>") for row in rows}) == 1
    assert not any("colspan" in row for row in rows)


def test_hostile_texts_are_text_and_nothing_else() -> None:
    for path, text in built("everything").items():
        if path.endswith(".html"):
            parsed = Parsed(text)
            assert parsed.all("img") == []
            assert len(parsed.all("script")) == 1
            assert not [one for one in parsed.all("a") if str(one.get("href")).startswith("javascript")]
        text.encode()


def test_hostile_names_stay_inside_the_folder() -> None:
    results = sample()
    clause = replace(results.clauses["gather_elements.rule.hostile"], operation=HOSTILE)
    names = ["../../outside", "/etc/passwd", "..", "a\0b", "x" * 5000, "Torch.gather", "torch.Gather", HOSTILE]
    hostile = Results(
        run=replace(results.run, command=HOSTILE, seed=1, started=HOSTILE, suite_version=HOSTILE, spec_digest=HOSTILE),
        targets=[replace(results.targets[1], id=HOSTILE, title=HOSTILE, version=HOSTILE, issues=HOSTILE)],
        clauses={clause.id: clause},
        mappings=[
            replace(results.mappings[3], target=HOSTILE, api=name, operation=HOSTILE, source=HOSTILE) for name in names
        ],
        results=[replace(results.results[0], target=HOSTILE, api=names[0], clause=clause.id, case=HOSTILE)],
    )
    files = site_of(hostile)
    assert all(posixpath.normpath(path) == path and not path.startswith(("/", "..")) for path in files)
    assert len({path.lower() for path in files}) == len(files)
    assert all(len(part) < 120 for path in files for part in path.split("/"))
    for text in pages(files).values():
        assert Parsed(text).all("img") == []


def test_names_that_differ_in_case_or_signs_only_have_folders_of_their_own() -> None:
    found = folders(["torch.Tensor.put", "torch.tensor.put", "a(b)", "a[b]", "..", ""])
    assert len({name.lower() for name in found.values()}) == 6
    assert found["torch.Tensor.put"] == "torch.Tensor.put"
    choices = [written_twice([f"reduce={word}"]) for word in ("a b", "a-b", "A-b")]
    addresses = Addresses((), (), (), (), (), [situation.name for situation in choices])
    assert len({addresses.situation(situation).lower() for situation in choices}) == 3
    assert relative("api/x/index.html", "operation/a b/index.html#c") == "../../operation/a%20b/index.html#c"


def test_results_without_anything_have_a_site() -> None:
    files = site_of(Results(sample().run))
    assert "No call did." in words(files["index.html"])
    assert "Nothing is wrong." in words(files["finding/index.html"])


def test_an_incomplete_run_says_so_on_every_page() -> None:
    for text in pages(site_of(sample(complete=False))).values():
        assert "Incomplete run" in text


def test_batches_of_the_same_arguments_have_one_row_that_names_their_axes() -> None:
    results = sample()
    [first, *_] = [one for one in results.results if one.api == "torch.gather" and one.verdict == "conforms"]
    base = results.cases[first.case]
    axes: dict[str, BatchAxis] = {"": "first", ".last": "last"}
    batches = {
        f"{base.id}.vmap.input+index{suffix}": BatchRecord(
            base.id, {"input": {"int64": [1]}, "index": {"int64": [0]}}, axis
        )
        for suffix, axis in axes.items()
    }
    cases = {name: replace(base, id=name, variation=variation) for name, variation in batches.items()}
    more = [replace(first, case=name) for name in cases]
    files = site_of(replace(results, cases={**results.cases, **cases}, results=[*results.results, *more]))
    [table] = re.findall(
        r"<tbody>(?:(?!<tbody>).)*?batched.*?</tbody>", files["api/torch.gather/index.html"], re.DOTALL
    )
    assert table.count("<tr>") == 1
    assert "input, index" in words(table)
    assert "right in 1 call, along the first axis right in 1 call, along the last axis" in words(table)


def test_a_mode_that_leaves_out_derivatives_alone_is_not_called_expensive() -> None:
    def said(left_out: dict[LeftOut, int]) -> str:
        results = sample()
        targets = [replace(target, left_out=left_out) for target in results.targets]
        pages = site_of(replace(results, targets=targets))
        return " ".join(words(text) for path, text in pages.items() if path.startswith("api/"))

    assert "is an expensive mode: 7 draws" in said({"draws": 7, "transforms": 5})
    assert "expensive" not in said({"transforms": 5})


def test_a_case_without_a_result_is_not_written_since_nothing_opens_it() -> None:
    results = several()
    left_out = results.results[0].case
    fewer = replace(results, results=[result for result in results.results if result.case != left_out])
    operation = results.cases[left_out].operation
    path = f"data/cases/{operation}.js"
    assert left_out in data_of(site_of(results)[path])["cases"]
    assert left_out not in data_of(site_of(fewer)[path])["cases"]


def test_cases_whose_calls_are_alike_share_a_picture_and_differ_in_what_stands_in_their_calls() -> None:
    results = several()
    case = next(case for case in results.cases.values() if case.id == results.results[0].case)
    [(name, written)] = [
        (name, one) for name, one in case.call.items() if name not in case.points and isinstance(one, dict)
    ][:1]
    other = replace(case, id="other", call={**case.call, name: {dtype: negated(one) for dtype, one in written.items()}})
    more = replace(results.results[0], case="other")
    data = data_of(
        site_of(replace(results, cases={**results.cases, "other": other}, results=[*results.results, more]))[
            f"data/cases/{case.operation}.js"
        ]
    )
    first, second = data["cases"][case.id], data["cases"]["other"]
    assert first[2] == second[2]
    assert first[3][name] != second[3][name]
    assert len({json.dumps(picture) for picture in data["pictures"]}) == len(data["pictures"])


def negated(elements: Any) -> Any:
    return [negated(one) for one in elements] if isinstance(elements, list) else -elements


def test_the_first_page_links_a_glossary_with_the_heads_of_the_table_of_the_terminal() -> None:
    site = site_of(sample())
    assert 'href="run/index.html#words"' in site["index.html"]
    words = site["run/index.html"].partition('id="words"')[2]
    assert all(f"<dt>{word}</dt>" in words for word in ("judged", "open", "absent"))

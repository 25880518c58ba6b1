from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from conformance.reports.html import index_html
from conformance.reports.html.overview import operations
from conformance.reports.html.page import ASSETS
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import RelationRecord
from conformance.results.table import Table
from conformance.specification.vocabulary import Device
from tests.outcomes import returned
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE, JAX, MINDSPORE, TENSORFLOW, TORCH
from tests.reports.unpacked import unpacked

VOID = {"meta", "input", "wbr", "rect"}


class Parsed(HTMLParser):
    """The elements of a page, with their attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(part) for tag, part in self.texts.items() if tag not in ("script", "style"))


def payload(page: Parsed) -> Any:
    data = next(text for text in page.texts["script"] if re.fullmatch(r"\s*[A-Za-z0-9+/=]+\s*", text))
    return unpacked(data)


def test_hostile_strings_are_text_and_nothing_else() -> None:
    page = Parsed(index_html(sample()))
    assert len(page.all("script")) == 2
    assert page.all("img") == []
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert not [one for one in page.all("a") if str(one.get("href")).startswith("javascript")]
    assert "</script><img src=x onerror=alert(1)> #x1B[31mred" in page.text


def test_hostile_names_of_targets_apis_and_operations_are_text_too() -> None:
    results = sample()
    clause = replace(results.clauses["gather_elements.rule.hostile"], operation=HOSTILE)
    hostile = Results(
        run=replace(results.run, command=HOSTILE, seed=1, started=HOSTILE, suite_version=HOSTILE, spec_digest=HOSTILE),
        targets=[replace(results.targets[1], id=HOSTILE, title=HOSTILE, version=HOSTILE, issues=HOSTILE)],
        clauses={clause.id: clause},
        mappings=[replace(results.mappings[3], target=HOSTILE, api=HOSTILE, operation=HOSTILE, source=HOSTILE)],
        results=[replace(results.results[0], target=HOSTILE, api=HOSTILE, clause=clause.id, case=HOSTILE)],
    )
    page = Parsed(index_html(hostile))
    assert len(page.all("script")) == 2
    assert page.all("img") == []
    index_html(hostile).encode()


def test_the_policy_names_the_very_style_and_script_and_allows_nothing_else() -> None:
    page = Parsed(index_html(sample()))
    [policy] = [one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy).split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in str(policy)
    script = next(text for text in page.texts["script"] if "function" in text)
    [style] = page.texts["style"]
    for rule, text in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_nothing_is_loaded_and_no_element_has_a_style_of_its_own() -> None:
    page = Parsed(index_html(sample()))
    assert not [name for _, attributes in page.elements for name in attributes if name in ("src", "srcset", "style")]
    assert page.all("link") == []
    assert "url(" not in "".join(page.texts["style"])
    assert "@import" not in "".join(page.texts["style"])


def accumulate_of(data: Any, column: str) -> list[int]:
    return list(accumulate(data["packed"][column]))


def test_every_result_is_in_the_data_and_every_api_with_results_has_a_cell_for_the_clause() -> None:
    results = sample()
    data = payload(Parsed(index_html(results)))
    assert {(one["case"], one["target"], one["api"]) for one in data["results"]} == {
        (one.case, one.target, one.api) for one in results.results
    }
    assert len(data["results"]) == len(results.results)
    cells = [(row.clause.id, cell) for one in operations(Table(results)) for _, rows in one.families for row in rows
             for cell in row.cells]  # fmt: skip
    assert {(clause, cell.column.target.id, cell.column.api) for clause, cell in cells if cell.sort != "none"} == {
        (one.clause, one.target, one.api) for one in results.results
    }


def test_the_data_of_a_cell_has_call_expectation_outcome_differences_citation_code_and_control() -> None:
    data = payload(Parsed(index_html(sample())))
    one = next(
        one for one in data["results"] if one["case"].startswith("scatter_nd.relation") and one["target"] == MINDSPORE
    )
    case = data["cases"][one["case"]]
    assert case["call"]["indices"] == "int32 [[4], [3], [1], [7]]"
    assert case["expected"] == "int32 (8,)\n[0, 11, 0, 10, 9, 0, 0, 12]"
    assert one["actual"] == "int32 (8,)\n[0, 11, 0, 10, 9, 0, 7, -12]"
    assert one["differs"]["rows"] == [[[6], "0", "7"], [[7], "12", "-12"]]
    assert one["reason"] == "2 of 8 elements differ."
    assert one["remarks"] == ["warning, 2 times: FutureWarning: int32 indices"]
    assert data["clauses"][case["clause"]]["citations"][0]["document"] == "tf.raw_ops.ScatterNd"
    assert data["cases"]["scatter_nd.rule.shape-positive/broken.1"]["control"] == {
        "indices": "int32 [[4], [3], [1], [7]]", "updates": "int32 [9, 10, 11, 12]", "shape": "[8]"
    }  # fmt: skip
    assert any("index_put_(indices.unbind(-1)" in mapping["source"] for mapping in data["mappings"])


def test_the_data_of_a_relation_has_what_the_right_side_gave_and_which_other_apis_were_called() -> None:
    results = sample()
    relation = RelationRecord({"gather_nd": "tf.gather_nd"}, returned((5, 6)))
    some = replace(results.results[0], outcome=returned((5, 7)), relation=relation)
    [one] = payload(Parsed(index_html(replace(results, results=[some]))))["results"]
    assert (one["actual"], one["right"]) == ("int32 (2,)\n[5, 7]", "int32 (2,)\n[5, 6]")
    assert one["remarks"] == ["also called: tf.gather_nd for gather_nd"]


def test_the_data_of_a_known_divergence_names_the_entry_of_the_ledger() -> None:
    known = {one["known"] for one in payload(Parsed(index_html(sample())))["results"]}
    assert known == {one.known and visible(one.known) for one in sample().results}
    assert known - {None}


def test_no_character_of_the_data_commands_or_hides_anything() -> None:
    text = json.dumps(payload(Parsed(index_html(sample()))), ensure_ascii=False)
    assert "#x1B[31mred#x1B[0m #x00nul #x85 #x2028line #x202Egnol #xD800" in text
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e\ud800]", text.replace("\\n", ""))


def test_an_address_that_is_no_web_address_is_no_link() -> None:
    citations = payload(Parsed(index_html(sample())))["clauses"]["scatter_nd.relation.zeros-then-add"]["citations"]
    assert [one["url"] for one in citations] == [
        "https://www.tensorflow.org/api_docs/python/tf/raw_ops/ScatterNd",
        None,
    ]


@pytest.mark.parametrize(
    ("clause", "api", "sort", "word", "count"),
    [
        ("scatter_nd.example.insert-four-scalars", "tf.scatter_nd", "conforms", "conforms", "1 judged"),
        ("scatter_nd.rule.shape-positive", "tf.scatter_nd", "conforms", "conforms", "3 judged"),
        ("scatter_nd.rule.shape-positive", "mindspore.ops.scatter_nd", "own", "accepted, error-type", "2 of 3"),
        ("scatter_nd.rule.shape-positive", "tf.raw_ops.ScatterNd", "died", "died", "2 of 3"),
        ("scatter_nd.rule.updates-shape", "torch.Tensor.index_put_", "portability", "accepted", ""),
        ("scatter_nd.rule.updates-shape", "tf.scatter_nd", "hung", "hung", ""),
        ("scatter_nd.rule.updates-shape", "tf.raw_ops.ScatterNd", "blocked", "blocked", ""),
        ("scatter_nd.behaviour.index-out-of-bounds", "mindspore.ops.scatter_nd", "observed", "ignores", ""),
        ("scatter_nd.example.insert-two-slices", "torch.Tensor.index_put_", "unsupported", "unsupported", ""),
        ("scatter_nd.example.insert-two-slices", "mindspore.ops.scatter_nd", "none", "not run", ""),
    ],
)
def test_a_cell_says_the_worst_that_happened_and_how_often(
    clause: str, api: str, sort: str, word: str, count: str
) -> None:
    scatter = next(one for one in operations(Table(sample())) if one.name == "scatter_nd")
    row = next(row for _, rows in scatter.families for row in rows if row.clause.id == clause)
    cell = next(cell for cell in row.cells if cell.column.api == api)
    assert (cell.sort, cell.word, cell.count) == (sort, word, count)


def test_a_cell_whose_cases_were_not_all_run_says_how_many_are_missing() -> None:
    scatter = next(one for one in operations(Table(sample())) if one.name == "scatter_nd")
    row = next(row for _, rows in scatter.families for row in rows if row.name == "rule.shape-positive")
    cell = next(cell for cell in row.cells if cell.column.api == "reference.scatter_nd")
    assert (cell.word, cell.not_judged) == ("conforms", ("2 not run",))


@pytest.mark.parametrize(
    ("clause", "api", "news"),
    [
        ("scatter_nd.rule.shape-positive", "mindspore.ops.scatter_nd", "new"),  # one of the two is known
        ("scatter_nd.rule.shape-positive", "tf.raw_ops.ScatterNd", "new"),
        ("gather_elements.rule.hostile", "torch.gather", "known"),
        ("scatter_nd.relation.zeros-then-add", "torch.Tensor.index_put_", ""),
        ("scatter_nd.rule.shape-positive", "tf.scatter_nd", ""),
    ],
)
def test_a_cell_tells_what_a_ledger_knows_from_what_is_new(clause: str, api: str, news: str) -> None:
    rows = [row for one in operations(Table(sample())) for _, rows in one.families for row in rows]
    row = next(row for row in rows if row.clause.id == clause)
    assert [cell.news for cell in row.cells if cell.column.api == api] == [news]


def test_what_was_got_just_as_expected_takes_no_room_of_its_own() -> None:
    data = payload(Parsed(index_html(sample())))
    places = dict(
        zip(((one["case"], one["api"]) for one in data["results"]), accumulate_of(data, "outcome"), strict=True)
    )
    assert places["scatter_nd.relation.zeros-then-add/1", "mindspore.ops.scatter_nd"] > 0
    assert places["scatter_nd.example.insert-four-scalars/as-printed", "tf.scatter_nd"] == 0


def test_cases_for_another_kind_of_device_are_not_missing() -> None:
    results = sample()
    outside = "scatter_nd.behaviour.index-outside/1"
    of = "scatter_nd.behaviour.index-out-of-bounds"
    devices: tuple[Device | None, ...] = ("cpu", "gpu", None)
    cases = {
        f"{outside}.{device}": replace(results.cases[f"{of}/1"], id=f"{outside}.{device}", device=device)
        for device in devices
    }
    run = [
        replace(one, case=f"{outside}.cpu") for one in results.results if one.clause == of and one.target == MINDSPORE
    ]
    scatter = next(
        one for one in operations(Table(replace(results, cases=cases, results=run))) if one.name == "scatter_nd"
    )
    row = next(row for _, rows in scatter.families for row in rows if row.clause.id == of)
    [cell] = [cell for cell in row.cells if cell.column.target.id == MINDSPORE]
    assert cell.not_judged == ("1 not run",)


def test_clauses_are_grouped_by_family_and_apis_by_target_with_composed_ones_marked() -> None:
    page = Parsed(index_html(sample()))
    scatter = operations(Table(sample()))[0]
    assert [title.split(" ")[0].rstrip(":") for title, _ in scatter.families] == [
        "Worked",
        "Rules",
        "Behaviours",
        "Metamorphic",
    ]
    assert [(head.target.id, head.span) for head in scatter.shown_heads] == [
        ("reference@cpu", 1), (TORCH, 1), (TENSORFLOW, 2), (MINDSPORE, 1), (JAX, 1)
    ]  # fmt: skip
    assert "composed" in page.text
    assert "follows" in page.text


def test_a_target_that_did_not_start_has_its_reason_in_the_totals_and_no_numbers() -> None:
    text = index_html(sample())
    row = re.search(r"<tr>(?:(?!</tr>).)*jax==0\.10\.0@cpu(?:(?!</tr>).)*</tr>", text, flags=re.DOTALL)
    assert row is not None
    assert "did not start: uv could not install" in row[0]
    assert not re.search(r"<td[^>]*>\s*\d+\s*</td>", row[0])


def test_an_incomplete_run_has_a_banner_and_a_title_that_say_so() -> None:
    page = Parsed(index_html(sample(complete=False)))
    assert "incomplete" in page.texts["title"][0]
    assert {"class": "alarm", "role": "alert"} in page.all("p")
    assert {"class": "alarm", "role": "alert"} not in Parsed(index_html(sample())).all("p")
    assert "incomplete" not in Parsed(index_html(sample())).texts["title"][0]


def test_the_page_of_an_empty_file_is_a_page() -> None:
    results = Results(sample().run)
    assert "No clauses." in Parsed(index_html(results)).text


def test_the_same_results_make_the_same_page() -> None:
    assert index_html(sample()) == index_html(sample())


def colours(scheme: str) -> dict[str, str]:
    style = (Path(ASSETS) / "base.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL)
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[0]))
    return found if scheme == "light" else found | dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[1]))


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_ink_has_a_contrast_of_at_least_four_and_a_half(scheme: str) -> None:
    named = colours(scheme)
    pairs = [(f"{name.removesuffix('-ink')}-paper", name) for name in named if name.endswith("-ink")]
    pairs += [(paper, ink) for paper in ("paper", "shade") for ink in ("ink", "muted", "link")]
    for paper, ink in pairs:
        dark, light = sorted((luminance(named[paper]), luminance(named[ink])))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (paper, ink)

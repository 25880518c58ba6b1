from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

from markdown_it import MarkdownIt

from conformance.reports.document import Document, Item, Items, code, line
from conformance.reports.markdown import as_markdown, fenced, inline
from conformance.reports.summaries import MOST_BYTES, summary_md
from conformance.results.records import KnownRecord
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE


def rendered(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def test_the_table_has_the_figures_of_each_target_and_no_zeros_for_one_that_did_not_start() -> None:
    lines = summary_md(sample()).splitlines()
    header = next(line for line in lines if line.startswith("| target"))
    assert header == (
        "| target | judged | conforms | diverges, own | diverges, portability | died | hung | open | absent |"
    )
    assert "| `torch==2.13.0@cpu` | 8 | 3 | 1 | 4 | 0 | 0 | 1 | 1 |" in lines
    row = next(line for line in lines if "jax==0.10.0" in line)
    assert "did not start" in row
    assert "| 0 |" not in row


def test_each_cause_has_a_line_with_a_case_the_most_dangerous_first() -> None:
    text = summary_md(sample())
    assert text.index("### Ends the process, or hangs (") < text.index("### Wrong without an error (")
    assert (
        "- value `torch.gather` `torch==2.13.0@cpu; 1 finding`: breaks its own documentation, in no ledger."
        " `Non-finite and 64-bit elements move unchanged.` E.g. `gather_elements.behaviour.nan-payload/1`"
    ) in text.splitlines()


def test_a_cause_that_is_reported_links_to_the_report() -> None:
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    entry = KnownRecord("mindspore", "it", "It is wrong.", "https://example.org/issues/1", "divergences.yaml:1")
    known = replace(results, results=[replace(own, known="it")], known={("mindspore", "it"): entry})
    assert "documentation, [reported upstream](<https://example.org/issues/1>)." in summary_md(known)


def test_portability_is_a_count_of_causes() -> None:
    results = sample()
    accepted = next(one for one in results.results if one.divergence == ["accepted"] and one.standing == "portability")
    text = summary_md(replace(results, results=[accepted]))
    assert "documentation, by cause: accepts what it should refuse 1." in text
    assert accepted.api not in text


def test_no_message_becomes_markup() -> None:
    html = rendered(summary_md(sample()))
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    assert set(re.findall(r"<(\w+)", html)) <= {
        "h1", "h2", "h3", "blockquote", "p", "code", "pre", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "a", "strong"
    }  # fmt: skip
    for word in ("alert", "octocat", "bold", "javascript", "#1"):
        assert word not in outside


def test_any_text_on_one_line_reads_the_same_when_rendered() -> None:
    for text in (HOSTILE.split(" \x00")[0], "a|b `c` *d* _e_ [f](g) <h> & @i #1 www.example.org", "~~~ ``` \\ | x"):
        html = rendered(inline(text))
        [code] = re.findall(r"<code>(.*?)</code>", html, flags=re.DOTALL)
        assert unescape(code) == " ".join(text.replace("\x1b", "#x1B").split())


def test_a_pipe_in_a_name_does_not_add_a_column() -> None:
    results = sample()
    targets = [replace(results.targets[0], id="a|b\\|c@cpu")]
    html = rendered(summary_md(replace(results, targets=targets, results=[])))
    assert len(re.findall("<td[ >]", html)) == len(re.findall("<th[ >]", html)) == 7


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    html = rendered(fenced("~~~\n# no heading\n~~~~~\n<b>x</b>"))
    assert html.count("<pre>") == 1
    assert "<h1>" not in html
    assert "<b>" not in html


def test_a_document_stays_below_its_limit_and_says_how_many_lines_are_missing() -> None:
    document = Document((Items([Item(line(code(f"{number}" * 9))) for number in range(3000)]),))
    text = as_markdown(document, MOST_BYTES, "`all.json`")
    assert 0.9 * MOST_BYTES < len(text.encode()) <= MOST_BYTES
    shown = sum(written.startswith("- ") for written in text.splitlines())
    assert text.endswith(f"\n{3000 - shown} more lines in `all.json`\n")
    assert as_markdown(document, MOST_BYTES * 9, "").count("\n- ") == 2999
    for most in (40, 2999):
        short = as_markdown(document, MOST_BYTES * 9, "`all.json`", most)
        assert len(short.splitlines()) == most
        assert short.endswith(f"\n{3000 - most + 2} more lines in `all.json`\n")
    assert as_markdown(document, MOST_BYTES * 9, "", 3000).count("\n- ") == 2999


def test_every_link_leads_to_a_heading_or_to_an_upstream_thread() -> None:
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    entry = KnownRecord("mindspore", "it", "It is wrong.", "https://example.org/issues/1", "divergences.yaml:1")
    known = replace(results, results=[*results.results, replace(own, known="it")], known={("mindspore", "it"): entry})
    tokens = MarkdownIt("commonmark").enable("table").parse(summary_md(known))
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    anchors = {
        "#" + "".join(c for c in title.lower() if c.isalnum() or c in " -_").replace(" ", "-") for title in titles
    }
    links = {child.attrs["href"] for token in tokens for child in token.children or () if child.type == "link_open"}
    assert links - anchors == {"https://example.org/issues/1"}
    assert "#what-is-wrong-the-most-dangerous-first" in links


def test_the_summary_has_at_most_200_lines_whatever_is_wrong() -> None:
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    many = [
        replace(own, api=f"f{number}", clause=clause, explanation=str(number))
        for number in range(300)
        for clause in results.clauses
    ]
    text = summary_md(replace(results, results=[*results.results, *many]))
    assert len(text.splitlines()) <= 200
    assert "What is wrong, the most dangerous first\n" in text


def test_causes_that_differ_in_nothing_but_the_api_are_one_entry() -> None:
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and "accepted" in one.divergence)
    text = summary_md(replace(results, results=[replace(own, api=api) for api in "fgh"]))
    assert "Breaks its own documentation: 3 causes, 3 findings" in text
    assert text.count("\n- accepted ") == 1
    assert "`f, g, h` `mindspore==2.10.0@cpu; 3 findings`" in text


def test_no_part_of_the_file_is_longer_than_its_limit() -> None:
    results = sample()
    run = replace(results.run, command="x" * MOST_BYTES)
    targets = [replace(results.targets[0], id=f"{'y' * 1000}{number}") for number in range(500)]
    assert len(summary_md(replace(results, run=run, targets=targets)).encode()) <= MOST_BYTES


def test_the_text_has_no_numeric_entities() -> None:
    assert not re.search(r"&#\d+;", summary_md(sample()))


def test_an_incomplete_run_says_so_above_its_figures() -> None:
    text = summary_md(sample(complete=False))
    assert text.index("incomplete run") < text.index("| target")

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from markdown_it import MarkdownIt

from conformance.reports.markdown import fenced, inline, summary_md
from conformance.results.records import ResultRecord
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE


def rendered(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def test_the_table_has_the_figures_of_each_target_and_no_zeros_for_one_that_did_not_start() -> None:
    lines = summary_md(sample()).splitlines()
    header = next(line for line in lines if line.startswith("| target"))
    assert header == (
        "| target | results | conforms | unsupported | observed | blocked "
        "| diverges, portability | diverges, own | hung | died |"
    )
    assert "| <code>torch==2.13.0&#64;cpu</code> | 10 | 3 | 1 | 1 | 0 | 4 | 1 | 0 | 0 |" in lines
    row = next(line for line in lines if "jax==0.10.0" in line)
    assert "did not start" in row
    assert "| 0 |" not in row


def test_each_distinct_divergence_is_folded_with_its_details() -> None:
    text = summary_md(sample())
    assert text.count("<details>") == text.count("</details>\n") == 12
    assert "breaks its own documentation: <code>torch==2.13.0&#64;cpu</code> <code>torch.gather</code>" in text
    assert "  [1]: expected inf, actual 9007199254740993" in text


def test_no_message_becomes_markup() -> None:
    html = rendered(summary_md(sample()))
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    assert set(re.findall(r"<(\w+)", html)) <= {
        "h1", "p", "code", "pre", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"
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
    assert len(re.findall("<td[ >]", html)) == len(re.findall("<th[ >]", html)) == 5


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    html = rendered(fenced("~~~\n# no heading\n~~~~~\n<b>x</b>"))
    assert html.count("<pre>") == 1
    assert "<h1>" not in html
    assert "<b>" not in html


def test_the_file_stays_below_its_limit_and_says_how_many_are_missing() -> None:
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    many: list[ResultRecord] = [replace(own, clause=f"scatter_nd.rule.n{number}") for number in range(3000)]
    text = summary_md(replace(results, results=many))
    assert 800_000 < len(text.encode()) < 900_000
    shown = text.count("<details>")
    assert text.endswith(f"\n{3000 - shown} more in index.html\n")


def test_an_incomplete_run_says_so_above_its_figures() -> None:
    text = summary_md(sample(complete=False))
    assert text.index("**Incomplete.**") < text.index("| target")

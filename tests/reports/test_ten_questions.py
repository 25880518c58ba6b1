"""Ten questions of somebody who has ten minutes, each answered in a browser within a number of clicks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_questions import KNOWN, results_to_ask

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]


class Reader:
    """Somebody who clicks on what can be seen, and counts the clicks."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, name: str, within: str = "body") -> None:
        """Click on the first visible link or button of this name."""
        links = f"[...document.querySelectorAll('{within} :is(a, button)')].filter((each) => each.checkVisibility())"
        link = f"{links}.find((each) => each.textContent.trim().includes({json.dumps(name)}))"
        self.page.wait_for(f"{link} !== undefined")
        self.page.evaluate(f"{link}.click()")
        self.clicks += 1

    def reads(self, text: str, within: str = "body") -> None:
        """Wait until a visible part of the page says this."""
        read = f"document.querySelector({json.dumps(within)}).innerText.replaceAll(/\\s+/g, ' ')"
        self.page.wait_for(f"{read}.includes({json.dumps(text)})")

    def row(self, title: str, within: str = "body") -> str:
        """A row of a table by its heading, as a text."""
        rows = f"[...document.querySelectorAll('{within} tbody tr')].filter((each) => each.checkVisibility())"
        row = f"{rows}.find((each) => each.cells[0].innerText.trim().startsWith({json.dumps(title)}))"
        self.page.wait_for(f"{row} !== undefined")
        return " ".join(str(self.page.evaluate(f"{row}.innerText")).split())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("questions") / "index.html"
    path.write_text(index_html(results_to_ask()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def reader(browser: Browser, address: str) -> Reader:
    return Reader(browser.open(address, height=1000))


def test_does_torch_gather_take_int32_indices_and_since_when(reader: Reader) -> None:
    reader.click("torch.gather")
    assert reader.row("int32 indices", "#view") == (
        "int32 indices ! raises (conforms) 1 call → returns (conforms) 1 call 2.13.0 or earlier, after 2.1.2 → returns (conforms) 1 call"
    )
    assert reader.clicks == 1


def test_what_happens_past_the_end_in_each_framework_and_mode(reader: Reader) -> None:
    assert "raises" in reader.row("index past the end")
    assert "cpu, compile" in reader.page.evaluate("document.querySelector('.does thead').innerText")
    first = (
        "[...document.querySelectorAll('.behaviours tbody th')].find((each) => each.innerText === 'index past the end')"
    )
    assert reader.page.evaluate(f"{first}.getBoundingClientRect().bottom < innerHeight")
    assert reader.clicks == 0


def test_who_sums_duplicates(reader: Reader) -> None:
    assert "keeps the last" in reader.row("positions written twice", "#do-tensor_scatter_nd_update")
    assert "adds" in reader.row("positions written twice", "#do-scatter_nd")
    assert reader.clicks == 0


def test_which_torch_call_replaces_tf_tensor_scatter_nd_update_and_where_it_differs(reader: Reader) -> None:
    reader.click("tf.tensor_scatter_nd_update")
    assert "torch.index_put" in reader.row("torch.index_put", "#view")
    reader.click("how to port")
    reader.reads("a negative index in range", "table[aria-label='Not safe']")
    reader.reads("torch.index_put: value", "table[aria-label='Not safe']")
    reader.reads("print('complete')", ".calls")
    assert reader.clicks == 2


def test_what_changed_from_tensorflow_2_12_to_2_21(reader: Reader) -> None:
    reader.click("Versions", "#views")
    assert "duplicate indices" in reader.row("tf.tensor_scatter_nd_update", "#view")
    reader.reads("until 2.12.0", "#view")
    assert reader.clicks == 1


def test_is_this_reported_upstream(reader: Reader) -> None:
    found = "[...document.querySelectorAll('.findings a')].find((each) => each.textContent === 'reported upstream')"
    assert reader.page.evaluate(f"{found}.href") == KNOWN.link
    reader.reads("in no ledger")
    assert reader.clicks == 0


def test_the_script_for_it(reader: Reader) -> None:
    reader.click("mindspore.ops.scatter_nd", ".findings")
    reader.reads("print('it ends')", "#panel")
    assert reader.clicks == 1


def test_dtypes_of_mindspore_scatter_nd_claimed_and_observed(reader: Reader) -> None:
    reader.click("mindspore.ops.scatter_nd", ".apis-of")
    assert "rejected claimed" in reader.row("mindspore.ops.scatter_nd", ".dtypes")
    assert reader.clicks == 1


def test_which_sentences_of_a_documentation_are_not_tested(reader: Reader) -> None:
    reader.click("torch.gather")
    reader.reads("4 sentences, 1 read by claims, 2 untestable, 1 unread", "#view")
    reader.reads("Speed is nothing that a call shows.", "#view .untested")
    reader.reads("It only refers to other pages.", "#view .untested")
    assert reader.clicks == 1


def test_which_calls_end_the_process(reader: Reader) -> None:
    reader.reads("Died or hung: 1 cause, 1 finding")
    reader.reads("Ends the process, or hangs")
    reader.reads("mindspore.ops.scatter_nd", ".findings")
    assert reader.clicks == 0


def test_an_api_that_the_results_lack_says_so(browser: Browser, address: str) -> None:
    reader = Reader(browser.open(f"{address}#view=api&name=torch.scatter"))
    reader.reads("No API of these results is called torch.scatter.")
    assert reader.page.errors == []

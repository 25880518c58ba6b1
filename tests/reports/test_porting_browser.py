"""The porting view in a real browser, beside what the same results give in Python."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from conformance.findings.agreement import porting
from conformance.findings.evidence import Evidence, evidence
from conformance.reports.html import index_html
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample_porting import NAMES, OTHER_API, TARGETS, results_to_port

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(index_html(results_to_port()), encoding="utf-8")
    return path.as_uri()


def _opened(browser: Browser, address: str, state: str = "", **how: Any) -> Page:
    page = browser.open(f"{address}#view=porting{state}", **how)
    page.wait_for("document.querySelector('#view fieldset.port')")
    return page


def _table(page: Page, title: str, part: str = "") -> dict[str, str]:
    """Condition to what stands beside it, or to an element in there."""
    found = f".querySelector({part!r})" if part else ""
    rows = f"""[...document.querySelectorAll('table[aria-label="{title}"] th[scope=row]')]"""
    texts: dict[str, str] = page.evaluate(
        f"Object.fromEntries({rows}.map((one) => [one.textContent, one.nextSibling{found}.textContent]))"
    )
    return texts


@pytest.mark.parametrize("chosen", [*combinations(NAMES, 2), tuple(NAMES)], ids="-".join)
def test_the_page_finds_the_same_as_python(browser: Browser, address: str, chosen: tuple[str, ...]) -> None:
    [found] = evidence(results_to_port())
    expected = porting(found, [found.implementations_of(TARGETS[name])[0] for name in chosen])
    page = _opened(browser, address, "".join(f"&port={TARGETS[name]}" for name in chosen))
    conditions = {"Safe": expected.safe, "All raise": expected.raising, "Not safe": expected.unsafe}
    for title, cases in conditions.items():
        counts = {one: int(text.split()[0]) for one, text in _table(page, title, "summary").items()}
        assert counts == {one: len(of_condition) for one, of_condition in cases.items()}, title
    shown = page.evaluate("document.getElementById('view').innerText")
    assert all(one in shown for one in expected.unproven)
    assert _agreed(found, expected.differing, chosen) in shown


def _agreed(found: Evidence, differing: tuple[str, ...], chosen: tuple[str, ...]) -> str:
    letters = [found.outcomes[found.implementations_of(TARGETS[name])[0]] for name in chosen]
    silent = sum("." in column and case not in differing for case, *column in zip(found.cases, *letters, strict=True))
    compared = len(found.cases) - silent
    return f"Agree on {compared - len(differing)} of {compared} calls."


def test_what_differs_is_told_in_the_words_of_each(browser: Browser, address: str) -> None:
    page = _opened(browser, address, f"&port={TARGETS['torch']}&port={TARGETS['tensorflow']}")
    below = _table(page, "Not safe")["a negative index in range"]
    assert "torch.index: wraps-negative" in below
    assert "tf.gather_nd: raises" in below
    assert "an index equal to the length" in _table(page, "All raise")


def test_what_is_not_shown_because_indices_were_cast_says_for_which_api(browser: Browser, address: str) -> None:
    page = _opened(browser, address, f"&port={TARGETS['torch']}&port={TARGETS['tensorflow']}")
    assert "indices in uint8 (cast for torch.index)" in page.evaluate("document.getElementById('view').innerText")


def test_a_proof_is_a_link_that_opens_the_case_and_keeps_the_view(browser: Browser, address: str) -> None:
    page = _opened(browser, address, f"&port={TARGETS['torch']}&port={TARGETS['tensorflow']}")
    page.evaluate("""document.querySelector('table[aria-label="Safe"] details').open = true""")
    page.wait_for("document.querySelector('.proofs a.open')")
    page.click(".proofs a.open")
    page.wait_for("!document.getElementById('panel').hidden")
    assert "view=porting" in page.evaluate("location.hash")
    assert page.evaluate("document.querySelector('#panel h2').textContent") == NAMES["torch"]
    assert page.errors == []


def test_targets_are_chosen_with_the_keyboard_and_stand_in_the_address(browser: Browser, address: str) -> None:
    page = _opened(browser, address)
    assert page.evaluate("document.querySelectorAll('.port input:checked').length") == 3
    page.evaluate("document.querySelector('#port-2').focus()")
    page.press(" ")
    page.wait_for("document.querySelectorAll('.port input:checked').length === 2")
    assert page.evaluate("location.hash").count("port=") == 2
    assert page.evaluate("document.activeElement.id") == "port-2"


def test_one_target_alone_asks_for_another(browser: Browser, address: str) -> None:
    page = _opened(browser, address, f"&port={TARGETS['torch']}")
    assert "Choose one more" in page.evaluate("document.getElementById('view').innerText")


def test_another_api_of_a_target_can_stand_for_the_operation(browser: Browser, address: str) -> None:
    page = _opened(browser, address)
    select = "document.querySelector('.calls select')"
    names = page.evaluate(f"[...{select}.options].map((one) => one.textContent)")
    assert names == [NAMES["torch"], OTHER_API]
    page.evaluate(f"({select}.value = '3', {select}.dispatchEvent(new Event('change')))")
    page.wait_for("document.getElementById('view').innerText.includes('Agree on 0 of')")
    assert "stand=" in page.evaluate("location.hash")
    assert OTHER_API in json.dumps(page.evaluate(f"{select}.selectedOptions[0].textContent"))


def test_the_adapters_own_code_stands_call_beside_call(browser: Browser, address: str) -> None:
    page = _opened(browser, address)
    codes = page.evaluate("[...document.querySelectorAll('.calls pre')].map((one) => one.textContent)")
    assert codes == [f"def gather_nd(): {api}" for api in NAMES.values()]


def test_on_a_narrow_dark_screen_nothing_is_cut_off(browser: Browser, address: str) -> None:
    page = _opened(browser, address, width=390, dark=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

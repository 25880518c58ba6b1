"""How the page behaves in a real browser: the keyboard, copying, many targets, print, hostile results."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.reports.html import index_html
from conformance.results.file import Results
from tests.reports.browser import AVAILABLE, MISSING, Browser, Page
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE, TORCH
from tests.reports.sample_several import SCRIPT, SCRIPTED, several

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not AVAILABLE, reason=MISSING)]

if TYPE_CHECKING:
    from playwright.sync_api import Dialog

PANEL = "!document.getElementById('panel').hidden"
SCRIPT_OPEN = f"#case={SCRIPTED[0]}&api={SCRIPTED[2]}&target=torch%3D%3D2.13.0%40cpu"
HEADS = "[...document.querySelectorAll('.matrix .head')].filter((one) => one.checkVisibility()).length"


def written(results: Results, folder: Path) -> str:
    path = folder / "index.html"
    path.write_text(index_html(results), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(several(), tmp_path_factory.mktemp("several"))


def opened(browser: Browser, address: str) -> Page:
    page = browser.open(address)
    page.wait_for(PANEL)
    return page


def test_a_script_is_copied_as_it_is_and_runs(browser: Browser, address: str, tmp_path: Path) -> None:
    page = opened(browser, address + SCRIPT_OPEN)
    page.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.tab.click("#panel .copyable.script .copy")
    page.wait_for("document.querySelector('#panel .copyable.script .copy').textContent === 'Copied'")
    copied = tmp_path / "script.py"
    copied.write_text(page.evaluate("navigator.clipboard.readText()"), encoding="utf-8")
    assert copied.read_text(encoding="utf-8") == SCRIPT
    ran = subprocess.run([sys.executable, copied], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("got: it's <b>run</b> by ")


def test_a_browser_without_a_clipboard_of_its_own_copies_all_the_same(browser: Browser, address: str) -> None:
    page = opened(browser, address + SCRIPT_OPEN)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate("document.addEventListener('copy', () => { window.taken = getSelection().toString() || "
                  "document.activeElement.value; })")  # fmt: skip
    page.tab.click("#panel .copyable.script .copy")
    page.wait_for("document.querySelector('#panel .copyable.script .copy').textContent === 'Copied'")
    assert page.evaluate("window.taken") == SCRIPT


def test_a_result_without_a_script_has_the_command_that_makes_one(browser: Browser, address: str) -> None:
    page = opened(browser, f"{address}#case=scatter_nd.relation.zeros-then-add/1&api=mindspore.ops.scatter_nd")
    assert page.evaluate("document.querySelector('#panel .copyable.command pre').textContent") == (
        "conformance repro scatter_nd.relation.zeros-then-add/1 --target mindspore==2.10.0@cpu --api mindspore.ops.scatter_nd"
    )


def test_the_tab_key_reaches_the_skip_link_first_and_from_it_the_content(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.press("Tab")
    assert page.evaluate("document.activeElement.matches('.skip')")
    page.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_each_matrix_has_one_cell_in_the_order_of_the_tab_key_also_after_a_filter(
    browser: Browser, address: str
) -> None:
    page = browser.open(address)
    reached = "[...document.querySelectorAll('.matrix')].map((one) => one.querySelectorAll('td[tabindex]').length)"
    assert page.evaluate(reached) == [1, 1]
    page.evaluate("document.querySelectorAll('.matrix td[tabindex]')[0].focus()")
    page.press("ArrowDown", "ArrowRight")
    page.evaluate("location.hash = '#q=zeros'")
    page.wait_for("document.querySelectorAll('.operation[hidden]').length === 1")
    page.wait_for("document.querySelector('.matrix td[tabindex]').closest('tr').checkVisibility()")


def many() -> Results:
    """Nine targets: the sample's five, and four further versions of torch."""
    results = sample()
    torch = next(one for one in results.targets if one.id == TORCH)
    older = [replace(torch, id=f"torch==2.{minor}.0@cpu", version=f"2.{minor}.0") for minor in (2, 9, 10, 12)]
    copies = [replace(one, target=target.id) for target in older for one in results.results if one.target == TORCH]
    return replace(results, targets=[*results.targets, *older], results=[*results.results, *copies])


def test_of_many_targets_one_for_each_framework_is_shown_and_the_others_on_demand(
    browser: Browser, tmp_path: Path
) -> None:
    page = browser.open(written(many(), tmp_path))
    assert page.evaluate(HEADS) == 2 * 5
    assert page.evaluate("document.querySelector('.more-targets summary').textContent").startswith("4 more")
    page.evaluate("document.querySelector('#filters input[value=\"torch==2.9.0@cpu\"]').click()")
    page.wait_for(f"{HEADS} === 2 * 5 + 2")
    assert page.evaluate("location.hash") == "#with=torch%3D%3D2.9.0%40cpu"
    cell = "document.querySelector('td[data-api$=\"torch==2.9.0@cpu\"]')"
    assert page.evaluate(f"{cell}.checkVisibility()")
    page.evaluate("document.querySelector('#filters input[value=\"torch==2.13.0@cpu\"]').click()")
    page.wait_for(f"{HEADS} === 2 * 5")
    page.click("#reset")
    page.wait_for("location.hash === '' || location.hash === '#'")
    assert page.evaluate(HEADS) == 2 * 5
    assert not page.evaluate(f"{cell}.checkVisibility()")


def test_a_printed_page_has_the_matrices_and_none_of_the_controls(browser: Browser, address: str) -> None:
    page = browser.open(address)
    page.tab.emulate_media(media="print")
    assert page.evaluate("document.querySelector('.matrix').checkVisibility()")
    for control in ("#filters", "#views", ".skip", ".jump"):
        assert not page.evaluate(f"document.querySelector({control!r}).checkVisibility()"), control


def hostile() -> Results:
    """Everything that a results file can name is hostile."""
    results = several()
    target = replace(results.targets[1], id=HOSTILE, title=HOSTILE, version=HOSTILE, framework=HOSTILE, mode=HOSTILE)
    other = replace(target, id=f"{HOSTILE} 2", version="2")
    clauses = {name: replace(one, operation=HOSTILE, states=HOSTILE) for name, one in results.clauses.items()}
    some = [
        replace(one, target=of.id, api=HOSTILE, explanation=HOSTILE, known=HOSTILE if at % 2 else None)
        for of in (target, other)
        for at, one in enumerate(results.results)
        if one.target == TORCH
    ]
    mappings = [replace(results.mappings[0], target=of.id, api=HOSTILE, source=HOSTILE, operation=HOSTILE)
                for of in (target, other)]  # fmt: skip
    return replace(results, targets=[target, other], clauses=clauses, results=some, mappings=mappings)


def heard(page: Page, dialog: Dialog) -> None:
    page.errors.append(f"dialog: {dialog.message}")
    dialog.dismiss()


def test_hostile_results_are_text_in_every_view(browser: Browser, tmp_path: Path) -> None:
    address = written(hostile(), tmp_path)
    for view in (
        "",
        "view=questions&ask=own",
        "view=versions&every=yes",
        "view=dtypes",
        "view=porting",
        "view=documents",
    ):
        page = browser.open(f"{address}#{view}")
        page.tab.on("dialog", partial(heard, page))
        page.wait_for("document.querySelector('main > :not([hidden]) h2') !== null")
        page.evaluate("document.querySelector('a.open')?.click()")
        assert (
            page.evaluate("document.querySelectorAll('main img, #panel img, main script, #panel script').length") == 0
        )
        assert not page.evaluate("[...document.links].some((link) => link.protocol === 'javascript:')")
        assert "<img src=x onerror=alert(1)>" in page.evaluate(
            "document.querySelector('main > :not([hidden])').textContent"
        ), view
        assert page.errors == []
        assert page.requests == [address]

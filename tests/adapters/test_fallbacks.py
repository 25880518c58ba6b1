"""A runtime that leaves calls to NumPy without a word: an adapter of a single file can tell, as the guide says."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.written import written_cases
from conformance.findings.conclusions import Conclusions
from conformance.reports.document import Sentence, text_of
from conformance.reports.remarks import remarks
from conformance.reports.verdict import verdict
from conformance.results.exit_status import OK, USAGE, exit_status
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from tests.cli.command import REPOSITORY
from tests.execution.harness import fake_cases, run_adapters

LUCKY = "gather_elements.example.lucky/as-printed"
ADAPTER = """
import types

import numpy as np

from conformance.adapter import FellBack, NotExported, api


def gather(input, dim, index):
    if input.dtype != np.float32:
        frame.log.append(f"gather of {input.dtype} ran in NumPy")
    return np.take_along_axis(input, index, dim)


frame = types.SimpleNamespace(log=[], gather=gather)


def describe():
    return {"framework": "planted", "version": "1.0"}


@api("planted.gather", operation="gather_elements")
def planted_gather(input, dim, index):
    return frame.gather(input, dim, index)


"""


def guide() -> str:
    """The function of the guide that asks a framework what it left to others."""
    text = (REPOSITORY / "docs" / "adapters.md").read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    [found] = [block for block in blocks if "FellBack" in block]
    return found


def ran(folder: Path, prepare: str, adapter: str = ADAPTER) -> Results:
    (folder / "planted.py").write_text(adapter + prepare)
    cases = [case for case in fake_cases([written_cases, dtype_cases]) if case.id.startswith(LUCKY)]
    return run_adapters(folder, [folder / "planted.py"], cases=cases)


def of_dtype(results: Results, dtype: str) -> ResultRecord:
    [found] = [result for result in results.results if result.case == f"{LUCKY}.{dtype}"]
    return found


def test_a_fallback_that_nobody_asks_about_conforms_like_the_runtime_itself(tmp_path: Path) -> None:
    results = ran(tmp_path, "")
    assert {of_dtype(results, dtype).verdict for dtype in ("float32", "float64")} == {"conforms"}


def test_a_call_that_fell_back_is_blocked_and_the_run_fails_and_says_why(tmp_path: Path) -> None:
    results = ran(tmp_path, guide())
    assert of_dtype(results, "float32").verdict == "conforms"
    assert of_dtype(results, "float64").verdict == "blocked"
    assert exit_status(results, "own") == USAGE
    [sentence] = verdict(Conclusions(results), "own")
    assert isinstance(sentence, Sentence)
    assert re.match(
        r"failed: the adapter itself is at fault in \d+ results: gather of \w+ ran in NumPy", text_of(sentence.line)
    )


def test_a_call_that_was_left_to_others_is_absent_and_the_report_has_the_share(tmp_path: Path) -> None:
    results = ran(tmp_path, guide().replace("FellBack", "NotExported"))
    assert of_dtype(results, "float32").verdict == "conforms"
    left = of_dtype(results, "float64")
    assert (left.verdict, left.outcome.status) == ("unsupported", "not-exported")
    assert exit_status(results, "own") == OK
    [said] = [text for text in remarks(results) if "leaves to others" in text]
    share = re.search(r"leaves to others (\d+) of (\d+) calls; the most common reason: gather of", said)
    assert share is not None
    statuses = [result.outcome.status for result in results.results]
    assert (int(share[1]), int(share[2])) == (
        statuses.count("not-exported"),
        statuses.count("not-exported") + statuses.count("returned"),
    )


def test_an_error_of_a_call_that_fell_back_is_none_of_the_framework(tmp_path: Path) -> None:
    raising = ADAPTER.replace("    return np.take", "        raise ValueError('wrong')\n    return np.take")
    results = ran(tmp_path, guide(), raising)
    assert of_dtype(results, "float64").verdict == "blocked"
    assert str(of_dtype(results, "float64").explanation) == "gather of float64 ran in NumPy"

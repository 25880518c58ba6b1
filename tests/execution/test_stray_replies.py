"""A reply belongs to the request that it answers: a reply that nothing asked for gives no other call its outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.execution.client import Client
from conformance.processes.worker_starter import StartMethod
from conformance.results.file import Results
from tests.execution.harness import FAKES, run_adapters

START_METHODS: tuple[StartMethod, ...] = ("fork", "spawn")


def stray_results(folder: Path, stray: str, start: StartMethod) -> Results:
    code = (FAKES / "stray_replies.py").read_text()
    assert 'STRAY = "fork"' in code
    adapter = folder / "stray.py"
    adapter.write_text(code.replace('STRAY = "fork"', f'STRAY = "{stray}"'))
    return run_adapters(folder, [adapter], limit=10.0, start=start, client=Client)


def verdicts(results: Results, api: str) -> dict[str, str]:
    return {result.case: result.verdict for result in results.results if result.api == api}


@pytest.mark.parametrize("start", START_METHODS)
def test_a_child_that_returns_from_a_fork_answers_nothing(tmp_path: Path, start: StartMethod) -> None:
    results = stray_results(tmp_path, "fork", start)
    right, zeros = verdicts(results, "stray.right"), verdicts(results, "stray.zeros")
    assert set(right.values()) == {"conforms"}
    assert "diverges" in zeros.values()
    assert "died" not in zeros.values()


@pytest.mark.parametrize("stray", ["thread", "twice"])
def test_a_wrong_function_never_conforms_by_the_reply_to_another_call(tmp_path: Path, stray: str) -> None:
    results = stray_results(tmp_path, stray, "fork")
    expected = verdicts(stray_results(tmp_path, "nothing", "fork"), "stray.zeros")
    assert "diverges" in expected.values()
    conforming = {case for case, verdict in verdicts(results, "stray.zeros").items() if verdict == "conforms"}
    assert conforming <= {case for case, verdict in expected.items() if verdict == "conforms"}
    strays = [result for result in results.results if getattr(result.outcome, "garbled", False)]
    assert strays, "no call met the reply that nothing asked for"

"""A reply to another request than a call may be anything too: an invalid one blocks its own target, with the reason."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.results.file import Results
from tests.execution.harness import FAKES, run_adapters

ADAPTER = FAKES / "strides.py"


def _run(folder: Path) -> Results:
    """A run of two equal adapters."""
    for name in ("bad", "good"):
        shutil.copy(ADAPTER, folder / f"{name}.py")
    return run_adapters(folder, [folder / "bad.py", folder / "good.py"])


def _instead(patch: pytest.MonkeyPatch, function: str, reply: object) -> None:
    """Let the worker of the bad adapter reply this."""
    module, _, name = function.rpartition(".")
    right: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)

    def replied(of: Any, *arguments: Any) -> Any:
        names: Mapping[str, Any] = getattr(of, "namespace", of)
        return reply if Path(names["__file__"]).stem == "bad" else right(of, *arguments)

    patch.setattr(function, replied)


@pytest.mark.parametrize("reply", [7, None, {"fake.gather": 7}, {"fake.gather": {"text": 7}}, {"fake.gather": {}}])
def test_an_invalid_reply_to_documentation_blocks_its_target_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: object
) -> None:
    _instead(monkeypatch, "conformance.worker.documentation.documentation", reply)
    _check_blocked(_run(tmp_path), "documentation")


@pytest.mark.parametrize("reply", [7, "no", {"error": "E"}, {"error": 7, "traceback": ""}])
def test_an_invalid_reply_to_a_call_that_is_tried_blocks_its_target_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: object
) -> None:
    _instead(monkeypatch, "conformance.worker.calls.failure", reply)
    _check_blocked(_run(tmp_path), "try")


def _check_blocked(results: Results, request: str) -> None:
    assert results.complete
    reasons = {target.asked: target.blocked for target in results.targets}
    assert reasons["good"] is None
    assert str(reasons["bad"]).startswith(f"its worker sent an invalid reply to the request {request!r}: ")
    assert {result.target for result in results.results} == {"good@cpu"}


def test_documentation_with_what_utf_8_cannot_encode_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _instead(monkeypatch, "conformance.worker.documentation.documentation", {"fake.gather": {"text": "Odd \udc80."}})
    results = _run(tmp_path)
    assert [target.blocked for target in results.targets] == [None, None]
    [read] = [target.sentences for target in results.targets if target.asked == "bad"]
    assert list(read) == ["fake.gather"]

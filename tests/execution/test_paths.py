"""Folders of this machine in what a framework says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance.execution.client import without_paths
from conformance.outcomes.model import Raised, Returned, Warned
from conformance.outcomes.reply import Clean, outcome_of
from conformance.specification.literals import tensor
from conformance.worker.calls import MAX_MESSAGE_LENGTH, message_of

WORKER = Path("/tmp/a-worker-x1")
ADAPTER = Path("/home/me/adapters/torch")


def clean(environment: str = "/home/me/environments/torch") -> Clean:
    return without_paths(worker=WORKER, environment=Path(environment), adapter=ADAPTER)


def raised(message: str, fault: str | None = None) -> Raised:
    """A worker's reply about an error, as an outcome."""
    error: dict[str, Any] = {
        "type": "ValueError",
        "message": message,
        "module": "m",
        "phase": "call",
        "bases": [],
        "fault": fault,
    }
    outcome = outcome_of({"status": "raised", "error": error}, None, clean())
    assert isinstance(outcome, Raised)
    return outcome


def test_an_error_names_the_folders_in_place_of_their_paths() -> None:
    message = 'File "/home/me/environments/torch/lib/a.py", line 3\nFile "/home/me/adapters/torch/adapter.py", line 9'
    error = raised(message).error
    assert error.message == 'File "<environment>/lib/a.py", line 3\nFile "<adapter>/adapter.py", line 9'
    assert error.type == "ValueError"


def test_a_workers_folder_is_found_without_its_first_slash_too() -> None:
    text = "at tmp/a-worker-x1/start.py and /tmp/a-worker-x1/start.py"
    assert clean()(text) == "at <worker>/start.py and <worker>/start.py"


def test_warnings_of_a_call_that_returned_are_looked_through() -> None:
    warnings = [{"text": "/home/me/adapters/torch/adapter.py:3: old", "count": 1}]
    outcome = outcome_of({"status": "returned", "warnings": warnings}, tensor("int32", [1]), clean())
    assert isinstance(outcome, Returned)
    assert outcome.warnings == (Warned("<adapter>/adapter.py:3: old", 1),)


def test_the_root_and_what_lies_right_below_it_are_no_environment() -> None:
    for root in ("/", "/usr"):
        assert clean(root)("/usr/lib/x is missing") == "/usr/lib/x is missing"


def test_a_fault_of_the_adapter_keeps_its_path() -> None:
    message = "/home/me/adapters/torch/adapter.py: no array"
    assert raised(message, fault="adapter").error.message == message


def test_half_of_a_surrogate_pair_is_escaped() -> None:
    assert raised("half of a pair: \ud800").error.message == "half of a pair: \\ud800"


def test_a_message_that_is_too_long_ends_with_a_whole_word_so_that_no_path_is_cut() -> None:
    path = "/home/me/environments/torch/lib/a.py"
    for space in (" ", "\n"):
        message = message_of(ValueError("a" * (MAX_MESSAGE_LENGTH - 20) + f" in{space}{path}"))
        assert message == "a" * (MAX_MESSAGE_LENGTH - 20) + " in"
    assert message_of(ValueError("a" * MAX_MESSAGE_LENGTH + "b")) == "a" * MAX_MESSAGE_LENGTH
    assert message_of(ValueError("in a.py")) == "in a.py"
    assert message_of(ValueError(" " * (MAX_MESSAGE_LENGTH + 1))) == ""

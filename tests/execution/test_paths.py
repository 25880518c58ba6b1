"""Folders of this machine in what a framework says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance.execution.paths import without_paths

FOLDERS = {
    "worker": Path("/tmp/a-worker-x1"),
    "environment": Path("/home/me/environments/torch"),
    "adapter": Path("/home/me/adapters/torch"),
}


def _told(outcome: dict[str, Any]) -> dict[str, Any]:
    return without_paths(outcome, **FOLDERS)


def test_an_error_names_the_folders_in_place_of_their_paths() -> None:
    message = 'File "/home/me/environments/torch/lib/a.py", line 3\nFile "/home/me/adapters/torch/adapter.py", line 9'
    told = _told({"status": "raised", "error": {"message": message, "type": "ValueError"}})
    assert told["error"]["message"] == 'File "<environment>/lib/a.py", line 3\nFile "<adapter>/adapter.py", line 9'
    assert told["error"]["type"] == "ValueError"


def test_a_workers_folder_is_found_without_its_first_slash_too() -> None:
    told = _told({"status": "died", "stderr": "at tmp/a-worker-x1/start.py and /tmp/a-worker-x1/start.py"})
    assert told["stderr"] == "at <worker>/start.py and <worker>/start.py"


def test_warnings_of_a_call_that_returned_are_looked_through() -> None:
    told = _told(
        {"status": "returned", "warnings": [{"text": "/home/me/adapters/torch/adapter.py:3: old", "count": 1}]}
    )
    assert told["warnings"][0]["text"] == "<adapter>/adapter.py:3: old"


def test_the_root_and_what_lies_right_below_it_are_no_environment() -> None:
    outcome = {"status": "raised", "error": {"message": "/usr/lib/x is missing"}}
    for root in ("/", "/usr"):
        told = without_paths(outcome, worker=FOLDERS["worker"], environment=Path(root), adapter=FOLDERS["adapter"])
        assert told == outcome


def test_a_fault_of_the_adapter_keeps_its_path() -> None:
    outcome = {
        "status": "raised",
        "error": {"message": "/home/me/adapters/torch/adapter.py: no array", "fault": "adapter"},
    }
    assert _told(outcome) == outcome

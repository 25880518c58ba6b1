"""A worker runs the statements of an example like an interactive session."""

from __future__ import annotations

import json
import sys

import pytest

from conformance.worker.documentation import MAX_PRINTED, run_example

ADAPTER = {"js": json, "gather": len}
"""The names of an adapter's file: a module that it imports, and a function of its own."""


def _printed(*sources: str) -> list[str]:
    return [each["printed"] for each in run_example(ADAPTER, sources)]


def test_values_and_prints_are_captured_and_names_are_shared() -> None:
    assert _printed("values = [1, 2]\n", "values\n", "for each in values:\n    print(each)\n", "None\n") == [
        *("", "[1, 2]\n", "1\n2\n", "")
    ]


def test_modules_that_the_adapter_imports_can_be_used_but_not_its_functions() -> None:
    known, unknown = run_example(ADAPTER, ["js.dumps(1)\n", "gather('ab')\n"])
    assert known == {"printed": "'1'\n"}
    assert unknown == {"printed": "", "error": "NameError", "message": "name 'gather' is not defined"}


def test_examples_share_no_names() -> None:
    run_example(ADAPTER, ["values = 1\n"])
    [reply] = run_example(ADAPTER, ["values\n"])
    assert reply["error"] == "NameError"


@pytest.mark.parametrize(("source", "error"), [("1 +\n", "SyntaxError"), ("exit(3)\n", "SystemExit"), ("[][1]\n", "IndexError")])  # fmt: skip
def test_an_error_is_an_answer_and_the_next_statement_runs(source: str, error: str) -> None:
    failed, after = run_example(ADAPTER, [source, "8\n"])
    assert failed["error"] == error
    assert after == {"printed": "8\n"}


def test_endless_output_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "displayhook", print)
    [reply] = run_example(ADAPTER, [f"'x' * {MAX_PRINTED}\n"])
    assert reply["printed"] == "'" + "x" * (MAX_PRINTED - 1)
    assert sys.displayhook is print

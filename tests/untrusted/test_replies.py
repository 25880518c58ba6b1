"""A worker runs the adapter, so its replies may be anything; each costs its own case and nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from conformance.environments.errors import TargetBlocked
from conformance.execution.client import Client
from conformance.outcomes.model import Died, Raised
from conformance.processes.adapter_description import check_description
from conformance.results.exit_status import BLOCKED, OK, USAGE, exit_status
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from tests.execution.harness import FAKES, WRONG_ADAPTERS, fake_cases, result_of, run_adapters

ADAPTER = FAKES / "garbage_replies.py"
KINDS = runpy.run_path(str(ADAPTER))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_adapters(
        tmp_path_factory.mktemp("run"), [ADAPTER, WRONG_ADAPTERS / "misbehaving.py"], limit=5.0, client=Client
    )


def unlucky(results: Results, kind: str) -> ResultRecord:
    return result_of(results, f"garbage.{kind}", "unlucky")


@pytest.mark.parametrize("kind", [*KINDS["HEADERS"], *KINDS["RESULTS"], *KINDS["BODIES"]])
def test_a_reply_that_is_none_ends_its_own_case(results: Results, kind: str) -> None:
    result = unlucky(results, kind)
    assert isinstance(result.outcome, Died)
    assert (result.verdict, result.outcome.garbled) == ("died", True)


@pytest.mark.parametrize("kind", KINDS["ARRAYS"])
def test_what_is_no_array_of_numbers_is_blamed_on_the_adapter(results: Results, kind: str) -> None:
    assert unlucky(results, kind).verdict in ("blocked", "diverges")
    outcome = unlucky(results, kind).outcome
    assert isinstance(outcome, Raised)
    assert outcome.error.phase == "result"


def test_an_error_without_words_is_an_error(results: Results) -> None:
    outcome = unlucky(results, "speechless").outcome
    assert isinstance(outcome, Raised)
    assert (outcome.error.type, outcome.error.message) == (
        "Speechless",
        "(no message: RuntimeError in Speechless.__str__)",
    )


def test_every_other_case_and_every_other_target_is_judged(results: Results) -> None:
    assert results.complete
    others = [result for result in results.results if "unlucky" not in result.case]
    assert len(others) > 100
    assert {result.verdict for result in others if result.api.startswith("garbage.")} == {"conforms"}
    assert result_of(results, "fake.right", "unlucky").verdict == "conforms"
    assert exit_status(results, "never") == USAGE


RIGHT = """
from conformance.adapter import api

@api("r.gather", operation="gather_elements")
def gather(input, dim, index):
    return input
"""
READY: dict[str, Any] = {
    "type": "ready",
    "unconverted": {},
    "guarded": ["float32"],
    "problems": [[["float32", 0, "one", None], "has another shape"]],
    "modules": {},
    "hooks": {},
    "about": {"framework": "f", "version": "1.0", "immutable": False},
    "apis": [{"name": "f.g", "operation": "o", "composed": False, "in_place": None, "follows": None, "index_dtypes": [],
              "dtypes": [], "helpers": {}, "devices": [], "lacks_kernel": False, "source": ""}],
    "python": "3", "numpy": "2", "executable": "/p", "os": "Linux", "arch": "riscv64", "cpu": [],
}  # fmt: skip


def test_a_description_is_accepted() -> None:
    assert check_description(READY, "mine.py") == READY


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"about": {"version": 5}}, "version in describe"),
        ({"about": {"version": "1" * 1000}}, "version in describe"),
        ({"about": {"version": "1\n::error::"}}, "version in describe"),
        ({"about": None}, "about"),
        ({"apis": [{**READY["apis"][0], "name": ["x"]}]}, r"name of the API \"\['x'\]\""),
        ({"apis": [{**READY["apis"][0], "source": None}]}, "source of the API 'f.g'"),
        ({"apis": {}}, "apis"),
        ({"modules": {"m": 1}}, "modules.m"),
        ({"hooks": {"vjp": "jax.vjp"}}, "hooks.vjp"),
        ({"type": "outcome"}, "type"),
    ],
)
def test_a_wrong_description_blocks_its_target_with_a_sentence(part: dict[str, object], message: str) -> None:
    with pytest.raises(TargetBlocked, match=rf"^mine\.py: {message}.* is .*: "):
        check_description({**READY, **part}, "mine.py")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def describe(): return {'version': 5}", "version in describe"),
        ("def describe(): return []", "returned list instead of a dict"),
        ("def describe(): return {'version': '9' * 100000}", "version in describe"),
        ("def describe(): return {'more': object()}", None),
        ("api(['x'], operation='gather_elements')(print)", "must be texts"),
        (
            "api('f.g', operation='gather_elements', index_dtypes=['int99'])(print)",
            "index_dtypes has 'int99'; allowed: int8, ",
        ),
        ("INDEX_DTYPES = ('int99',)", "wrong.py: INDEX_DTYPES has 'int99'; allowed: int8, "),
    ],
)
def test_a_wrong_adapter_blocks_its_target_and_no_other(tmp_path: Path, code: str, message: str | None) -> None:
    adapters = [tmp_path / "wrong.py", tmp_path / "right.py"]
    adapters[0].write_text(f"{RIGHT}\n{code}\n")
    adapters[1].write_text(RIGHT)
    results = run_adapters(tmp_path, adapters, cases=fake_cases()[:1], start="spawn", client=Client)
    blocked = {str(target.asked).removesuffix(".py"): target.blocked for target in results.targets}
    assert blocked["right"] is None
    assert (blocked["wrong"] is None) is (message is None)
    assert message is None or message in str(blocked["wrong"])
    assert exit_status(results, "never") == (OK if message is None else BLOCKED)


@pytest.mark.parametrize("code", ["import nothing_of_this_name\n", "def f(:\n"])
def test_an_adapter_that_cannot_be_imported_is_told_without_the_suites_own_frames(tmp_path: Path, code: str) -> None:
    (tmp_path / "wrong.py").write_text(code)
    results = run_adapters(tmp_path, [tmp_path / "wrong.py"], cases=fake_cases()[:1], start="spawn", client=Client)
    [target] = results.targets
    assert target.blocked is not None
    assert f'File "{tmp_path / "wrong.py"}", line 1' in target.blocked
    assert "worker" not in target.blocked
    assert "importlib" not in target.blocked

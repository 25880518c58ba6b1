"""What a target.toml claims: such a call that is not supported fails the run, unless the known divergences excuse it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.written import written_cases
from conformance.environments.definition import Claim, DefinitionError, load_definition
from conformance.execution.plan import Interpreters, Plan, jobs
from conformance.execution.runner import run
from conformance.findings.difference import difference
from conformance.reports.commands import repeat_command
from conformance.results.exit_status import BLOCKED, DIVERGES, OK, exit_status
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from tests.execution.harness import TOY_TARGET, fake_cases, job_of
from tests.execution.in_process import in_process

ADAPTER = """
import numpy as np

from conformance.adapter import Unsupported, api


def setup(device, mode):
    pass


@api("toy.take", operation="gather_elements")
def take(input, dim, index):
    if input.dtype == np.float64:
        raise Unsupported("no float64")
    if input.dtype == np.float16:
        raise TypeError("no kernel for float16")
    return np.take_along_axis(input, index, dim)
"""
CLAIMS = """
[[claims]]
api = "toy.t*"
operation = ["gather_elements", "scatter_elements"]
dtypes = [DTYPES, "int64"]
"""
LUCKY = "gather_elements.example.lucky/as-printed"


def write(folder: Path, claims: str) -> Path:
    """A target.toml with these claims, which extends another."""
    for name, content in (("base", TOY_TARGET), ("mine", f'extends = "../base"\n{claims}')):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "target.toml").write_text(content)
    (folder / "base" / "adapter.py").write_text(ADAPTER)
    return folder / "mine" / "target.toml"


def ran(folder: Path) -> Results:
    """The results of the target on a call in every dtype."""
    cases = [case for case in fake_cases([written_cases, dtype_cases]) if case.id.startswith(LUCKY)]
    [job] = jobs([str(folder / "mine" / "target.toml")], Interpreters(here=True))
    job = replace(job_of(job.target), known=job.known)
    plan = Plan(RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0"), [job], cases, 30, 2)
    run(plan, folder / FILE_NAME, (), in_process)
    return read_results(folder)


def of_dtype(results: Results, dtype: str) -> ResultRecord:
    [found] = [result for result in results.results if result.case == f"{LUCKY}.{dtype}"]
    return found


def test_a_claimed_call_that_is_not_supported_is_a_finding_and_any_other_is_not(tmp_path: Path) -> None:
    write(tmp_path, CLAIMS.replace("DTYPES", '"float64"'))
    results = ran(tmp_path)
    missing = of_dtype(results, "float64")
    assert exit_status(results, "own") == DIVERGES
    assert (missing.verdict, missing.divergence, missing.standing) == ("diverges", ["missing"], "own")
    assert missing.confirmed == "alone"
    assert str(missing.explanation).endswith("claims this call, but it is not supported: no float64")
    assert of_dtype(results, "float32").verdict == "conforms"

    write(tmp_path, CLAIMS.replace("DTYPES", '"float32"'))
    unclaimed = ran(tmp_path)
    assert (exit_status(unclaimed, "own"), of_dtype(unclaimed, "float64").verdict) == (OK, "unsupported")
    assert not difference(results, unclaimed).fails("own")


def test_of_a_call_that_is_not_made_the_run_is_repeated_since_a_script_would_show_nothing(tmp_path: Path) -> None:
    write(tmp_path, CLAIMS.replace("DTYPES", '"float64"'))
    results = ran(tmp_path)
    words = repeat_command(results, of_dtype(results, "float64"), "out").split()
    assert (words[:2], words[3:6]) == (["conformance", "run"], [f"{LUCKY}.float64", "--api", "toy.take"])


def test_an_entry_of_the_known_divergences_excuses_a_call_until_it_is_supported(tmp_path: Path) -> None:
    write(tmp_path, CLAIMS.replace("DTYPES", '"float64"'))
    (tmp_path / "mine" / "divergences.yaml").write_text(
        f"divergences:\n  no-float64:\n    cases: {LUCKY}.float64\n    api: toy.take\n    kind: missing\n"
        "    since: 2026-11-30\n    reason: The kernel is not written yet.\n    link: unreported\n"
    )
    results = ran(tmp_path)
    assert (exit_status(results, "own"), of_dtype(results, "float64").known) == (OK, "no-float64")
    adapter = tmp_path / "base" / "adapter.py"
    adapter.write_text(ADAPTER.replace('raise Unsupported("no float64")', "pass"))
    results = ran(tmp_path)
    assert (exit_status(results, "own"), of_dtype(results, "float64").verdict) == (DIVERGES, "conforms")
    assert results.end is not None
    assert [one.how for one in results.end.unexpected] == ["passed"]


def test_a_claimed_dtype_is_promised_as_the_adapter_may_promise_one(tmp_path: Path) -> None:
    verdicts = []
    for dtype in ("float32", "float16"):
        write(tmp_path, CLAIMS.replace("DTYPES", f'"{dtype}"'))
        verdicts.append(of_dtype(ran(tmp_path), "float16"))
    assert [(one.verdict, one.divergence) for one in verdicts] == [("observed", []), ("diverges", ["rejected"])]


def test_a_claim_about_an_api_that_the_adapter_lacks_keeps_the_target_from_starting(tmp_path: Path) -> None:
    write(tmp_path, '[[claims]]\napi = "toy.tike"\n')
    results = ran(tmp_path)
    assert exit_status(results, "own") == BLOCKED
    reason = str(results.targets[0].blocked)
    assert "claims[0] of its target.toml is about no API" in reason
    assert "did you mean 'toy.take'?" in reason


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ('[[claims]]\ndtypes = ["floot32"]\n', "claims[0].dtypes[0]: not a dtype; did you mean 'float32'?"),
        ('[[claims]]\napis = "toy.take"\n', "claims[0].apis: unknown key; did you mean 'api'?"),
        ("[[claims]]\napi = []\n", "claims[0].api: "),
        ("claims = 5\n", "claims: "),
    ],
)
def test_a_mistake_in_a_claim_is_told_with_its_place(tmp_path: Path, claims: str, said: str) -> None:
    with pytest.raises(DefinitionError) as told:
        load_definition(write(tmp_path, claims))
    assert said in str(told.value)


def test_a_claim_without_limits_is_about_every_call() -> None:
    claim = Claim()
    assert claim.is_about("any.api", "any_operation")
    assert claim.covers({"float8_e5m2"})
    assert not Claim(dtypes=["float32"]).covers({"float32", "int64"})

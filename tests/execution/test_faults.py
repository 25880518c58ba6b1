"""A worker that dies, hangs, prints, exits or breaks its pipe costs its own case and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.reference import load_reference
from conformance.cases.variation import Drawn
from conformance.data_folders import adapters_folder
from conformance.execution import budget
from conformance.execution import client as clients
from conformance.execution.budget import MOST_DEATHS_IF_SLOW
from conformance.execution.client import MOST_ENDINGS_IF_SLOW, Client, ClientFactory
from conformance.outcomes.model import Died, Hung, Returned, Warned
from conformance.processes.worker_starter import StartMethod
from conformance.results.file import Results, read_results
from tests.cli.command import REPOSITORY
from tests.execution.harness import FAKES, WRONG_ADAPTERS, fake_cases, result_of, run_adapters
from tests.execution.in_process import in_process, in_process_slowly


@pytest.fixture(scope="module", params=["fork", "spawn"])
def results(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Results:
    folder = tmp_path_factory.mktemp("run")
    return run_adapters(folder, [WRONG_ADAPTERS / "misbehaving.py"], limit=1.0, start=request.param, client=Client)


def test_every_case_has_a_result_on_every_api(results: Results) -> None:
    apis = {mapping.api for mapping in results.mappings}
    assert len(apis) > 10
    assert {(one.api, one.case) for one in results.results} == {(api, case) for api in apis for case in results.cases}
    assert results.complete


def test_the_cases_beside_the_fault_are_judged_as_ever(results: Results) -> None:
    for one in results.results:
        if "unlucky" not in one.case and one.api != "fake.poisoned":
            assert one.verdict == "conforms", one


def test_a_segfault_is_a_death_by_its_signal(results: Results) -> None:
    result = result_of(results, "fake.segfault", "unlucky")
    assert (result.verdict, result.outcome) == ("died", Died(signal="SIGSEGV"))


def test_a_call_of_exit_is_a_death_with_its_code_and_the_last_words(results: Results) -> None:
    result = result_of(results, "fake.exit", "unlucky")
    assert isinstance(result.outcome, Died)
    assert (result.verdict, result.outcome.exit_code) == ("died", 7)
    assert "leaving on purpose" in result.outcome.stderr


def test_a_call_that_does_not_come_back_hangs_at_the_limit(results: Results) -> None:
    result = result_of(results, "fake.hang", "unlucky")
    assert isinstance(result.outcome, Hung)
    assert (result.verdict, result.outcome.limit) == ("hung", 1.0)


def test_megabytes_on_both_descriptors_disturb_nothing(results: Results) -> None:
    assert result_of(results, "fake.noise", "unlucky").verdict == "conforms"


@pytest.mark.parametrize("api", ["fake.close", "fake.babble"])
def test_a_worker_that_leaves_the_protocol_has_died(results: Results, api: str) -> None:
    assert result_of(results, api, "unlucky").verdict == "died"


def test_an_input_that_the_call_changed_is_a_divergence(results: Results) -> None:
    result = result_of(results, "fake.mutate", "unlucky")
    assert (result.verdict, result.divergence) == ("diverges", ["input-changed"])


def test_a_result_that_shares_the_inputs_memory_is_a_divergence(results: Results) -> None:
    assert "aliased" in result_of(results, "fake.alias", "unlucky").divergence


def test_what_is_no_array_is_blamed_on_the_adapter(results: Results) -> None:
    result = result_of(results, "fake.no-array", "unlucky")
    assert result.verdict == "blocked"
    assert "str instead of an array" in str(result.explanation)


def test_a_form_that_the_api_lacks_is_unsupported(results: Results) -> None:
    result = result_of(results, "fake.unsupported", "unlucky")
    assert (result.verdict, result.explanation) == ("unsupported", "it has no unlucky numbers")


def test_an_error_after_which_the_valid_control_fails_is_a_finding_and_harms_no_other_case(results: Results) -> None:
    assert result_of(results, "fake.poisoned", "outside").divergence == ["contaminated"]
    assert result_of(results, "fake.poisoned", "lucky-again").verdict == "conforms"


def test_warnings_are_kept_once_with_their_count(results: Results) -> None:
    outcome = result_of(results, "fake.warns", "lucky").outcome
    assert isinstance(outcome, Returned)
    assert outcome.warnings == (Warned("this will change", 3),)


def test_standing_is_own_only_for_the_api_that_the_document_describes(results: Results) -> None:
    assert result_of(results, "fake.right", "lucky").standing == "own"
    assert result_of(results, "fake.noise", "lucky").standing == "portability"


@pytest.mark.parametrize(("start", "most"), [(in_process, 8), (in_process_slowly, MOST_ENDINGS_IF_SLOW)])
def test_restarts_end_where_no_call_is_ever_answered(
    tmp_path: Path, start: ClientFactory, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "MOST_ENDINGS", 8)
    cases = [replace(case, id=f"{case.id}.{number}") for number in range(3) for case in fake_cases()]
    results = run_adapters(tmp_path, [FAKES / "dies_at_once.py"], cases=cases, client=start)
    verdicts = [one.verdict for one in results.results]
    assert verdicts == ["died"] * most + ["blocked"] * (12 - most)
    assert "in a row" in str(results.results[-1].explanation)


@pytest.mark.parametrize(("client", "died"), [(in_process, 4), (in_process_slowly, MOST_DEATHS_IF_SLOW)])
def test_draws_that_end_the_process_stand_for_all_of_their_clause(
    tmp_path: Path, client: ClientFactory, died: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MOST_DEATHS", 4)
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    drawn = replace(fake_cases()[0], variation=Drawn(None, 1, 1, (), reference))
    draws = [replace(drawn, id=f"{drawn.id}.{number}") for number in range(6)]
    results = run_adapters(tmp_path, [FAKES / "dies_at_once.py"], cases=draws, client=client)
    assert Counter(one.verdict for one in results.results) == {"died": died, "blocked": 6 - died}
    assert {one.explanation for one in results.results if one.verdict == "blocked"} == {
        f"not run: {died} draws of this clause already ended the process"
    }


def test_one_target_that_dies_leaves_the_others_their_results(tmp_path: Path) -> None:
    results = run_adapters(
        tmp_path, [FAKES / "dies_at_once.py", WRONG_ADAPTERS / "misbehaving.py"], limit=1.0, client=Client
    )
    assert {one.verdict for one in results.results if one.api == "fake.right"} == {"conforms"}
    assert results.complete


@pytest.mark.skipif(sys.platform != "linux", reason="a worker's parent is the suite")
@pytest.mark.parametrize("start", ["auto", "fork", "spawn"])
def test_a_call_that_kills_the_parent_of_its_worker_dies_and_ends_nothing_else(
    tmp_path: Path, start: StartMethod
) -> None:
    """In a process of its own, since the parent would be the process of the tests."""
    code = f"""
from pathlib import Path
from conformance.execution.client import Client
from tests.execution.harness import FAKES, fake_cases, run_adapters
cases = [case for case in fake_cases() if "lucky" in case.id][:3]
run_adapters(Path({str(tmp_path)!r}), [FAKES / "kills_its_parent.py"], cases=cases, start={start!r}, client=Client, limit=2.0)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False).returncode == 0
    results = read_results(tmp_path)
    assert results.complete
    verdicts = {
        api: {one.verdict for one in results.results if one.api == api} for api in ("kills.parent", "kills.nothing")
    }
    assert verdicts["kills.parent"] <= {"died", "blocked"}
    assert verdicts["kills.nothing"] <= ({"blocked", "conforms"} if start == "fork" else {"conforms"})

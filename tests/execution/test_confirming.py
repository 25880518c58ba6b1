"""Every finding is repeated in a fresh process, and reported as confirmed, flaky or order-dependent."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returns
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.execution import confirm, polluters
from conformance.execution.client import Client, ClientFactory
from conformance.execution.plan import Plan
from conformance.execution.runner import run
from conformance.known.load import load_known
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import PolluterRecord, RunRecord
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from tests.execution.harness import FAKES, WRONG_ADAPTERS, fake_cases, job, result_of, run_adapters
from tests.execution.in_process import in_process, in_process_slowly


def as_dtype(value: object, dtype: str) -> Tensor:
    assert isinstance(value, Tensor)
    return Tensor(dtype, value.array.astype(dtype), None)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_adapters(tmp_path_factory.mktemp("run"), [WRONG_ADAPTERS / "order_dependent.py"])


def test_a_result_that_is_always_wrong_is_a_plain_divergence(results: Results) -> None:
    assert result_of(results, "fake.steady", "lucky").divergence == ["value"]


def test_an_order_dependent_result_names_the_polluter(results: Results) -> None:
    result = result_of(results, "fake.stained", "lucky-again")
    assert result.divergence == ["value", "contaminated"]
    assert (
        "order-dependent: correct in a fresh process, wrong after fake.stained with gather_elements.example.unlucky"
        in str(result.explanation)
    )
    assert result.polluter == PolluterRecord("fake.stained", "gather_elements.example.unlucky/as-printed")


def test_calls_before_the_polluter_are_not_affected(results: Results) -> None:
    assert result_of(results, "fake.stained", "lucky").verdict == "conforms"


def test_a_result_that_differs_each_time_is_flaky(results: Results) -> None:
    assert result_of(results, "fake.fickle", "lucky").divergence == ["value", "unstable"]


READS_OUTSIDE = """
from pathlib import Path
import numpy as np
from conformance.adapter import api

read = Path(__file__).with_suffix(".read")

def describe():
    return {"framework": "fake", "version": "1.0"}

@api("fake.reads", operation="gather_elements")
def reads(input, dim, index):
    outside = (index < 0) | (index >= input.shape[dim])
    found = 1234 if read.exists() else np.iinfo(input.dtype).max
    if outside.any():
        read.touch()
    return np.where(outside, input.dtype.type(found), np.take_along_axis(input, np.where(outside, 0, index), dim))
"""


def test_what_is_read_outside_is_no_fill_value_if_it_differs_each_time(tmp_path: Path) -> None:
    adapter = tmp_path / "reads.py"
    adapter.write_text(READS_OUTSIDE)
    catalogue = load_specs()
    catalogue = replace(catalogue, operations={"gather_elements": catalogue.operations["gather_elements"]})
    cases = build_cases(
        catalogue, load_reference(adapters_folder() / "reference" / "adapter.py"), sources=[written_cases]
    )
    results = run_adapters(
        tmp_path, [adapter], cases=[case for case in cases if case.id.endswith("range/break.vector")]
    )
    [result] = results.results
    assert (result.divergence, result.behaviour) == (["accepted", "unstable"], "other")
    assert "fill value" not in str(result.explanation)
    assert "but it returned int64 of shape [3]: " in str(result.explanation)
    assert str(result.explanation).endswith("; the result differs each time")


def test_the_polluter_is_found_however_many_calls_ago_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polluters, "_FIRST_TAIL", 1)
    results = run_adapters(tmp_path, [WRONG_ADAPTERS / "order_dependent.py"])
    result = result_of(results, "fake.stained", "lucky-again")
    assert result.polluter == PolluterRecord("fake.stained", "gather_elements.example.unlucky/as-printed")


BY_DTYPE = """
import numpy as np
from conformance.adapter import api

earlier = set()

@api("fake.by_dtype", operation="gather_elements")
def by_dtype(input, dim, index):
    right = np.take_along_axis(input, index, dim)
    wrong = np.zeros_like(right) if input.dtype in earlier else right
    earlier.add(input.dtype)
    return wrong
"""


def test_after_some_searches_findings_of_an_api_depend_on_a_known_call_or_on_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polluters, "MOST_SEARCHES", 2)
    (tmp_path / "by_dtype.py").write_text(BY_DTYPE)
    [case, *_] = fake_cases()
    assert isinstance(case.expectation, Returns)
    cases = []
    for number in range(3):
        for dtype in ("int8", "int16", "int32", "int64"):
            call = case.call.with_arguments({"input": as_dtype(case.call.arguments["input"], dtype)})
            expectation = replace(case.expectation, value=as_dtype(case.expectation.value, dtype))
            cases.append(replace(case, id=f"{case.id}.{dtype}.{number}", call=call, expectation=expectation))
    results = run_adapters(tmp_path, [tmp_path / "by_dtype.py"], cases=cases).results
    found = {result.case.rpartition("/")[2]: result for result in results if result.verdict == "diverges"}
    assert {result.divergence[-1] for result in found.values()} == {"contaminated"}
    named = {name.split(".")[1] for name, result in found.items() if result.polluter is not None}
    assert len(found) == 8
    assert len(named) == 2
    for name, result in found.items():
        assert (result.polluter is not None) == (name.split(".")[1] in named)
        if result.polluter is None:
            assert "wrong after other calls in the same process" in str(result.explanation)
        else:
            assert result.polluter.case.split(".")[-2] == name.split(".")[1]


THIRD_CALL = """
import itertools
import numpy as np
from conformance.adapter import api

NUMBERS = itertools.count(1)

@api("fake.third", operation="gather_elements")
def third(input, dim, index):
    right = np.take_along_axis(input, index, dim)
    return right if next(NUMBERS) < 3 else np.zeros_like(right)
"""


DAMAGES = """
import os
import signal
from pathlib import Path
import numpy as np
from conformance.adapter import api

ran = Path(__file__).with_suffix(".ran")
survives = 2 if ran.exists() else 3
made = []

@api("fake.damages", operation="gather_elements")
def damages(input, dim, index):
    if len(made) == survives:
        ran.touch()
        os.kill(os.getpid(), signal.SIGSEGV)
    made.append(index)
    return np.take_along_axis(input, index, dim)
"""


def test_a_death_depends_on_earlier_calls_after_which_the_process_ends_in_another_call_too(tmp_path: Path) -> None:
    (tmp_path / "damages.py").write_text(DAMAGES)
    [case, *_] = fake_cases()
    cases = [replace(case, id=f"{case.id}.{number}") for number in range(4)]
    results = run_adapters(tmp_path, [tmp_path / "damages.py"], cases=cases).results
    assert [result.verdict for result in results] == ["conforms", "conforms", "conforms", "died"]
    assert results[3].divergence == ["contaminated"]
    assert "order-dependent: correct in a fresh process, wrong after" in str(results[3].explanation)


def test_a_result_that_several_calls_together_change_names_the_first_of_them(tmp_path: Path) -> None:
    (tmp_path / "third_call.py").write_text(THIRD_CALL)
    results = run_adapters(tmp_path, [tmp_path / "third_call.py"])
    found = [result for result in results.results if "contaminated" in result.divergence]
    assert found
    for result in found:
        assert "wrong after several calls, the first of which was fake.third with" in str(result.explanation)
        assert result.polluter is None


@pytest.mark.parametrize("client", [in_process, in_process_slowly])
def test_a_finding_is_not_confirmed_by_other_findings(tmp_path: Path, client: ClientFactory) -> None:
    results = run_adapters(tmp_path, [FAKES / "wrong_after_first_call.py"], client=client)
    findings = [result for result in results.results if result.verdict == "diverges"]
    assert len(findings) == 2
    assert {tuple(result.divergence) for result in findings} == {("value", "contaminated")}


def test_two_findings_are_repeated_at_the_same_time(tmp_path: Path) -> None:
    adapter = tmp_path / "wrong_beside_another.py"
    shutil.copy(FAKES / adapter.name, adapter)
    results = run_adapters(tmp_path, [adapter], start="fork", client=Client)
    findings = [result for result in results.results if result.verdict == "diverges"]
    assert len(findings) > 1
    assert {tuple(result.divergence) for result in findings} == {("value",)}


@pytest.mark.parametrize("most", [0, 1])
def test_findings_beyond_the_most_processes_are_reported_as_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    for name in ("PROCESSES", "EXPENSIVE_PROCESSES"):
        monkeypatch.setattr(confirm, name, most)
    results = run_adapters(tmp_path, [WRONG_ADAPTERS / "order_dependent.py"])
    findings = [result for result in results.results if result.verdict == "diverges"]
    confirmed = [result for result in findings if result.confirmed != "no"]
    assert len(findings) > 1
    assert len([result for result in confirmed if result.confirmed == "alone"]) == most
    assert len(confirmed) < len(findings)
    says = "not confirmed in a fresh process: other findings have taken all processes that confirm some"
    assert all(says in str(result.explanation) for result in findings if result not in confirmed)


def test_calls_that_others_depend_on_are_searched_for_so_many_findings_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("some", "none"):
        (tmp_path / folder).mkdir()
    found = run_adapters(tmp_path / "some", [WRONG_ADAPTERS / "order_dependent.py"])
    monkeypatch.setattr(polluters, "SEARCHES_IN_ALL", 0)
    none = run_adapters(tmp_path / "none", [WRONG_ADAPTERS / "order_dependent.py"])
    assert [result for result in found.results if result.polluter is not None] != []
    assert [result for result in none.results if result.polluter is not None] == []
    assert [result.verdict for result in none.results] == [result.verdict for result in found.results]


def with_entry(folder: Path, cases: str, api: str, more: str = "") -> Results:
    """The results of the order-dependent APIs beside a ledger with one entry, for wrong values of one of them."""
    (folder / "divergences.yaml").write_text(
        f"divergences:\n  stains:\n    cases: {cases}\n    api: {api}\n"
        f"    kind: value\n{more}    reason: A 13 stains.\n    link: unreported\n"
    )
    known = replace(job(WRONG_ADAPTERS / "order_dependent.py"), known=load_known(folder / "divergences.yaml"))
    all_cases = fake_cases()
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    run(
        Plan(record, [known], all_cases, 30.0, 1, all_cases=[case.facts for case in all_cases]),
        folder / FILE_NAME,
        [],
        in_process,
    )
    return read_results(folder)


def test_what_a_ledger_says_to_happen_sometimes_is_confirmed_and_stays_known(tmp_path: Path) -> None:
    lucky = "gather_elements.example.lucky-again/*"
    found = with_entry(tmp_path, lucky, "fake.stained", "    sometimes: true\n")
    stained = result_of(found, "fake.stained", "lucky-again")
    assert (stained.divergence, stained.known) == (["value", "contaminated"], "stains")
    assert "wrong after other calls in the same process" in str(stained.explanation)  # which are not searched again
    assert result_of(found, "fake.fickle", "lucky").divergence == ["value", "unstable"]


@pytest.mark.parametrize("known", ["fake.steady", "fake.fickle"])
def test_what_no_ledger_records_is_confirmed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: str) -> None:
    monkeypatch.setattr(confirm, "PROCESSES", 1)
    found = with_entry(tmp_path, "gather_elements.*", known)
    alone = {result.api for result in found.results if result.confirmed == "alone"}
    assert alone and known not in alone


def test_there_is_one_result_for_each_case_and_api(results: Results) -> None:
    pairs = [(one.api, one.case) for one in results.results]
    assert len(pairs) == len(set(pairs)) == 4 * len(results.cases)

"""Calls that a mode compiles many at once: each is judged as ever, and what is not as expected is made alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.expectations import Compared
from conformance.cases.model import ApiCall, Case
from conformance.cases.variation import Found
from conformance.execution import together
from conformance.execution.attempt import CallAttempt
from conformance.execution.budget import HangLimits
from conformance.execution.client import Client, ClientFactory, GaveUp
from conformance.execution.plan import Interpreters, Plan, jobs
from conformance.execution.repeat import ROUNDS
from conformance.execution.runner import run
from conformance.execution.together import Together
from conformance.outcomes.observation import Observation
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from tests.execution.harness import FAKES, Heard, fake_cases
from tests.execution.in_process import in_process, in_process_slowly

ADAPTER = FAKES / "together" / "together.py"


def ran(
    folder: Path,
    *apis: str,
    mode: str = "compile",
    cases: Sequence[Case] | None = None,
    listener: Heard | None = None,
    client: ClientFactory = in_process,
    device: str = "cpu",
) -> Results:
    """The results of these APIs, compiled."""
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    target_jobs = jobs([f"{ADAPTER}[{mode}]@{device}"], Interpreters(here=True))
    plan = Plan(record, target_jobs, cases or fake_cases(), 30.0, 1, apis=tuple(f"fake.{api}" for api in apis))
    run(plan, folder / FILE_NAME, [listener] if listener else [], client)
    return read_results(folder)


def of_api(results: Results, api: str) -> dict[str, ResultRecord]:
    """The results of an API by the names of the examples."""
    return {one.clause.rpartition(".")[2]: one for one in results.results if one.api == f"fake.{api}"}


def test_what_returns_together_says_with_how_many_and_what_should_raise_is_made_alone(tmp_path: Path) -> None:
    found = of_api(ran(tmp_path, "right"), "right")
    assert {one.verdict for one in found.values()} == {"conforms"}
    assert {name: one.together for name, one in found.items()} == {
        "lucky": 3, "unlucky": 3, "lucky-again": 3, "outside": None
    }  # fmt: skip


def test_the_record_of_a_target_counts_groups_and_calls_that_were_made_again(tmp_path: Path) -> None:
    [target] = ran(tmp_path, "right", "wrong").targets
    assert (target.together, target.groups, target.made_again) == (8, 1, 3)


def test_a_call_that_is_not_compiled_is_made_alone_and_no_other_call_with_it(tmp_path: Path) -> None:
    results = ran(tmp_path, "right", "refused")
    assert {one.together for one in of_api(results, "refused").values()} == {None}
    assert {one.divergence[0] for one in of_api(results, "refused").values() if one.divergence} == {"rejected"}
    assert of_api(results, "right")["lucky"].together == 3


def test_a_call_of_which_the_api_has_no_such_form_is_not_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    call_of_client = Client.call

    def noted(client: Client, call: ApiCall) -> Observation:
        made.append(call.case)
        return call_of_client(client, call)

    monkeypatch.setattr(Client, "call", noted)
    found = of_api(ran(tmp_path, "formless"), "formless")
    assert {one.verdict for one in found.values()} == {"unsupported"}
    assert found["lucky"].explanation == "no axis at all"
    assert {*made} == {found["outside"].case}


def test_an_error_while_it_runs_names_no_call_and_is_found_on_zeros(tmp_path: Path) -> None:
    results = ran(tmp_path, "right", "unlucky")
    found = of_api(results, "unlucky")
    assert (found["unlucky"].verdict, found["unlucky"].together) == ("diverges", None)
    assert (found["lucky"].verdict, found["lucky"].together) == ("conforms", 6)
    assert {one.verdict for one in of_api(results, "right").values()} == {"conforms"}


def test_what_is_wrong_together_is_made_alone_and_confirmed_so(tmp_path: Path) -> None:
    found = of_api(ran(tmp_path, "right", "wrong"), "wrong")["lucky"]
    assert (found.verdict, found.divergence, found.together, found.confirmed) == ("diverges", ["value"], None, "alone")


def test_what_is_wrong_only_together_is_a_finding_with_the_fewest_others_that_show_it(tmp_path: Path) -> None:
    results = ran(tmp_path, "right", "wrong_beside")
    found = of_api(results, "wrong_beside")["lucky"]
    assert (found.verdict, found.divergence, found.confirmed) == ("diverges", ["value", "together"], "together")
    assert (found.together, len(found.company)) == (2, 1)
    assert str(found.explanation).startswith("right alone, and wrong if it is compiled together with fake.")
    assert {one.verdict for one in of_api(results, "right").values()} == {"conforms"}


def test_a_kind_of_which_one_conforms_only_together_is_made_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "CHECKED", 2)
    heard = Heard()
    found = of_api(ran(tmp_path, "wrong_alone", listener=heard), "wrong_alone")
    assert {name: one.verdict for name, one in found.items()} == {
        "lucky": "diverges", "unlucky": "diverges", "lucky-again": "diverges", "outside": "conforms"
    }  # fmt: skip
    assert {one.together for one in found.values()} == {None}
    notices = [getattr(event, "message", "") for event in heard.events]
    assert any("fake.wrong_alone" in text and "conforms only if it is compiled together" in text for text in notices)


def test_a_group_that_hangs_is_not_halved_since_each_half_would_be_waited_for(tmp_path: Path) -> None:
    [target] = ran(tmp_path, "right", "hangs").targets
    assert target.groups == 1


@pytest.mark.parametrize("api", ["ends", "hangs"])
def test_a_call_that_ends_or_stops_a_group_costs_no_result(tmp_path: Path, api: str) -> None:
    results = ran(tmp_path, "right", api)
    assert {one.verdict for one in results.results} == {"conforms"}
    assert of_api(results, api)["unlucky"].together is None


def test_on_a_path_a_call_is_made_with_others_once_one_of_its_kind_was_exported_alone(tmp_path: Path) -> None:
    results = ran(tmp_path, "right", "unexported", mode="export")
    assert sorted(str(one.together) for one in of_api(results, "right").values()) == ["2", "2", "None", "None"]
    unexported = of_api(results, "unexported")
    assert {one.together for one in unexported.values()} == {None}
    assert {one.outcome.status for one in unexported.values()} == {"not-exported"}


def test_on_a_path_what_was_exported_alone_counts_for_calls_that_are_varied_otherwise(tmp_path: Path) -> None:
    cases = [*fake_cases(), *(replace(case, id=f"{case.id}-found", variation=Found()) for case in fake_cases())]
    results = [one for one in ran(tmp_path, "right", mode="export", cases=cases).results if "outside" not in one.case]
    assert [one.together for one in results].count(None) == 1


def test_a_large_call_is_made_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "LARGEST", 0)
    assert {one.together for one in ran(tmp_path, "right").results} == {None}


def test_calls_are_made_one_by_one_where_each_is_announced(tmp_path: Path) -> None:
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    announced: list[str] = []
    target_jobs = jobs([f"{ADAPTER}[compile]"], Interpreters(here=True))
    plan = Plan(
        record, target_jobs, fake_cases(), 30.0, 1, apis=("fake.right",), before_call=lambda one: announced.append(one.case)
    )  # fmt: skip
    run(plan, tmp_path / FILE_NAME, [], in_process)
    assert {one.together for one in read_results(tmp_path).results} == {None}
    assert announced


def test_calls_with_duplicate_indices_that_were_made_together_are_repeated_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    together_of_client = Client.together

    def counted(client: Client, calls: Sequence[ApiCall]) -> object:
        made.append(len(calls))
        return together_of_client(client, calls)

    monkeypatch.setattr(Client, "together", counted)
    cases = [
        replace(case, duplicates=case.expectation) if isinstance(case.expectation, Compared) else case
        for case in fake_cases()
    ]
    found = of_api(ran(tmp_path, "right", cases=cases, client=in_process_slowly), "right")
    assert made == [3, *[3] * ROUNDS]
    assert {one.verdict for one in found.values()} == {"conforms"}
    grades = [found[name].determinism for name in ("lucky", "unlucky", "lucky-again")]
    assert [grade.repeats for grade in grades if grade is not None] == [1 + ROUNDS] * 3


def test_a_group_that_loses_the_device_costs_no_result(tmp_path: Path) -> None:
    results = ran(tmp_path, "loses", "right", device="npu")
    assert {one.verdict for one in results.results} == {"conforms"}


def copies(name: str, number: int) -> list[Case]:
    """The case of an example many times, and the others."""
    cases = fake_cases()
    [case] = [one for one in cases if one.clause.id.endswith(f".{name}")]
    return [*cases, *(replace(case, id=f"{case.id}-{again}") for again in range(number))]


def test_calls_like_those_that_hung_are_not_made_although_the_results_of_their_api_are_held(tmp_path: Path) -> None:
    results = ran(tmp_path, "hangs_anyhow", cases=copies("unlucky", 12))
    verdicts = [one.verdict for one in results.results if one.clause.endswith(".unlucky")]
    assert 1 <= verdicts.count("hung") <= HangLimits().of_clause
    assert verdicts.count("hung") + verdicts.count("blocked") == 13


def test_groups_that_end_one_after_the_other_do_not_end_the_run_where_a_process_is_slow(tmp_path: Path) -> None:
    results = ran(tmp_path, "ends", mode="compile-many", cases=copies("unlucky", 60), client=in_process_slowly)
    assert {one.verdict for one in results.results} == {"conforms"}


def test_what_is_wrong_only_together_is_searched_in_the_group_that_did_not_end(tmp_path: Path) -> None:
    found = of_api(ran(tmp_path, "ends", "wrong_beside"), "wrong_beside")["lucky"]
    assert (found.divergence, found.together) == (["value", "together"], 2)


def test_what_is_wrong_only_ahead_of_others_is_found_in_the_order_of_its_group(tmp_path: Path) -> None:
    results = ran(tmp_path, "ahead", "right")
    [wrong] = [one for one in results.results if one.verdict == "diverges"]
    assert (wrong.api, wrong.divergence, len(wrong.company)) == ("fake.ahead", ["value", "together"], 1)


def test_three_calls_of_a_form_that_are_wrong_only_together_are_searched(tmp_path: Path) -> None:
    results = ran(tmp_path, "wrong_beside", mode="compile-many", cases=copies("lucky", 20))
    assert [one.confirmed for one in results.results].count("together") == together.FAILING
    assert {one.verdict for one in results.results} == {"conforms", "diverges"}


def test_a_call_that_an_earlier_group_made_wrong_is_not_wrong_only_together(tmp_path: Path) -> None:
    """The groups in which that is searched are in processes of their own."""
    results = ran(tmp_path, "right", "worn", cases=copies("lucky", 8))
    assert {one.verdict for one in results.results} == {"conforms"}


def test_calls_of_a_form_that_fail_again_and_again_are_made_alone_at_once(tmp_path: Path) -> None:
    [target] = ran(tmp_path, "wrong", mode="compile-many", cases=copies("lucky", 2 * together.TRIED)).targets
    assert target.made_again == together.TRIED


def test_calls_of_a_form_whose_groups_hang_again_and_again_are_made_alone_at_once(tmp_path: Path) -> None:
    results = ran(
        tmp_path, "hangs", mode="compile-many", cases=copies("unlucky", (together.FAILING + 2) * together.TRIED)
    )
    assert results.targets[0].groups == together.FAILING
    assert {one.verdict for one in results.results} == {"conforms"}


def test_calls_of_a_form_of_which_some_conform_are_made_together_further(tmp_path: Path) -> None:
    pairs = zip(copies("lucky", together.TRIED), copies("unlucky", together.TRIED), strict=True)
    cases = [
        replace(case, id=f"{case.id}-{n}-{side}") for n, both in enumerate(pairs) for side, case in enumerate(both)
    ]
    results = ran(tmp_path, "wrong_of_13", mode="compile-many", cases=cases)
    [last] = [one for one in results.results if one.case == cases[-2].id]
    assert (last.verdict, last.together is None) == ("conforms", False)


def test_doubtful_results_are_not_made_alone_without_end_if_they_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "CHECKED", 2)
    results = ran(tmp_path, "hangs_alone", cases=copies("lucky", 12))
    verdicts = [one.verdict for one in results.results if one.clause.endswith(".lucky")]
    assert 1 <= verdicts.count("hung") <= HangLimits().of_clause
    assert verdicts.count("hung") + verdicts.count("blocked") == 13


def test_a_doubtful_result_is_not_reported_if_the_target_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "CHECKED", 2)
    distrust = Together._distrust

    def gives_up(self: Together, attempt: CallAttempt) -> None:
        distrust(self, attempt)
        raise GaveUp("no more")

    monkeypatch.setattr(Together, "_distrust", gives_up)
    found = of_api(ran(tmp_path, "wrong_alone"), "wrong_alone")
    assert {name: one.verdict for name, one in found.items()} == {
        "lucky": "blocked", "unlucky": "blocked", "lucky-again": "blocked", "outside": "blocked"
    }  # fmt: skip


def test_the_first_calls_of_a_worker_are_those_that_it_makes_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier call that changed a later result is searched among them."""
    histories: list[int] = []
    together_of_client = Client.together

    def counted(client: Client, calls: Sequence[ApiCall]) -> object:
        client.close()
        made = together_of_client(client, calls)
        histories.append(len(client.worker_calls))
        return made

    monkeypatch.setattr(Client, "together", counted)
    ran(tmp_path, "right")
    assert {*histories} == {3}

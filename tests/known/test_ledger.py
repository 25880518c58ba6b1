from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.known.ledger import Ledger
from conformance.results.records import ResultRecord, UnexpectedRecord
from tests.known.small import TARGET, case_facts, entry, known_divergences, ledger, mapping, result

BOTH = ("rank/first", "rank/second")


def after(of: Ledger, *results: ResultRecord) -> list[UnexpectedRecord]:
    """What is stale when these, and no others, were run."""
    for one in results:
        of.note(of.known(one))
    return of.unexpected()


def test_a_result_that_came_out_as_recorded_is_known_by_the_id_of_the_entry(tmp_path: Path) -> None:
    held = ledger(known_divergences(tmp_path))
    assert held.known(result("rank/first", "accepted")).known == "rank"


@pytest.mark.parametrize(
    "other",
    [
        result("rank/first"),
        result("rank/first", "value"),
        result("rank/first", "accepted", "input-changed"),
        result("rank/first", verdict="died"),
        result("range/first", "accepted"),
        result("rank/first", "accepted", api="torch.take"),
        result("rank/first", verdict="observed"),
        result("rank/first", verdict="blocked"),
    ],
)
def test_a_result_of_another_kind_case_or_api_is_not_known(tmp_path: Path, other: ResultRecord) -> None:
    assert ledger(known_divergences(tmp_path)).known(other).known is None


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        ('{version: ">=2.13"}', True),
        ('{version: "==2.13.0"}', True),
        ('{version: "<2.13"}', False),
        ("{device: cpu}", True),
        ("{device: cuda}", False),
        ("{mode: eager}", True),
        ("{mode: compile}", False),
        ("{mode: [compile, eager]}", True),
        ("{mode: [compile, meta]}", False),
        ("{dtype: float32}", True),
        ("{dtype: int32}", False),
        ("{os: Linux}", True),
        ("{os: Darwin}", False),
        ("{arch: x86_64}", True),
        ("{arch: arm64}", False),
        ("{gpu: '*H100*'}", False),
        ('{python: ">=3.11"}', True),
        ('{python: ">=3.12"}', False),
        ('{numpy: ">=2"}', True),
        ('{numpy: "<2"}', False),
        ('{version: ">=2.13", device: cpu, mode: compile}', False),
    ],
)
def test_an_entry_applies_where_all_its_conditions_hold(tmp_path: Path, when: str, holds: bool) -> None:
    known = ledger(known_divergences(tmp_path, entry(when=when))).known(result("rank/first", "accepted")).known
    assert known == ("rank" if holds else None)


@pytest.mark.parametrize(
    ("when", "other", "elsewhere"),
    [
        ('{version: "<2.13"}', result("rank/first", "value"), "rank"),
        ("{mode: compile}", result("rank/first", verdict="died"), "rank"),
        ('{version: "<2.13"}', result("range/first", "accepted"), None),
        ('{version: "<2.13"}', result("rank/first", "accepted", api="torch.take"), None),
        ('{version: "<2.13"}', result("rank/first"), None),
        ('{version: ">=2.13"}', result("rank/first", "accepted"), None),
        ('{version: ">=2.13"}', result("rank/first", "value"), None),
    ],
)
def test_a_failure_that_is_recorded_for_other_versions_only_names_the_entry(
    tmp_path: Path, when: str, other: ResultRecord, elsewhere: str | None
) -> None:
    assert ledger(known_divergences(tmp_path, entry(when=when))).known(other).elsewhere == elsewhere


def test_of_the_entries_for_other_versions_the_one_with_the_same_failure_is_named(tmp_path: Path) -> None:
    older = '{version: "<2.13"}'
    second = entry(when=older).removeprefix("divergences:\n").replace("  rank:", "  second:")
    two = known_divergences(tmp_path, entry(kind="died", when=older) + second)
    assert ledger(two).known(result("rank/first", "accepted")).elsewhere == "second"
    assert ledger(two).known(result("rank/first", "value")).elsewhere == "rank"


def test_a_kind_of_device_stands_for_each_device_of_it(tmp_path: Path) -> None:
    held = ledger(known_divergences(tmp_path, entry(when="{device: cuda}")), replace(TARGET, device="cuda:1", gpu=True))
    assert held.known(result("rank/on-a-gpu", "accepted")).known == "rank"


@pytest.mark.parametrize(("model", "holds"), [("NVIDIA H100 80GB HBM3", True), ("NVIDIA A100", False), (None, False)])
def test_a_pattern_of_models_stands_for_the_gpus_that_it_matches(
    tmp_path: Path, model: str | None, holds: bool
) -> None:
    target = replace(TARGET, device="cuda", gpu=True, gpu_name=model)
    held = ledger(known_divergences(tmp_path, entry(when="{gpu: '*H100*'}")), target)
    assert held.known(result("rank/on-a-gpu", "accepted")).known == ("rank" if holds else None)


def test_a_behaviour_that_is_recorded_must_be_the_one_that_is_seen(tmp_path: Path) -> None:
    held = ledger(known_divergences(tmp_path, entry(behaviour="clamps")))
    assert held.known(result("rank/first", "accepted", behaviour="clamps")).known == "rank"
    assert held.known(result("rank/first", "accepted", behaviour="fills")).known is None


def test_a_death_is_known_by_its_own_word(tmp_path: Path) -> None:
    held = ledger(known_divergences(tmp_path, entry(kind="died")))
    assert held.known(result("rank/first", verdict="died")).known == "rank"
    assert held.known(result("rank/first", verdict="hung")).known is None


def test_an_entry_that_happens_in_one_of_its_cases_is_not_stale(tmp_path: Path) -> None:
    held = ledger(known_divergences(tmp_path))
    assert after(held, result("rank/first", "accepted"), result("rank/second")) == []


def test_an_entry_that_no_longer_happens_is_stale_with_its_place_and_target(tmp_path: Path) -> None:
    [unexpected] = after(ledger(known_divergences(tmp_path)), *map(result, BOTH))
    assert (unexpected.entry, unexpected.how, unexpected.cases) == ("rank", "passed", ["gather_elements.rule.rank/*"])
    assert "divergences.yaml:2: rank, on torch==2.13.0@cpu: unexpected pass: no longer happens" in unexpected.says


def test_an_entry_is_not_stale_where_some_of_its_cases_were_not_run(tmp_path: Path) -> None:
    assert after(ledger(known_divergences(tmp_path)), result("rank/first")) == []
    assert after(ledger(known_divergences(tmp_path))) == []


def test_a_case_that_is_blocked_tells_nothing_of_its_entry(tmp_path: Path) -> None:
    assert (
        after(ledger(known_divergences(tmp_path)), result("rank/first"), result("rank/second", verdict="blocked")) == []
    )


def test_an_entry_is_not_stale_on_a_target_that_it_does_not_speak_of(tmp_path: Path) -> None:
    assert after(ledger(known_divergences(tmp_path, entry(when='{version: "<2"}'))), *map(result, BOTH)) == []


def test_an_entry_about_draws_is_not_stale_where_other_draws_do_not_show_it(tmp_path: Path) -> None:
    drawn = [case_facts("gather_elements.rule.rank/draw.0", "float32", generated=True)]
    held = Ledger(
        known_divergences(tmp_path, entry(cases="gather_elements.rule.rank/draw.*")),
        TARGET,
        drawn,
        [mapping()],
    )
    assert after(held, result("rank/draw.0")) == []
    assert held.known(result("rank/draw.0", "accepted")).known == "rank"


def test_a_case_of_another_kind_of_device_need_not_be_run(tmp_path: Path) -> None:
    text = entry(cases='["gather_elements.rule.rank/first", "gather_elements.rule.rank/on-a-gpu"]')
    [unexpected] = after(ledger(known_divergences(tmp_path, text)), *map(result, BOTH))
    assert unexpected.cases == ["gather_elements.rule.rank/first"]


def test_each_pattern_of_an_entry_is_stale_on_its_own(tmp_path: Path) -> None:
    text = entry(cases='["gather_elements.rule.rank/first", "gather_elements.rule.rank/second"]')
    [unexpected] = after(
        ledger(known_divergences(tmp_path, text)), result("rank/first", "accepted"), result("rank/second")
    )
    assert unexpected.cases == ["gather_elements.rule.rank/second"]


def test_what_happens_in_another_way_than_recorded_is_told_as_that(tmp_path: Path) -> None:
    [unexpected] = after(ledger(known_divergences(tmp_path)), result("rank/first", "value"), result("rank/second"))
    assert unexpected.how == "changed"
    assert "value in gather_elements.rule.rank/first; recorded is accepted" in unexpected.says


def test_what_happens_with_another_behaviour_is_told_as_that_even_in_a_selection(tmp_path: Path) -> None:
    held = ledger(known_divergences(tmp_path, entry(behaviour="clamps")))
    [unexpected] = after(held, result("rank/first", "accepted", behaviour="fills"))
    assert "accepted (fills) in gather_elements.rule.rank/first; recorded is accepted (clamps)" in unexpected.says


def test_what_happens_sometimes_is_not_stale_when_it_does_not(tmp_path: Path) -> None:
    text = entry(kind="died", sometimes="true")
    assert after(ledger(known_divergences(tmp_path, text)), *map(result, BOTH)) == []
    assert after(ledger(known_divergences(tmp_path, text)), result("rank/first", "value"), result("rank/second")) == []


def test_only_what_an_entry_says_to_happen_sometimes_is_intermittent(tmp_path: Path) -> None:
    died, wrong = result("rank/first", verdict="died"), result("rank/first", "value")
    sometimes = ledger(known_divergences(tmp_path, entry(kind="died", sometimes="true")))
    assert [sometimes.is_intermittent(one) for one in (died, wrong)] == [True, False]
    each_time = ledger(known_divergences(tmp_path, entry(kind="died")))
    assert [each_time.is_intermittent(one) for one in (died, wrong)] == [False, False]


@pytest.mark.parametrize(
    ("named", "kinds", "is_known"),
    [
        (["value"], ["value"], True),
        (["value"], ["value", "contaminated"], True),
        (["value", "contaminated"], ["value", "contaminated"], True),
        (["value", "contaminated"], ["value", "contaminated", "unstable"], True),
        (["value", "contaminated"], ["value"], False),
    ],
)
def test_an_entry_that_names_what_is_right_alone_records_nothing_that_is_wrong_alone(
    tmp_path: Path, named: list[str], kinds: list[str], is_known: bool
) -> None:
    text = entry(kind=f"[{', '.join(named)}]", sometimes="true")
    [one] = known_divergences(tmp_path, text).entries
    assert one.records(result("rank/first", *kinds)) is is_known


def test_what_happens_sometimes_is_known_after_other_calls_and_in_a_fresh_process(tmp_path: Path) -> None:
    held = ledger(known_divergences(tmp_path, entry(kind="died", sometimes="true")))
    assert held.known(result("rank/first", "contaminated", verdict="died")).known == "rank"
    assert held.known(result("rank/first", verdict="died")).known == "rank"
    assert held.known(result("rank/first", "value", "contaminated")).known is None


def test_a_second_entry_may_know_what_the_first_does_not(tmp_path: Path) -> None:
    second = entry(cases="gather_elements.rule.rank/second", kind="value").replace("  rank:", "  second:")
    held = ledger(known_divergences(tmp_path, entry() + second.partition("\n")[2]))
    assert after(held, result("rank/first", "accepted"), result("rank/second", "value")) == []
    assert held.known(result("rank/second", "value")).known == "second"

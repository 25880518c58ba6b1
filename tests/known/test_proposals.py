from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.judging.vocabulary import FailOn
from conformance.known.model import KnownDivergences
from conformance.known.proposals import Proposal, not_known, proposals
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from tests.known.small import TARGET, entry, known_divergences, result, results


def proposed(*read: Results, known: KnownDivergences | None = None, fail_on: FailOn = "own") -> list[Proposal]:
    known = known or KnownDivergences()
    found = [one for results in read for one in not_known(results, results.targets, known, fail_on)]
    return proposals(found, read, known)


def version(number: str) -> TargetRecord:
    return replace(TARGET, id=f"torch=={number}@cpu", version=number)


def test_cases_of_one_clause_that_come_out_alike_are_one_entry_with_a_pattern() -> None:
    [one] = proposed(results(result("rank/a", "accepted"), result("rank/b", "accepted"), result("range/a")))
    assert (one.id, one.cases) == ("gather-rank", ("gather_elements.rule.rank/*",))
    assert (one.api, one.kinds) == ("torch.gather", ("accepted",))
    assert one.when == {"version": "==2.13.0", "device": "cpu", "mode": "eager"}


def test_a_pattern_never_covers_a_case_that_came_out_otherwise() -> None:
    [one] = proposed(results(result("rank/a", "accepted"), result("rank/b"), result("rank/c", "accepted")))
    assert one.cases == ("gather_elements.rule.rank/a", "gather_elements.rule.rank/c")


def test_other_kinds_are_other_entries_with_other_names_and_other_clauses_are_patterns_of_one() -> None:
    made = proposed(results(result("rank/a", "accepted"), result("rank/b", "value"), result("range/a", "value")))
    assert [(one.id, one.kinds, one.cases) for one in made] == [
        ("gather-rank", ("value",), ("gather_elements.rule.rank/b", "gather_elements.rule.range/a")),
        ("gather-rank-2", ("accepted",), ("gather_elements.rule.rank/a",)),
    ]


def test_versions_on_which_other_cases_fail_have_entries_of_their_own() -> None:
    both = results(result("rank/a", "value"), result("range/a", "value"), target=version("2.9.0"))
    one = results(result("rank/a", "value"), result("range/a"), target=version("2.10.0"))
    made = proposed(both, one)
    assert [(entry.when["version"], len(entry.cases)) for entry in made] == [("==2.9.0", 2), ("==2.10.0", 1)]


def test_portability_is_left_out_unless_it_is_asked_for_but_deaths_are_not() -> None:
    read = results(
        result("rank/a", "value", standing="portability"), result("range/a", verdict="died", standing="portability")
    )
    assert [one.kinds for one in proposed(read)] == [("died",)]
    assert len(proposed(read, fail_on="any")) == 2


def test_results_that_are_known_by_now_are_left_out(tmp_path: Path) -> None:
    known = known_divergences(tmp_path)
    assert proposed(results(result("rank/a", "accepted")), known=known) == []
    assert proposed(results(result("range/a", "accepted", known="gone")), known=known) != []


def test_a_counterexample_is_known_where_its_draws_are(tmp_path: Path) -> None:
    known = known_divergences(tmp_path, entry(cases="gather_elements.rule.rank/draw.*"))
    small = result("rank/found.1234", "accepted")
    read = results(counterexamples=[small], generated=[result("rank/draw.3", "accepted")])
    assert proposed(read, known=known) == []
    assert [one.cases for one in proposed(read)] == [("gather_elements.rule.rank/*",)]
    kept_in_the_specs = replace(read, cases={**read.cases, small.case: replace(read.cases[small.case], number=3)})
    assert [one.cases for one in proposed(kept_in_the_specs, known=known)] == [
        ("gather_elements.rule.rank/found.1234",)
    ]


def test_versions_that_follow_each_other_are_one_range_and_others_are_not() -> None:
    bad, good = result("rank/a", "accepted"), result("rank/a")
    read = [
        results(one, target=version(number))
        for number, one in [("2.9.0", bad), ("2.10.0", bad), ("2.11.0", good), ("2.13.0", bad)]
    ]
    made = proposed(*read)
    assert [one.when["version"] for one in made] == [">=2.9.0,<=2.10.0", "==2.13.0"]
    assert [one.id for one in made] == ["gather-rank", "gather-rank-2"]


def test_a_behaviour_is_recorded_where_all_cases_share_it() -> None:
    clamps = result("rank/a", "accepted", behaviour="clamps")
    assert proposed(results(clamps))[0].behaviour == "clamps"
    assert proposed(results(clamps, result("rank/b", "accepted", behaviour="fills")))[0].behaviour is None


def test_draws_are_one_pattern_whatever_the_seed() -> None:
    drawn = [*(result(f"rank/{name}", "value") for name in ("draw.1", "draw.7")), result("rank/draw.2")]
    small = result("rank/found.ab12", "value")
    [one] = proposed(results(result("rank/a", "value"), generated=drawn, counterexamples=[small]))
    assert one.cases == ("gather_elements.rule.rank/a", "gather_elements.rule.rank/draw.*")

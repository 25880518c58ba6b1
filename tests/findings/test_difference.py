from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter
from rich.console import Console

from conformance.findings.difference import Difference, SpecCase, difference
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Outcome, Unsupported, Warned
from conformance.reports.difference import difference_document, grouped
from conformance.reports.terminal import show
from conformance.results.codec import encoded
from conformance.results.file import Results, record_line
from conformance.results.records import (
    CaseRecord,
    EndRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from conformance.results.variations import FoundRecord
from tests.outcomes import SEGFAULT, raised, returned

RIGHT = returned([1, 2])
WRONG = returned([1, 3])
RAISED = raised("IndexError", "out of bounds")
OLD, NEW = "frame==1.0@cpu", "frame==1.1@cpu"


def target(name: str, mode: str = "eager", blocked: str | None = None) -> TargetRecord:
    framework, _, version = name.partition("@")[0].partition("==")
    return TargetRecord(name, framework, version or None, "cpu", mode, blocked=blocked)


def case(name: str, digest: str = "1") -> CaseRecord:
    return CaseRecord(name, name.partition("/")[0], "gather_nd", {}, {"raises": True}, {}, digest, "specs/x.yaml:1")


def result(name: str, outcome: Outcome, verdict: Any = "conforms", **more: Any) -> ResultRecord:
    given = {"target": OLD, "api": "frame.gather", "standing": "portability", **more}
    return ResultRecord(case=name, clause=name.partition("/")[0], outcome=outcome, verdict=verdict, **given)


def file(*results: ResultRecord, cases: list[CaseRecord] | None = None, targets: Any = None, **more: Any) -> Results:
    names = dict.fromkeys(one.target for one in results)
    listed = cases if cases is not None else [case(name) for name in dict.fromkeys(one.case for one in results)]
    return Results(
        RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0"),
        targets=targets or [target(name) for name in names],
        cases={one.id: one for one in listed},
        results=list(results),
        **{"end": EndRecord(complete=True, counts={}), **more},
    )


def ids(cases: Iterable[SpecCase]) -> list[str]:
    return [one.case for one in cases]


def text(changed: Difference, *files: Results, width: int = 500) -> str:
    """What the terminal shows; the files are only named."""
    first, second = files or (file(), file())
    shown = io.StringIO()
    document = difference_document(changed, ("one", "two"), (first, second), "own")
    show(document, Console(file=shown, width=width))
    return shown.getvalue().rstrip("\n")


def test_a_file_beside_itself_differs_in_nothing() -> None:
    one = file(result("c.rule.a/1", RIGHT), result("c.rule.a/2", RAISED))
    changed = difference(one, one)
    assert changed.is_empty
    assert changed.same == 2
    assert text(changed).endswith("Nothing changed.")


def test_time_warnings_and_the_wording_of_an_error_are_no_behaviour() -> None:
    worded = replace(raised("IndexError", "index 7"), warnings=(Warned("x", 1),))
    changed = difference(file(result("a/1", RAISED)), file(result("a/1", worded, seconds=3.0)))
    assert changed.is_empty


@pytest.mark.parametrize(
    "after",
    [
        result("a/1", WRONG),
        result("a/1", RAISED),
        result("a/1", RIGHT, "observed"),
        result("a/1", RIGHT, "diverges", divergence=["aliased"]),
        result("a/1", SEGFAULT, "died"),
    ],
    ids=["digest", "status", "verdict", "kind", "death"],
)
def test_value_status_verdict_kind_and_death_are_behaviour(after: ResultRecord) -> None:
    changed = difference(file(result("a/1", RIGHT)), file(after))
    assert [(one.first.case, one.second) for one in changed.changes] == [("a/1", after)]


def test_the_type_of_an_error_and_the_word_for_a_behaviour_are_behaviour() -> None:
    other = raised("ValueError", "out of bounds")
    assert len(difference(file(result("a/1", RAISED)), file(result("a/1", other))).changes) == 1
    words = [file(result("a/1", WRONG, "observed", behaviour=word)) for word in ("clamps", "ignores", None)]
    assert len(difference(words[0], words[1]).changes) == 1
    # a suite that has no word for it yet tells nothing about the framework
    assert difference(words[0], words[2]).is_empty


def test_two_versions_of_a_framework_are_one_target_and_two_modes_are_two() -> None:
    before = file(result("a/1", RIGHT))
    changed = difference(before, file(result("a/1", WRONG, target=NEW)))
    assert [pair.text for pair in changed.pairs] == [f"{OLD} -> {NEW}"]
    assert len(changed.changes) == 1
    compiled = file(result("a/1", WRONG, target=NEW), targets=[target(NEW, mode="compile")])
    changed = difference(before, compiled)
    assert (changed.pairs, changed.changes) == ((), ())
    assert [*changed.gone_targets, *changed.new_targets] == [OLD, NEW]


def test_the_same_version_is_taken_before_another_one() -> None:
    both = file(result("a/1", RIGHT), result("a/1", WRONG, target=NEW))
    assert difference(both, file(*reversed(both.results))).is_empty


def test_an_edited_case_is_kept_apart_from_behaviour() -> None:
    before = file(result("a/1", RIGHT), result("a/2", RIGHT), cases=[case("a/1", "1"), case("a/2")])
    after = file(
        result("a/1", WRONG, "diverges", standing="own", divergence=["value"]),
        result("a/3", RIGHT),
        cases=[case("a/1", "2"), case("a/3")],
    )
    changed = difference(before, after)
    assert changed.changes == ()
    assert [(one.case, one.results, one.changed) for one in changed.edited] == [("a/1", 1, 1)]
    assert (ids(changed.new_cases), ids(changed.gone_cases)) == (["a/3"], ["a/2"])
    assert not changed.fails("any")


@pytest.mark.parametrize(
    ("before", "after", "own", "any_"),
    [
        (("conforms", "own", []), ("diverges", "own", ["value"]), True, True),
        (("conforms", "portability", []), ("diverges", "portability", ["value"]), False, True),
        (("conforms", "portability", []), ("died", "portability", []), True, True),
        (("diverges", "portability", ["value"]), ("diverges", "own", ["value"]), True, True),
        (("diverges", "own", ["value"]), ("diverges", "own", ["shape"]), True, True),
        (("diverges", "own", ["value"]), ("diverges", "own", ["value"]), False, False),
        (("diverges", "own", ["value"]), ("conforms", "own", []), False, False),
        (("conforms", "own", []), ("blocked", "own", []), False, False),
    ],
)
def test_a_regression_is_what_a_run_fails_on_and_did_not_before(before: Any, after: Any, own: bool, any_: bool) -> None:
    left, right = (
        result("a/1", outcome, verdict, standing=standing, divergence=kinds)
        for outcome, (verdict, standing, kinds) in ((RIGHT, before), (WRONG, after))
    )
    changed = difference(file(left), file(right))
    assert (changed.fails("own"), changed.fails("any"), changed.fails("never")) == (own, any_, False)


@pytest.mark.parametrize(
    ("before", "lost"),
    [
        ((RIGHT, "conforms", []), True),
        ((RAISED, "conforms", []), True),
        ((WRONG, "diverges", ["value"]), True),
        ((RIGHT, "observed", []), True),
        ((RAISED, "observed", []), False),
        ((RAISED, "diverges", ["rejected"]), False),
        ((RAISED, "blocked", []), False),
        ((RIGHT, "unsupported", []), False),
    ],
)
def test_a_call_that_was_supported_and_is_not_any_more_is_a_regression(before: Any, lost: bool) -> None:
    outcome, verdict, kinds = before
    absent = result("a/1", Unsupported("no kernel"), "unsupported", explanation="no kernel")
    changed = difference(file(result("a/1", outcome, verdict, divergence=kinds)), file(absent))
    assert (changed.fails("own"), changed.fails("any"), changed.fails("never")) == (lost, lost, False)
    assert ("Was supported, now is not: 1 result" in text(changed)) is lost


def test_a_target_that_no_longer_starts_is_a_regression_and_not_a_hundred_of_them() -> None:
    before = file(result("a/1", RIGHT))
    after = file(cases=[case("a/1")], targets=[target("frame", blocked="no module named frame")])
    changed = difference(before, after)
    assert (len(changed.stopped), changed.changes, changed.gone_apis) == (1, (), ())
    assert changed.fails("own")
    assert "no longer starts: frame==1.0@cpu -> frame: no module named frame" in text(changed)


def test_an_api_that_is_gone_is_told_once() -> None:
    before = file(*(result(f"a/{number}", RIGHT, api=api) for number in (1, 2) for api in ("frame.a", "frame.b")))
    after = file(*(result(f"a/{number}", RIGHT, api="frame.a") for number in (1, 2)))
    changed = difference(before, after)
    assert [one.api for one in changed.gone_apis] == ["frame.b"]
    assert changed.fails("own")
    assert not changed.fails("never")
    assert "1 API removed (exit status 1 with --fail-on own)" in text(changed)
    assert changed.missing == 0


def test_results_that_a_broken_off_run_lacks_are_counted_and_not_called_gone() -> None:
    before = file(result("a/1", RIGHT), result("a/2", RIGHT))
    after = file(result("a/1", RIGHT), cases=[case("a/1"), case("a/2")], end=None)
    changed = difference(before, after)
    assert (changed.missing, changed.gone_cases, changed.changes) == (1, (), ())
    assert "1 result exists in only one of the files" in text(changed)


def test_cases_that_change_alike_are_one_line_with_a_count_and_worse_comes_first() -> None:
    odd = [result(f"a.rule.odd/{number}", RAISED, "observed") for number in range(3)]
    bad = [result(f"a.rule.bad/{number}", RIGHT, standing="own") for number in range(4)]
    after_odd = [replace(one, outcome=RIGHT) for one in odd]
    after_bad = [replace(one, verdict="diverges", divergence=["value"], outcome=WRONG) for one in bad]
    changed = difference(file(*odd, *bad), file(*after_odd, *after_bad))
    assert [len(group.changes) for group in grouped(changed.changes)] == [4, 3]
    said = text(changed)
    assert "frame.gather, a.rule.bad, 4 cases: conforms -> diverges (own: value)" in said
    assert said.index("now breaks its own documentation") < said.index("a.rule.odd, 3 cases")
    assert "e.g. a.rule.bad/0" in said


def test_bytes_that_are_others_each_time_are_no_change() -> None:
    varies, steady = Determinism(4, 2, "varies", permitted=True), Determinism(4, 1, "same-bits", permitted=True)
    one = result("c.behaviour.a/1", RIGHT, determinism=varies)
    for determinism in (varies, steady):
        other = result("c.behaviour.a/1", WRONG, determinism=determinism)
        assert difference(file(one), file(other)).is_empty
        assert difference(file(other), file(one)).is_empty
    wrong = result("c.behaviour.a/1", WRONG, "diverges", divergence=["value"], determinism=varies)
    assert len(difference(file(one), file(wrong)).changes) == 1


@pytest.mark.parametrize("selection", ["--operation a", "--api 'frame.a*'"])
def test_an_api_whose_calls_one_of_the_runs_did_not_select_is_neither_gone_nor_new(selection: str) -> None:
    both = result("a/1", RIGHT, api="frame.a")
    more = result("b/1", RIGHT, api="frame.b"), result("a/1", RIGHT, api="frame.c")
    whole = file(both, *more)
    selected = file(both, cases=[case("a/1"), *([case("b/1")] if "--api" in selection else [])])
    selected = replace(selected, run=replace(selected.run, selection=selection))
    known = [] if "--api" in selection else ["frame.c"]  # the call of frame.c is one that both runs selected
    assert [one.api for one in difference(selected, whole).new_apis] == known
    assert [one.api for one in difference(whole, selected).gone_apis] == known
    assert len(difference(replace(selected, run=whole.run), whole).new_apis) == 2


@pytest.mark.parametrize("part", [{"selection": "-k b"}, {"shard": "1/2"}])
def test_what_a_selection_or_a_shard_leaves_out_is_not_gone(part: dict[str, str]) -> None:
    whole = file(result("c.rule.a/1", RIGHT), result("c.rule.b/1", RIGHT))
    some = file(result("c.rule.b/1", RIGHT))
    assert ids(difference(whole, some).gone_cases) == ["c.rule.a/1"]
    assert ids(difference(some, whole).new_cases) == ["c.rule.a/1"]
    asked = replace(some, run=replace(some.run, **part))  # type: ignore[arg-type]
    for changed in (difference(whole, asked), difference(asked, whole)):
        assert changed.is_empty
        assert "are not listed as new or removed" in text(changed)
    assert next(iter(part.values())) in text(difference(whole, asked), whole, asked)
    same = replace(whole, run=asked.run)
    assert ids(difference(same, asked).gone_cases) == ["c.rule.a/1"]


def test_a_counterexample_that_a_run_made_is_no_case_of_the_specs() -> None:
    found = replace(case("c.rule.a/found.1234"), variation=FoundRecord())
    plain = file(result("c.rule.a/1", RIGHT))
    more = file(
        result("c.rule.a/1", RIGHT),
        result(found.id, WRONG, "diverges", divergence=["value"]),
        cases=[case("c.rule.a/1"), found],
    )
    assert difference(plain, more).new_cases == ()
    assert difference(more, plain).gone_cases == ()


@pytest.mark.parametrize("verdict", ["blocked", "unsupported"])
def test_calls_without_a_judgement_are_the_same_whatever_they_raised(verdict: str) -> None:
    changed = difference(file(result("a/1", RAISED, verdict)), file(result("a/1", raised("TypeError"), verdict)))
    assert (changed.is_empty, changed.same, changed.not_comparable) == (True, 1, {})
    assert text(changed).endswith("Nothing changed.")
    # But it is a change if one of them has a judgement.
    assert len(difference(file(result("a/1", RAISED, verdict)), file(result("a/1", RAISED))).changes) == 1


def test_nothing_compared_is_not_nothing_changed() -> None:
    first, second = file(result("a/1", RIGHT)), file(result("a/2", RIGHT))
    other = file(result("a/1", RIGHT, target="other==1.0@cpu"))
    unconfirmed = file(result("a/1", WRONG, "diverges", divergence=["value"], confirmed="no"))
    edited = replace(first, cases={"a/1": case("a/1", "another digest")})
    for files, reason in (
        ((first, second), "no case on an API is in both files"),
        ((first, other), "no target is in both files"),
        ((first, unconfirmed), "no result in both files is comparable"),
        ((first, edited), "every case of both files was edited"),
    ):
        changed = difference(*files)
        assert changed.compared == 0
        assert [changed.exit_status(fail_on) for fail_on in ("own", "any", "never")] == [5, 5, 5]
        assert text(changed).endswith(f"Nothing could be compared, since {reason} (exit status 5).")


def test_an_incomplete_file_is_no_success_even_if_nothing_changed() -> None:
    whole = file(result("a/1", RIGHT))
    for files in ((whole, replace(whole, end=None)), (replace(whole, end=None), whole)):
        changed = difference(*files)
        assert (changed.is_empty, changed.incomplete, changed.exit_status("own")) == (True, True, 2)
        assert "(exit status 2, since a file is incomplete)" in " ".join(text(changed).split())


def test_a_target_that_no_longer_starts_is_a_regression_although_nothing_could_be_compared() -> None:
    before = file(result("a/1", RIGHT))
    after = file(cases=[case("a/1")], targets=[target("frame", blocked="no module named frame")])
    assert [difference(before, after).exit_status(fail_on) for fail_on in ("own", "never")] == [1, 0]


def test_calls_with_different_casts_are_not_comparable_and_said() -> None:
    changed = difference(file(result("a/1", RIGHT)), file(result("a/1", WRONG, cast={"indices": "int64"})))
    assert (changed.changes, changed.not_comparable) == ((), {"cast": 1})
    assert "1 not comparable (1 with indices cast to different dtypes)" in text(changed)


def test_control_characters_of_a_file_are_shown_escaped() -> None:
    one = file(result("a/1", RIGHT))
    evil = "\x1b]0;owned\x07"
    run = replace(one.run, started=evil, suite_version=evil, shard=evil, selection=evil)
    other = file(result("a/1", raised(f"Index{evil}"), api=f"frame{evil}"), result("a/1", raised(f"Index{evil}")))
    shown = text(difference(one, other), replace(one, run=run), other)
    assert "\x1b" not in shown
    assert "#x1B]0;owned#x07" in shown


def test_programs_get_the_fields_of_the_types_and_of_the_records() -> None:
    changed = difference(file(result("a/1", RIGHT)), file(result("a/1", WRONG, "died", standing="own")))
    told = json.loads(encoded(changed))
    [change] = told["changes"]
    assert change["first"] == json.loads(record_line(changed.changes[0].first))
    assert (change["was"], change["now"], change["regression"]) == ("conforms", "died", "own")
    assert TypeAdapter(Difference).validate_json(encoded(changed)) == changed

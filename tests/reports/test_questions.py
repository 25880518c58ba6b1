"""The questions that readers ask most."""

from __future__ import annotations

from dataclasses import replace

from conformance.findings.conclusions import Conclusions
from conformance.findings.timeline import timelines
from conformance.reports.html.questions import Question, questions
from conformance.results.file import Results
from tests.outcomes import SEGFAULT
from tests.reports.sample import sample
from tests.reports.sample_cases import TORCH
from tests.reports.sample_several import OLDER, TWO_BY_TWO, several


def asked(results: Results, name: str) -> Question:
    return next(one for one in questions(Conclusions(results), timelines(results)) if one.name == name)


def told(results: Results, name: str) -> list[tuple[str, str, str]]:
    return [(one.first.api, one.word, one.count) for one in asked(results, name).answers]


def test_each_question_is_there_once_with_or_without_an_answer() -> None:
    names = [one.name for one in questions(Conclusions(replace(sample(), results=[])), [])]
    assert len(set(names)) == len(names) >= 6
    assert not any(one.answers for one in questions(Conclusions(replace(sample(), results=[])), []))


def test_what_breaks_its_own_documentation_is_told_by_clause_api_and_kind() -> None:
    assert told(sample(), "own") == [
        ("torch.gather", "value", "1 of 1 case"),
        ("mindspore.ops.scatter_nd", "accepted", "1 of 3 cases"),
        ("mindspore.ops.scatter_nd", "error-type", "1 of 3 cases"),
    ]


def test_what_died_or_hung_is_told_whatever_its_standing() -> None:
    assert sorted(told(sample(), "ends")) == [
        ("tf.raw_ops.ScatterNd", "died", "2 of 3 cases"),
        ("tf.scatter_nd", "hung", "1 of 1 case"),
    ]


def test_what_a_ledger_knows_is_not_new_and_a_portability_divergence_never_is() -> None:
    found = asked(sample(), "new").answers
    assert len(found) == 4
    assert all(one.first.known is None and one.sort in ("own", "died", "hung") for one in found)


def test_a_result_that_varies_says_how() -> None:
    words = [(one.first.api, one.reason) for one in asked(several(), "varies").answers]
    assert [api for api, _ in words] == ["mindspore.ops.scatter_nd"] * 2
    assert "3 different" in str(words[0][1])
    assert "unstable" in asked(several(), "varies").answers[1].word


def test_what_changed_since_the_previous_version_is_told_with_both_behaviours() -> None:
    [change] = asked(several(), "changed").answers
    assert (change.first.api, change.word, change.count) == (
        "torch.gather",
        "raises IndexError → returns",
        "1 case",
    )
    assert change.reason == f"From {OLDER} to torch==2.13.0@cpu"


def test_modes_and_devices_that_disagree_are_told_with_both_behaviours_and_targets() -> None:
    results = several()
    torch = next(one for one in results.targets if one.id == TORCH)
    for kind, other in (
        ("modes", replace(torch, id="torch==2.13.0[compile]@cpu", mode="compile")),
        ("devices", replace(torch, id="torch==2.13.0@cuda", device="cuda")),
    ):
        [one] = [
            one for one in results.results if (one.case, one.api, one.target) == (TWO_BY_TWO, "torch.gather", TORCH)
        ]
        died = replace(one, target=other.id, outcome=SEGFAULT, verdict="died")
        both = replace(results, targets=[torch, other], results=[one, died])
        [found] = asked(both, kind).answers
        assert (found.word, found.count) == ("returns ↔ died (SIGSEGV)", "1 of 1 case")
        assert found.reason == f"{TORCH} ↔ {other.id}"
        assert not asked(both, "devices" if kind == "modes" else "modes").answers

"""The first line of the page of an API, and what stands beside its situations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.conclusions import Conclusions
from conformance.outcomes.model import Outcome
from conformance.reports.site.api_page import ApiPages, Row, Section
from conformance.reports.site.facts import Facts
from conformance.reports.site.port_page import Ports
from conformance.results.file import Results
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    DocumentRecord,
    MappingRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from tests.findings.test_recorded_call import record
from tests.outcomes import UNSUPPORTED, raised, returned

TARGET = TargetRecord("torch==1@cpu", "torch", "1", "cpu", "eager", title="PyTorch")
CALL = record("gather_nd", params={"float32": [5, 6, 7]}, indices={"int64": [[1]]})
USUAL = replace(CALL, expectation={"returns": {}})
NEGATIVE = [
    replace(
        record("gather_nd", params={"float32": [5, 6, 7]}, indices={"int64": [[-index]]}), expectation={"raises": True}
    )
    for index in (1, 2, 3)
]
KERNEL = MappingRecord(TARGET.id, "f", "gather_nd", False, "...")


def headline(
    *calls: tuple[CaseRecord, Outcome, dict[str, Any]],
    claims: tuple[CitationRecord, ...] = (),
    mapping: MappingRecord = KERNEL,
    target: TargetRecord = TARGET,
    read: tuple[ClaimRecord, ...] = (),
) -> str:
    """Of an API in calls that are held to the claims, each with what it ends in and more about its result.

    read: claims that no clause cites.
    """
    documents = dict.fromkeys(claim.document for claim in claims)
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[target],
        documents=[DocumentRecord(document, "torch", ["f"]) for document in documents],
        claims=list(read),
        clauses={"it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", list(claims), "it.yaml:1")},
        cases={f"it/{at}": replace(case, id=f"it/{at}", clause="it") for at, (case, _, _) in enumerate(calls)},
        mappings=[mapping],
        results=[
            ResultRecord(
                f"it/{at}", TARGET.id, "f", "it", outcome, **{"verdict": "conforms", "standing": "own", **more}
            )
            for at, (_, outcome, more) in enumerate(calls)
        ],
    )
    facts = Facts(Conclusions(results))
    return ApiPages(facts, Ports(facts)).headline(facts.apis["f"])


def claim(document: str, says: str) -> CitationRecord:
    return CitationRecord(document, says[:4], says, official=True)


@pytest.mark.parametrize(
    ("outcome", "more", "does"),
    [
        (returned(), {}, "returns what it should"),
        (raised("TypeError"), {"verdict": "diverges", "divergence": ["rejected"]}, "raises TypeError"),
        (returned(), {"verdict": "diverges", "divergence": ["value"]}, "returns wrong values"),
    ],
)
def test_usual_calls_say_what_they_do_and_that_no_other_tells(
    outcome: Outcome, more: dict[str, Any], does: str
) -> None:
    assert headline((USUAL, outcome, more)) == (
        f"A usual call {does}. No call of this run tells what it does with an index outside, or with positions written twice."
    )


def test_what_becomes_of_an_index_outside_is_said_of_it() -> None:
    skipped = headline((NEGATIVE[0], returned(), {"behaviour": "ignores"}))
    assert skipped == "Negative index: skips it. No document about it is read."


@pytest.mark.parametrize(
    ("untestable", "says"),
    [
        (None, "Its documentation is read for another form of the call only."),
        ("An opinion.", "Its documentation has nothing that a call can test."),
    ],
)
def test_a_documentation_that_is_read_and_about_another_form_is_not_said_to_be_unread(
    untestable: str | None, says: str
) -> None:
    """As that of a function is, whose other modes are APIs of their own."""
    target = replace(TARGET, sentences={"function": ["hash"]})
    form = replace(KERNEL, documentation=["function"])
    on_it = ClaimRecord("page", "F", "1", "It is.", official=True, untestable=untestable, rests={"function": ["hash"]})
    call = (NEGATIVE[0], returned(), {"behaviour": "ignores"})
    assert headline(call, mapping=form, target=target, read=(on_it,)) == f"Negative index: skips it. {says}"
    assert headline(call, mapping=form, target=target).endswith("No document about it is read.")


def test_of_several_verbs_the_number_of_all_calls_is_said_once() -> None:
    calls = [(case, returned(), {"behaviour": "clamps"}) for case in NEGATIVE[:2]]
    assert headline(*calls, (NEGATIVE[2], raised("IndexError"), {})).startswith(
        "Negative index: clamps it in 2 of 3 calls, IndexError in 1."
    )


def test_only_the_document_that_is_most_to_the_point_is_cited() -> None:
    claims = (claim("page", "It raises"), claim("page", "And not on a GPU."), claim("docstring", "An error is raised."))
    line = headline((NEGATIVE[0], raised("IndexError"), {}), claims=claims)
    assert line == "Negative index: IndexError. Its documentation: It raises. And not on a GPU."


def test_an_api_without_a_kernel_and_one_without_a_telling_call_say_so() -> None:
    call = (USUAL, UNSUPPORTED, {"verdict": "unsupported"})
    assert headline(call) == "No call of this run tells what it does."
    assert headline(call, mapping=replace(KERNEL, lacks_kernel=True)) == (
        "PyTorch has no kernel for it on CPU, so no call tells what it does."
    )


def row(old: Outcome, new: Outcome, *claims: CitationRecord, **newest: Any) -> Row:
    """Of a negative index, on an older and a newer version, both held to the claims about them; with more about the newer."""
    newer = replace(TARGET, id="torch==2@cpu", version="2", **newest)
    case = replace(NEGATIVE[0], id="it/1", clause="it")
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[TARGET, newer],
        documents=[DocumentRecord("page", "torch", ["f"])],
        claims=[ClaimRecord("page", "F", each.locator, each.says, official=True) for each in claims],
        clauses={"it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", list(claims), "it.yaml:1")},
        cases={"it/1": case},
        mappings=[replace(KERNEL, target=target.id) for target in (TARGET, newer)],
        results=[
            ResultRecord("it/1", target.id, "f", "it", outcome, "unsupported" if outcome is UNSUPPORTED else "conforms", "own")
            for target, outcome in ((TARGET, old), (newer, new))
        ],
    )  # fmt: skip
    facts = Facts(Conclusions(results))
    section: Section
    [section] = ApiPages(facts, Ports(facts)).context(facts.apis["f"])["sections"]
    return next(each for each in section.rows if each.situation.name == "below-zero")


def test_a_column_in_which_the_documentation_says_something_else_has_it_in_sentences_each_once() -> None:
    words = ("It raises", "It raises", "It says why.", "And where.")
    claims = [replace(claim("page", says), locator=str(number), versions="<2") for number, says in enumerate(words)]
    of_row = row(raised(), raised(), *claims)
    assert [span.cell.says for span in of_row.cells] == [
        "",
        "its documentation: It raises. It says why. And 1 other claim.",
    ]
    assert (of_row.says, of_row.silence) == ([], "Its documentation does not say.")


def test_claims_with_the_same_words_are_one_beside_a_situation() -> None:
    claims = [replace(claim("page", "It raises."), locator=locator) for locator in ("function", "class")]
    assert [each.locator for each in row(raised(), raised(), *claims).says] == ["function"]


def test_the_documentation_is_not_said_to_be_silent_if_nothing_tells_what_the_newest_version_does() -> None:
    """What it says is looked up for the calls that tell something."""
    assert row(raised(), UNSUPPORTED, claim("page", "It raises.")).silence == ""


@pytest.mark.parametrize("newest", [{"unread": {"f": ["page#It r"]}}, {"sentences": {"f": ["new"]}}])
def test_a_documentation_with_sentences_that_nobody_has_read_is_not_said_to_be_silent(newest: dict[str, Any]) -> None:
    """A version has other words than those that a claim rests on, or more of them."""
    of_row = row(raised(), raised(), replace(claim("page", "It raises."), versions="<2"), **newest)
    assert of_row.silence == "The part of its documentation that is read does not say."
    assert (
        row(raised(), raised(), replace(claim("page", "It raises."), versions="<2")).silence
        == "Its documentation does not say."
    )

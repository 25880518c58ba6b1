"""A call is judged by all that the API's own documentation says against it, not only by what its clause cites."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.cases.model import Case
from conformance.execution.attempt import AttemptResult, CallAttempt, History
from conformance.judging.judgement import Judgement
from conformance.judging.standing import DescribedApi, says_result
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import Divergence, Standing
from conformance.outcomes.observation import Observation
from conformance.results.file import Results
from conformance.specification.expressions import compile_expression
from conformance.specification.loader import load_specs
from conformance.specification.model import Citation, Observed, Raises, Rule
from tests.execution.harness import fake_cases, of_operation, result_of, run_adapters
from tests.outcomes import returned

ACCEPTS = """
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "mine", "version": "1.0"}


@api("mine.documented", operation="gather_elements")
def documented(input, dim, index):
    return np.take(input, np.minimum(index, 2))


@api("mine.composed", operation="gather_elements", composed=True)
def composed(input, dim, index):
    return np.take(input, np.minimum(index, 2))


@api("mine.undocumented", operation="gather_elements")
def undocumented(input, dim, index):
    return np.take(input, np.minimum(index, 2))
"""


def _with_a_rule(case: Case) -> Case:
    """The case whose call breaks a rule too that a document of ``mine`` states."""
    [citation, *_] = case.clause.citations
    page = replace(citation.document, id="mine.page", framework="mine", describes=("mine.documented", "mine.composed"))
    rule = Rule("in-range", compile_expression("within(index, 0, 3)", frozenset({"index"})), None, Raises(), ())
    clause = replace(
        case.clause, id="gather_elements.rule.in-range", rule=rule, citations=(Citation(page, citation.claim),)
    )
    return of_operation(case, replace(case.operation, clauses=(*case.operation.clauses, clause)))


def test_a_call_that_a_rule_of_the_apis_own_document_forbids_breaks_that_document(tmp_path: Path) -> None:
    adapter = tmp_path / "mine.py"
    adapter.write_text(ACCEPTS)
    results = run_adapters(tmp_path, [adapter], cases=[_with_a_rule(case) for case in fake_cases()])
    outside = result_of(results, "mine.documented", "outside")
    assert (outside.divergence, outside.standing) == (["accepted"], "own")
    assert "the API's documentation forbids this (mine.page#example.3)" in str(outside.explanation)
    assert result_of(results, "mine.documented", "lucky").standing == "portability"
    for name in ("mine.composed", "mine.undocumented"):
        assert result_of(results, name, "outside").standing == "portability"


def test_a_result_is_not_expected_by_the_document_that_calls_the_call_an_error(tmp_path: Path) -> None:
    adapter = tmp_path / "mine.py"
    adapter.write_text(ACCEPTS)

    def standing(require: str) -> str:
        case = next(case for case in map(_with_a_rule, fake_cases()) if case.clause.name == "lucky")
        error = case.operation.clauses[-1]
        own = replace(case.clause, citations=error.citations)
        error = replace(error, rule=None, require=compile_expression(require, frozenset({"index"})))
        operation = replace(case.operation, clauses=(own, error))
        results = run_adapters(tmp_path, [adapter], cases=[replace(of_operation(case, operation), clause=own)])
        return result_of(results, "mine.documented", "lucky").standing

    assert standing("within(index, 0, 3)") == "own"
    assert standing("index.rank == 5") == "portability"


def test_what_is_left_open_by_one_document_is_decided_by_the_apis_own(tmp_path: Path) -> None:
    adapter = tmp_path / "mine.py"
    adapter.write_text(ACCEPTS)
    outside = next(case for case in map(_with_a_rule, fake_cases()) if case.clause.name == "outside")
    *clauses, rule = outside.operation.clauses
    error = replace(rule, rule=None, require=compile_expression("within(index, 0, 3)", frozenset({"index"})))
    as_behaviour = of_operation(outside, replace(outside.operation, clauses=(*clauses, error)))
    by_name = replace(outside, clause=replace(outside.clause, decided_by=rule.id))
    for case in (by_name, as_behaviour):
        open_ = replace(case, expectation=Observed("nothing is said"))
        _is_decided_by_the_apis_own(run_adapters(tmp_path, [adapter], cases=[open_]))


def test_a_rule_that_does_not_hold_decides_nothing_of_what_the_spec_leaves_open(tmp_path: Path) -> None:
    adapter = tmp_path / "mine.py"
    adapter.write_text(ACCEPTS)
    outside = next(case for case in map(_with_a_rule, fake_cases()) if case.clause.name == "outside")
    results = run_adapters(tmp_path, [adapter], cases=[replace(outside, expectation=Observed("nothing is said"))])
    assert "(nothing is said; the clause is about fake.gather)" in str(
        result_of(results, "mine.documented", "outside").explanation
    )


def _is_decided_by_the_apis_own(results: Results) -> None:
    own = result_of(results, "mine.documented", "outside")
    assert "(gather_elements.rule.in-range says what follows, by the API's own documentation)" in str(own.explanation)
    for name in ("mine.composed", "mine.undocumented"):
        assert "(nothing is said; the clause is about fake.gather)" in str(
            result_of(results, name, "outside").explanation
        )


def _standing(kinds: list[Divergence], *, says_result: bool, right_alone: bool = True, **other: object) -> Standing:
    subject = Subject("portability", None, immutable=False, says_result=says_result)
    case = replace(fake_cases()[0], **other)  # type: ignore[arg-type] # by the callers
    attempt = CallAttempt(case, "fake.gather", subject, case.call, {}, None)
    judgement = Judgement("diverges", kinds, right_alone=right_alone)
    return AttemptResult(attempt, Observation(returned()), judgement, History([], 0)).standing


def test_what_contradicts_its_own_result_breaks_the_document_that_says_what_a_valid_call_returns() -> None:
    assert _standing(["value", "contaminated"], says_result=True) == "own"
    assert _standing(["value", "contaminated"], says_result=False) == "portability"
    assert _standing(["value"], says_result=True, right_alone=False) == "portability"


def test_what_is_wrong_alone_too_or_what_no_document_speaks_of_contradicts_nothing() -> None:
    order_dependent: list[Divergence] = ["value", "contaminated"]
    assert _standing(order_dependent, says_result=True, right_alone=False) == "portability"
    assert _standing(order_dependent, says_result=True, expectation=Observed("nothing is said")) == "portability"
    assert _standing(order_dependent, says_result=True, policies=("of an index outside",)) == "portability"


def test_a_document_of_the_formula_says_what_a_valid_call_returns() -> None:
    operation = load_specs().operations["scatter_elements"]
    claims = [
        f"mindspore.mint.scatter#{locator}" for locator in load_specs().documents["mindspore.mint.scatter"].claims
    ]
    scatter = DescribedApi("mindspore", "2.10.0", "mindspore.mint.scatter", spoken=claims)
    assert says_result(operation, scatter, composed=False)
    assert not says_result(operation, scatter, composed=True)
    assert not says_result(operation, replace(scatter, name="mindspore.mint.gather"), composed=False)

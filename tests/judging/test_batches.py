"""A batch is judged call by call, and shows nothing if a call by itself is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.cases.expectations import ReturnsBatch
from conformance.cases.model import Case
from conformance.cases.variation import Batched, Turn
from conformance.judging.judge import judge
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.outcomes.observation import Observation
from conformance.specification.literals import tensor
from conformance.specification.model import Batch
from tests.execution.harness import fake_cases
from tests.outcomes import raised, returned_value

SUBJECT = Subject("portability", None, immutable=False)
PERMITTED = (([0.0, 7.0], [0.0, 8.0]), ([5.0, 0.0], [6.0, 0.0]))
RIGHT = [[0.0, 7.0], [5.0, 0.0]]


def batch() -> Case:
    results = tuple(tuple(tensor("float32", [*one]) for one in permitted) for permitted in PERMITTED)
    case = fake_cases()[0]
    manner = Batch({"params": tensor("float32", RIGHT)}, "first")
    variation = Batched(case.id, manner, Turn(0), is_beyond_documents=False)
    expected = ReturnsBatch(tensor("float32", RIGHT), results)
    return replace(case, call=case.call.made(manner), variation=variation, expectation=expected)


def judged(values: Any, singly: Any = RIGHT, dtype: str = "float32") -> Judgement:
    value = tensor(dtype, values)
    forward = tensor("float32", singly) if singly is not None else None
    return judge(batch(), SUBJECT, Observation(returned_value(value), value, forward=forward))


def test_each_call_may_have_any_permitted_result_of_its_own() -> None:
    for first in PERMITTED[0]:
        for second in PERMITTED[1]:
            assert judged([first, second]).verdict == "conforms"


def test_the_permitted_result_of_another_call_is_wrong() -> None:
    judgement = judged([[0.0, 7.0], [0.0, 8.0]])
    assert (judgement.verdict, judgement.divergences) == ("diverges", ["value"])
    assert str(judgement.explanation).startswith("the batch of params: ")


def test_another_dtype_or_shape_is_wrong() -> None:
    assert judged(RIGHT, dtype="float64").divergences == ["dtype"]
    assert judged([[[0.0, 7.0], [5.0, 0.0]]]).divergences == ["shape"]


def test_if_a_call_by_itself_returns_what_is_not_permitted_the_batch_shows_nothing() -> None:
    judgement = judged([[0.0, 9.0], [5.0, 0.0]], singly=[[0.0, 9.0], [5.0, 0.0]])
    assert judgement.verdict == "blocked"
    assert "by itself" in str(judgement.explanation)


def test_if_a_call_by_itself_raises_the_batch_shows_nothing_wrong() -> None:
    assert judged([[0.0, 9.0], [5.0, 0.0]], singly=None).verdict == "blocked"
    assert judged(RIGHT, singly=None).verdict == "conforms"


def test_a_batch_that_raises_where_the_single_calls_return_is_rejected() -> None:
    observation = Observation(raised("RuntimeError", "no batching rule"), forward=tensor("float32", RIGHT))
    assert judge(batch(), SUBJECT, observation).divergences == ["rejected"]
    alone = Observation(raised("IndexError", "outside", phase="forward"))
    assert judge(batch(), SUBJECT, alone).verdict == "blocked"

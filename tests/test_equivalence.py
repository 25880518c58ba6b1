"""Whether two outcomes are the same, as each part of the suite answers it: one table for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
import pytest

from conformance.cases.model import Case
from conformance.execution.attempt import AttemptResult, CallAttempt, History
from conformance.findings.compare import Same, differing
from conformance.findings.evidence import Implementation, letters_of
from conformance.judging.behaviour import determinism_of
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Died, Hung, Outcome
from conformance.outcomes.observation import Observation
from conformance.results.records import ResultRecord, TargetRecord
from conformance.specification.literals import Tensor
from tests.execution.harness import fake_cases
from tests.outcomes import ABORT, SEGFAULT, abstract, raised, returned, returned_value

Answer = Literal["same", "differs"]
CLAUSE = "gather_nd.rule.depth"
TARGETS = [TargetRecord(f"{name}==1.0@cpu", name, "1.0", "cpu", "eager") for name in ("torch", "jax", "mindspore")]


@dataclass(frozen=True)
class Pair:
    """Two outcomes; the elements of those that vary are others from call to call."""

    one: Outcome
    other: Outcome
    varying: tuple[bool, bool] = (False, False)

    def records(self) -> tuple[ResultRecord, ResultRecord]:
        first, second = self.varying
        return record(self.one, TARGETS[0], varies=first), record(self.other, TARGETS[1], varies=second)


@cache
def case() -> Case:
    return fake_cases()[0]


def record(outcome: Outcome, target: TargetRecord, *, varies: bool = False) -> ResultRecord:
    determinism = Determinism(4, 2, "varies", permitted=True) if varies else None
    return ResultRecord(
        case=f"{CLAUSE}/one",
        target=target.id,
        api=f"{target.framework}.gather",
        clause=CLAUSE,
        outcome=outcome,
        verdict="observed",
        standing="portability",
        determinism=determinism,
    )


def payload(bits: int, count: int = 1) -> Outcome:
    """Elements that are all the NaN of these bits."""
    array = np.full(count, bits, np.uint32).view(np.float32)
    return returned_value(Tensor("float32", array, None))


def determinism(pair: Pair) -> bool:
    return determinism_of(case(), [Observation(pair.one), Observation(pair.other)], 2).grade == "same-bits"


def confirmation(pair: Pair) -> bool:
    attempt = CallAttempt(case(), "it", Subject("own", None, immutable=False, error_types=True), case().call, {}, None)
    one, other = (
        AttemptResult(attempt, Observation(outcome), Judgement("observed"), History([], 0))
        for outcome in (pair.one, pair.other)
    )
    return one.has_same_bits(other)


def is_no_change(pair: Pair, same: Same) -> bool:
    """Whether the two are the same, or not comparable."""
    answer = differing(*pair.records(), same)
    return isinstance(answer, str) or not answer


def timeline(pair: Pair) -> bool:
    return is_no_change(pair, "behaviour")


def modes(pair: Pair) -> bool:
    return is_no_change(pair, "status")


def porting(pair: Pair) -> bool:
    one, other = pair.records()
    letters = letters_of([one, other])
    return letters[Implementation(one.target, one.api)] == letters[Implementation(other.target, other.api)]


def diff(pair: Pair) -> bool:
    return is_no_change(pair, "judgement")


CONSUMERS: dict[str, Callable[[Pair], bool]] = {
    one.__name__: one for one in (determinism, confirmation, timeline, modes, porting, diff)
}
BITS, VALUES, STATUS = ("determinism", "confirmation"), ("timeline", "diff"), ("modes", "porting")


def answers(bits: Answer, values: Answer, status: Answer, **exceptions: Answer) -> dict[str, Answer]:
    """The answer of each consumer, by the equivalence that it asks for."""
    groups = ((BITS, bits), (VALUES, values), (STATUS, status))
    return {name: answer for names, answer in groups for name in names} | exceptions


def different(**exceptions: Answer) -> dict[str, Answer]:
    return answers("differs", "differs", "differs", **exceptions)


def same(**exceptions: Answer) -> dict[str, Answer]:
    return answers("same", "same", "same", **exceptions)


TWO = returned([1.0, 2.0], "float32")
OTHER = returned([1.0, 3.0], "float32")
MEMORY = Died(most_memory=2**30)
QUIET, WITH_PAYLOAD = 0x7FC00000, 0x7FC00001

TABLE: dict[str, tuple[Pair, dict[str, Answer]]] = {
    "the same": (Pair(TWO, TWO), same()),
    "signs of zero": (Pair(returned([0.0], "float32"), returned([-0.0], "float32")), different()),
    "payloads of NaN": (Pair(payload(QUIET), payload(WITH_PAYLOAD)), answers("differs", "same", "same")),
    "another element": (Pair(TWO, OTHER), different()),
    "another dtype": (Pair(TWO, returned([1.0, 2.0], "float64")), different()),
    "another shape": (Pair(TWO, returned([[1.0, 2.0]], "float32")), different()),
    "another element of many": (Pair(returned("zeros([300])"), returned("ones([300])")), different()),
    "types of errors": (Pair(raised("IndexError"), raised("ValueError")), answers("differs", "differs", "same")),
    "messages": (Pair(raised("IndexError", "no"), raised("IndexError", "never")), same()),
    # A call that was not made is compared with no other, but it has a judgement.
    "an error of the call and one of its arguments": (
        Pair(raised("TypeError"), raised("TypeError", phase="arguments")),
        answers("differs", "differs", "same", timeline="same"),
    ),
    "an error of the call and one of its result": (
        Pair(raised("TypeError"), raised("TypeError", phase="result")),
        same(),
    ),
    "an error and a result": (Pair(raised(), TWO), different()),
    "a signal and memory": (Pair(SEGFAULT, MEMORY), answers("differs", "differs", "same")),
    "two signals": (Pair(SEGFAULT, ABORT), answers("differs", "differs", "same")),
    "two exit codes": (Pair(Died(exit_code=1), Died(exit_code=2)), answers("differs", "differs", "same")),
    "limits of memory": (Pair(MEMORY, Died(most_memory=2**31)), same()),
    "the last words of a process": (Pair(SEGFAULT, replace(SEGFAULT, stderr="core dumped")), same()),
    "two hangs": (Pair(Hung(1.0), Hung(30.0)), same()),
    "a hang and a death": (Pair(Hung(1.0), SEGFAULT), different()),
    # Porting leaves out a result without values; one mode of one API never has both, so determinism is not asked.
    "no values beside values": (
        Pair(TWO, abstract("float32", (2,))),
        same(determinism="differs", porting="differs"),
    ),
    "no values, another shape": (Pair(TWO, abstract("float32", (3,))), different()),
    "no values, another dtype": (Pair(TWO, abstract("float64", (2,))), different()),
    # Repeating and confirming look at single calls: that these vary is what they find out.
    "elements that vary": (Pair(TWO, OTHER, (True, True)), answers("differs", "same", "same")),
    "elements of which one varies": (Pair(TWO, OTHER, (False, True)), answers("differs", "same", "same", porting="differs")),
    "another shape of elements that vary": (
        Pair(TWO, returned([[1.0, 2.0]], "float32"), (True, True)),
        different(porting="same"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("what", TABLE)
def test_every_part_of_the_suite_answers_whether_two_outcomes_are_the_same(what: str, consumer: str) -> None:
    pair, expected = TABLE[what]
    both_ways = {CONSUMERS[consumer](each) for each in (pair, Pair(pair.other, pair.one, pair.varying[::-1]))}
    assert both_ways == {expected[consumer] == "same"}

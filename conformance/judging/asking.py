"""What is asked of a function that no adapter maps: what every document allows, or what those of the APIs that it follows promise."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.cases.draws.forms import key_of
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.judging.standing import DescribedApi, citations, concerns, standing_of
from conformance.specification.applied import Applied
from conformance.specification.model import Behaves, Clause, Observed, Operation, Raises
from conformance.specification.vocabulary import Policy

CONTRADICTED = "the documents of other APIs contradict it"
_NOBODY = DescribedApi("", None, "the function")


class Asking:
    """Which cases of an operation are asked of a function."""

    def __init__(self, operation: Operation, follows: Sequence[str]) -> None:
        """follows: the APIs whose documentation the function promises too, without those that no document of the operation describes."""
        self._followed = described_apis(operation, follows)
        self._written = {} if self._followed else _written_calls(operation)

    @property
    def follows_any(self) -> bool:
        """Whether a document of the operation describes one of the APIs."""
        return bool(self._followed)

    def asked(self, case: Case) -> Case | None:
        """The case as it is asked of the function; None if it is not.

        If it follows an API, only what the documentation of that promises is judged. If it follows none, a call is not judged if
        documents contradict each other in it, whichever clause it tests. Where no expectation is left and the call may leave the
        memory of its arguments, this alone is asked.
        """
        if isinstance(case.expectation, Observed):
            return case
        if self._followed:
            is_asked = any(_promises(api, case) for api in self._followed)
        else:
            is_asked = concerns(case, _NOBODY, composed=False) and not self.is_contradicted(case)
        if is_asked:
            return case
        watched = replace(case, expectation=Observed(CONTRADICTED), control=None)
        is_watched = watched.asks_for_memory_alone and not case.clause.only_documented
        return watched if is_watched else None

    def is_contradicted(self, case: Case) -> bool:
        """Whether an official document says something else than the case expects, of the call or of its control.

        By a rule or behaviour that makes it an error, by what is promised for an index outside, or by the same call in another clause.
        """
        must_raise = isinstance(case.expectation, Raises)
        if not must_raise and not isinstance(case.expectation, Returning):
            return False
        valid = case.control if must_raise else case.call
        if valid is not None and any(clause is not case.clause for clause in _errors(valid)):
            return True
        others = self._written.get(frozenset(key_of(case.call)), [])
        if any(clause is not case.clause and raises != must_raise for clause, raises in others):
            return True
        return any(_differs(case, policy) for policy in _promised_policies(case))


def described_apis(operation: Operation, names: Sequence[str]) -> list[DescribedApi]:
    """Of the names those of APIs that a document about an operation describes, as what a function follows."""
    cited = list(citations(operation))
    followed = []
    for name in names:
        about = [citation for citation in cited if name in citation.document.describes]
        if about:
            followed.append(DescribedApi("", None, "the function", name, frozenset(map(str, about))))
    return followed


def names_of_apis(operation: Operation) -> list[str]:
    """The APIs that documents about an operation describe."""
    return list(dict.fromkeys(name for citation in citations(operation) for name in citation.document.describes))


def _written_calls(operation: Operation) -> dict[Hashable, list[tuple[Clause, bool]]]:
    """By their arguments, in whatever order, the written calls of which an official document says whether they raise."""
    found: dict[Hashable, list[tuple[Clause, bool]]] = {}
    for clause in filter(_is_official, operation.clauses):
        for written in clause.written_calls:
            if written.device != "gpu" and not isinstance(written.expected, Observed):
                says = clause, isinstance(written.expected, Raises)
                found.setdefault(frozenset(key_of(written.call)), []).append(says)
    return found


def _errors(call: Applied) -> Iterator[Clause]:
    """The clauses of official documents by which a call is an error."""
    promises = (clause for clause in call.broken_promises if clause.rule and isinstance(clause.rule.broken, Raises))
    return filter(_is_official, (*call.errors, *promises))


def _promises(api: DescribedApi, case: Case) -> bool:
    return standing_of(case.clause, api, composed=False) == "own" and concerns(case, api, composed=False)


def _promised_policies(case: Case) -> Iterator[Policy]:
    """What other clauses of official documents promise for an index outside, on the device of the case."""
    for clause in case.operation.clauses if case.policies else ():
        if clause is case.clause or not _is_official(clause):
            continue
        for call in clause.written_calls:
            if isinstance(call.expected, Behaves) and call.device in (None, case.device or "cpu"):
                yield call.expected.policy


def _differs(case: Case, policy: Policy) -> bool:
    """Whether the result of a policy, if it applies to the call, is not what the case expects."""
    outcome = next((each for each in case.policies if each.policy == policy), None)
    if outcome is None:
        return False
    expected = case.expectation
    return not isinstance(expected, Returning) or not np.array_equal(
        outcome.result.array, expected.value.array, equal_nan=outcome.result.kind in "fc"
    )


def _is_official(clause: Clause) -> bool:
    return any(citation.document.official for citation in clause.citations)

"""Shrinks drawn programs on which a target diverges, and groups them by the form of the smallest one.

The smaller programs that are tried next are made together where the mode compiles many calls at once, those of several findings too.
Of one form only the first finding is shrunk to the end: whatever has a part of this form that diverges is of the same kind.
Each smallest program is confirmed in a process that has made no other call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from conformance.cases.draws.smaller_programs import (
    fewer_statements,
    form_of_program,
    reductions,
    simpler,
    smaller_tensors,
)
from conformance.cases.model import Case
from conformance.execution.attempt import Attempt, AttemptResult, CallAttempt
from conformance.execution.client import Client
from conformance.execution.target import Attempts
from conformance.execution.together import Together
from conformance.results.describe import case_digest
from conformance.specification.case_files import PREFIX
from conformance.specification.model import Around

SECONDS = 240.0
"""Time limit for all programs of a worker; after that, a finding has no smallest program."""
ROUNDS = 30
"""The maximum number of times that a program is made simpler."""
AT_ONCE = 32
"""The number of programs that are tried before the next ones are made."""


@dataclass(frozen=True)
class Kind:
    """Findings that have one smallest program."""

    smallest: AttemptResult
    findings: Sequence[AttemptResult]


def kinds(
    client: Client,
    findings: Sequence[AttemptResult],
    attempts: Attempts,
    together: Together | None,
    seconds: float = SECONDS,
) -> Iterator[Kind]:
    """The findings on drawn programs by their smallest programs, without those of which none is found.

    together: makes calls of the client together; None in a mode that does not.
    GaveUp, Stopped and TargetBlocked as raised by ``client``.
    """
    shrinking = _Shrinking(client, attempts, together, time.monotonic() + seconds)
    left = list(findings)
    found: dict[str, tuple[AttemptResult, list[AttemptResult]]] = {}
    while left and shrinking.has_time:
        first = left.pop(0)
        smallest = shrinking.smallest(first)
        form = form_of_program(smallest)
        result = shrinking.alone(_named(smallest), first)
        if result is None:
            continue
        found.setdefault(form, (replace(result, confirmed="alone"), []))[1].append(first)
        of_form = shrinking.having(form, left)
        found[form][1].extend(of_form)
        left = [finding for finding in left if not any(finding is each for each in of_form)]
    yield from (Kind(*each) for each in found.values())


@dataclass
class _Shrinking:
    client: Client
    attempts: Attempts
    together: Together | None
    end: float

    @property
    def has_time(self) -> bool:
        return time.monotonic() < self.end

    def smallest(self, finding: AttemptResult) -> Case:
        """The smallest program that diverges as a finding does."""
        case = self._first(finding, fewer_statements(finding.attempt.case)) or finding.attempt.case
        for _ in range(ROUNDS):
            smaller = self._first(finding, simpler(case)) or self._first(finding, fewer_statements(case))
            smaller = smaller or self._first(finding, smaller_tensors(case))
            if smaller is None or not self.has_time:
                break
            case = smaller
        return case

    def having(self, form: str, findings: Sequence[AttemptResult]) -> Sequence[AttemptResult]:
        """Those of the findings that have a part of a form that diverges as they do."""
        parts = [
            (finding, part)
            for finding in findings
            for part in islice((each for each in reductions(finding.attempt.case) if form_of_program(each) == form), 2)
        ]
        having: dict[int, AttemptResult] = {}
        for start in range(0, len(parts), AT_ONCE):
            if not self.has_time:
                break
            some = parts[start : start + AT_ONCE]
            for (finding, _), is_like in zip(some, self._are_like(some), strict=True):
                if is_like:
                    having[id(finding)] = finding
        return list(having.values())

    def _first(self, finding: AttemptResult, candidates: Iterator[Case]) -> Case | None:
        """The first of some programs that diverges as a finding does."""
        digests = {case_digest(finding.attempt.case)}
        while self.has_time:
            some: list[Case] = []
            for case in candidates:
                if (digest := case_digest(case)) not in digests:
                    digests.add(digest)
                    some.append(case)
                if len(some) == AT_ONCE:
                    break
            if not some:
                return None
            for case, is_like in zip(some, self._are_like([(finding, each) for each in some]), strict=True):
                if is_like:
                    return case
        return None

    def _are_like(self, pairs: Sequence[tuple[AttemptResult, Case]]) -> Sequence[bool]:
        """Whether each of some programs diverges as the finding does from which it was made."""
        attempts = [self._prepared(case, finding.attempt.api) for finding, case in pairs]
        made: dict[int, AttemptResult | None] = {}
        if self.together is not None and all("rejected" not in finding.judgement.divergences for finding, _ in pairs):
            calls = [attempt for attempt in attempts if isinstance(attempt, CallAttempt)]
            made.update(zip(map(id, calls), self.together.made(calls), strict=True))
        else:
            for attempt in attempts:
                if attempt is not None and self.has_time:
                    made[id(attempt)] = attempt.run(self.client)
        results = [made.get(id(attempt)) for attempt in attempts]
        return [
            result is not None and _is_like(result, finding)
            for (finding, _), result in zip(pairs, results, strict=True)
        ]

    def alone(self, case: Case, finding: AttemptResult) -> AttemptResult | None:
        """The result of a smaller program that diverges as a finding does, as the first call of a process; None if it does not."""
        self.client.forget()
        attempt = self._prepared(case, finding.attempt.api)
        result = attempt.run(self.client) if attempt is not None else None
        return result if result is not None and _is_like(result, finding) else None

    def _prepared(self, case: Case, api: str) -> Attempt | None:
        """The attempt of a smaller program on an API, or on the first that takes it if another call is under test; None on none."""
        assert isinstance(case.call.manner, Around)
        apis = self.attempts.started.apis_of(case.operation.name)
        for described in sorted(apis, key=lambda one: (one["name"] != api, bool(one["composed"]))):
            if case.call.manner.takes(described["in_place"]):
                return self.attempts.attempt(case, described)
        return None


def _is_like(result: AttemptResult, finding: AttemptResult) -> bool:
    """Whether both diverge, in values or in that they raise."""
    sort = "rejected" in finding.judgement.divergences
    return result.judgement.verdict == "diverges" and ("rejected" in result.judgement.divergences) is sort


def _named(case: Case) -> Case:
    """The case with an id that depends only on its program and arguments."""
    name = f"{PREFIX}{case_digest(case)[:8]}"
    assert isinstance(case.call.manner, Around)
    return replace(case, id=f"{case.clause.id}/{name}")

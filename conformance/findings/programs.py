"""The kinds of drawn programs that diverge: each has the smallest program, and the number of drawn ones for which it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.findings.findings import Cause
from conformance.results.records import CaseRecord, ResultRecord
from conformance.results.table import Table
from conformance.results.variations import DrawnProgramRecord


@dataclass(frozen=True)
class KindOfProgram:
    """Drawn programs that have one smallest form."""

    cause: Cause
    case: CaseRecord
    """The smallest of the programs to which those of a form were shrunk."""
    result: ResultRecord
    """What a target does with it."""
    stands_for: int
    """The number of drawn programs, on all targets of the framework."""

    @property
    def program(self) -> str:
        assert self.case.program is not None, "that of a drawn program"
        return self.case.program

    @property
    def dtypes(self) -> str:
        """Of its data, which a divergence may depend on."""
        return ", ".join(
            dict.fromkeys(dtype for name, dtype in self.case.dtypes.items() if name not in self.case.points)
        )


def kinds_of_programs(table: Table, causes: Iterable[Cause]) -> tuple[KindOfProgram, ...]:
    """Those of a results file, the ones that stand for most first."""
    cases = table.results.cases
    found = []
    for cause in causes:
        smallest = [one for one in cause.results if one.case == one.smallest and _is_readable(cases.get(one.case))]
        if smallest:
            best = min(smallest, key=lambda one: _size(cases[one.case]))
            drawn = sum(not cases[one.case].is_counterexample for one in cause.results if one.case in cases)
            found.append(KindOfProgram(cause, cases[best.case], best, drawn))
    return tuple(sorted(found, key=lambda kind: -kind.stands_for))


def unshrunk(table: Table, causes: Iterable[Cause]) -> Counter[str]:
    """By target, the number of drawn programs that diverge and have no smallest program."""
    cases = table.results.cases
    results = [one for cause in causes for one in cause.results if one.smallest is None and one.case in cases]
    return Counter(one.target for one in results if isinstance(cases[one.case].variation, DrawnProgramRecord))


def _is_readable(case: CaseRecord | None) -> bool:
    return case is not None and case.form is not None


def _size(case: CaseRecord) -> int:
    return len(str(case.call))

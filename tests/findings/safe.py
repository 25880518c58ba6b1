"""What the report of ports says of each two frameworks of a run, for a second implementation to check."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from conformance.findings.agreement import porting
from conformance.findings.conditions import CLAUSES, RULES
from conformance.findings.evidence import evidence
from conformance.findings.sentences import newest
from conformance.results.file import Results
from conformance.results.table import Table
from tests.findings.naive.safety import Said


def said_of(results: Results) -> Iterator[Said]:
    """For each operation and two frameworks with calls that both take: the API of the newest target that supports most calls."""
    targets = [target.id for target in newest(results.targets).values() if target.blocked is None]
    for operation in evidence(Table(results)):
        preferred = [found[0] for target in targets if (found := operation.implementations_of(target))]
        for sides in combinations(preferred, 2):
            common = porting(operation, sides)
            if not common.agreeing and not common.differing:
                continue
            having = operation.having_for(*sides)
            told = {name: operation.case_ids(having[name]) for name in (*common.safe, *common.unsafe)}
            of_clauses = [name for name in common.unsafe if operation.questions[name] in (RULES, CLAUSES)]
            names = [(one.target, one.api) for one in sides]
            yield Said(operation.operation, names, common.safe, told, [*common.unsafe], of_clauses)

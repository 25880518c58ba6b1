"""The results of a file, matched with the ledgers as they are now instead of as they were when it was made."""

from __future__ import annotations

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.project import project
from conformance.environments.errors import TargetError
from conformance.execution.plan import Interpreters, jobs
from conformance.known.again import known_again
from conformance.known.model import KnownDivergences, facts_of_records
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from conformance.specification.problems import SpecError


def with_current_ledgers(results: Results) -> Results:
    """The results as they are known today; ConformanceError if a target or its ledger cannot be read."""
    facts = {case.id: case for case in facts_of_records(results.cases.values())}
    facts |= {case.id: case for case in loading.suite().facts}
    return known_again(results, ledger_of, list(facts.values()))


def ledger_of(target: TargetRecord) -> KnownDivergences:
    """The ledger of a target of a results file; ConformanceError if it cannot be read."""
    name = target.asked or target.id
    try:
        [job] = jobs([name], Interpreters(), project().ledgers)
    except (TargetError, SpecError) as error:
        raise ConformanceError(f"--current-ledgers: {name}, which is in the results: {error}") from None
    return job.known

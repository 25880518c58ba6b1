"""Ledgers of known divergences for a command, with every way that they can be wrong as a Failure or a Problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.cli.failures import USAGE, Failure
from conformance.known.load import ledger_beside, load_ledger, unknown_apis, unmatched
from conformance.known.model import NAME, CaseFacts, Ledger
from conformance.specification.problems import Problem, SpecError
from conformance.targets.adapter_check import api_names


def check_cases(ledgers: Iterable[Ledger], cases: Sequence[CaseFacts]) -> None:
    """Failure where an entry is about no case at all."""
    problems = {problem for ledger in ledgers for problem in unmatched(ledger, cases)}
    if problems:
        raise Failure(USAGE, told(problems))


def problems_beside(adapter: Path, cases: Sequence[CaseFacts]) -> list[Problem]:
    """What is wrong with the ledger beside an adapter, if there is one."""
    try:
        ledger = ledger_beside(adapter)
    except SpecError as error:
        return error.problems
    if ledger.file is None:
        return []
    apis = sorted({name for file in adapter.parent.glob("*.py") for name in api_names(file)})
    return [*unmatched(ledger, cases), *unknown_apis(ledger, apis)]


def load(file: Path) -> Ledger:
    """A ledger that may not be there yet; Failure for what is wrong with it."""
    if not file.exists():
        return Ledger(file)
    try:
        return load_ledger(file)
    except SpecError as error:
        raise Failure(USAGE, told(error.problems)) from None


def told(problems: Iterable[Problem]) -> str:
    """All problems, a line each."""
    lines = sorted(map(str, problems))
    return "\n".join([f"{len(lines)} problem{'s' if len(lines) != 1 else ''} in {NAME}", *lines])

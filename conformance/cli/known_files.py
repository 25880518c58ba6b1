"""Ledgers of known divergences for a command, with every way that they can be wrong as a Failure or a Problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.cli.failures import USAGE, Failure
from conformance.known.load import known_beside, load_known, unknown_apis, unmatched
from conformance.known.model import NAME, CaseFacts, KnownDivergences
from conformance.specification.problems import Problem, SpecError
from conformance.targets.adapter_check import api_names


def check_cases(known_files: Iterable[KnownDivergences], cases: Sequence[CaseFacts]) -> None:
    """Failure where an entry is about no case at all."""
    problems = {problem for known_divergences in known_files for problem in unmatched(known_divergences, cases)}
    if problems:
        raise Failure(USAGE, told(problems))


def problems_beside(adapter: Path, cases: Sequence[CaseFacts]) -> list[Problem]:
    """What is wrong with the ledger beside an adapter, if there is one."""
    try:
        known_divergences = known_beside(adapter)
    except SpecError as error:
        return error.problems
    if known_divergences.file is None:
        return []
    apis = sorted({name for file in adapter.parent.glob("*.py") for name in api_names(file)})
    return [*unmatched(known_divergences, cases), *unknown_apis(known_divergences, apis)]


def load(file: Path) -> KnownDivergences:
    """A ledger that may not be there yet; Failure for what is wrong with it."""
    if not file.exists():
        return KnownDivergences(file)
    try:
        return load_known(file)
    except SpecError as error:
        raise Failure(USAGE, told(error.problems)) from None


def told(problems: Iterable[Problem]) -> str:
    """All problems, a line each."""
    lines = sorted(map(str, problems))
    return "\n".join([f"{len(lines)} problem{'s' if len(lines) != 1 else ''} in {NAME}", *lines])

"""Files of known divergences for a command; whatever is wrong with them is a failure or a problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.cli.failures import invalid
from conformance.known.load import known_beside, load_known, unknown_apis, unmatched
from conformance.known.model import NAME, CaseFacts, KnownDivergences
from conformance.specification.problems import Problem, SpecError
from conformance.targets.adapter_check import api_names


def check_cases(known_files: Iterable[KnownDivergences], cases: Sequence[CaseFacts]) -> None:
    """Fail if an entry matches no case."""
    problems = {problem for known_divergences in known_files for problem in unmatched(known_divergences, cases)}
    if problems:
        raise invalid(problems, f"in {NAME}")


def problems_beside(adapter: Path, cases: Sequence[CaseFacts]) -> list[Problem]:
    """The problems of the known divergences beside an adapter, if it has any."""
    try:
        known_divergences = known_beside(adapter)
    except SpecError as error:
        return error.problems
    if known_divergences.file is None:
        return []
    apis = sorted({name for file in adapter.parent.glob("*.py") for name in api_names(file)})
    return [*unmatched(known_divergences, cases), *unknown_apis(known_divergences, apis)]


def load(file: Path) -> KnownDivergences:
    """Load a file, which need not exist yet."""
    if not file.exists():
        return KnownDivergences(file)
    try:
        return load_known(file)
    except SpecError as error:
        raise invalid(error.problems, f"in {NAME}") from None

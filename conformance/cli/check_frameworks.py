"""``conformance check --frameworks``: execute proofs and programs of documents in the frameworks."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.environments.definition import definitions
from conformance.environments.environment import ensure
from conformance.environments.resolve import canonical_id, resolve
from conformance.reports.text import counted
from conformance.specification.in_framework import (
    FrameworkCheck,
    framework_checks,
    framework_failings,
    framework_program,
)
from conformance.specification.model import Catalogue
from conformance.specification.problems import Problem

LIMIT = 600
"""Seconds for all checks of a framework."""


@dataclass(frozen=True)
class Executed:
    """The checks of one framework that were run, and those that failed."""

    framework: str
    target: str
    count: int
    problems: Sequence[Problem]

    @property
    def summary(self) -> str:
        return f"{counted(self.count, 'proof or program', 'proofs and programs')} in {self.target}"


def check_in_frameworks(
    catalogue: Catalogue, report: Callable[[str], None], only: Collection[str] | None = None
) -> Iterator[Executed]:
    """Run the checks of each framework, or ``only`` of some, in its tested default version.

    TargetError or TargetBlocked if a framework has no target, or its environment cannot be made.
    """
    for framework, checks in groupby(sorted(framework_checks(catalogue), key=_framework), _framework):
        if only is None or framework in only:
            yield _executed(framework, list(checks), report)


def _framework(check: FrameworkCheck) -> str:
    return check.document.framework


def _executed(framework: str, checks: Sequence[FrameworkCheck], report: Callable[[str], None]) -> Executed:
    [target] = resolve([framework], definitions())
    environment = ensure(target, report=report)
    applicable = [check for check in checks if check.versions.contains(environment.version or "", prereleases=True)]
    variables = target.definition.variables_in(target.mode) if target.definition else {}
    problems = run_checks(str(environment.python), applicable, variables)
    return Executed(framework, canonical_id(target, environment.version), len(applicable), problems)


def run_checks(python: str, checks: Sequence[FrameworkCheck], variables: Mapping[str, str]) -> list[Problem]:
    """Run checks of one framework in an interpreter; a problem for each that fails."""
    if not checks:
        return []
    program = framework_program(checks)
    try:
        # In an empty folder, so that no file of the user's is imported in place of the framework.
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [python, "-c", program],
                check=False,
                cwd=folder,
                env={**os.environ, **variables},
                capture_output=True,
                text=True,
                timeout=LIMIT,
            )
        failings = framework_failings(checks, done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        return [Problem(check.location, f"{check.subject}: cannot be executed: {error}") for check in checks]
    return [Problem(check.location, f"{check.subject}: {message}") for check, message in failings]

"""The settings of the project as defaults of options, and of the targets of a run."""

from __future__ import annotations

from typing import Any

from conformance.cli.failures import USAGE, Failure
from conformance.project import Project, ProjectError, project

_WITH_SPECS = ("run", "list", "show", "repro", "matrix")
_WITH_DRAWS = ("run", "matrix")
_WITH_FAIL_ON = ("run", "matrix", "diff")


def settings() -> Project:
    """The settings; Failure if they are wrong."""
    try:
        return project()
    except ProjectError as error:
        raise Failure(USAGE, str(error)) from None


def project_defaults() -> dict[str, dict[str, Any]]:
    """By command, the defaults of its options."""
    found = settings()
    values = [
        ("specs", found.specs, _WITH_SPECS),
        ("draws", found.draws, _WITH_DRAWS),
        ("fail_on", found.fail_on, _WITH_FAIL_ON),
        ("at_least", found.at_least, ("run",)),
    ]
    defaults: dict[str, dict[str, Any]] = {}
    for option, value, commands in values:
        for command in commands if value is not None else ():
            defaults.setdefault(command, {})[option] = value
    return defaults


def default_targets() -> tuple[str, ...]:
    """What is run if no target is named."""
    from conformance.cli.commands.options import DEFAULT_TARGETS

    return settings().targets or DEFAULT_TARGETS

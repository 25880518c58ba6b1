"""What the options of pytest and the project's settings ask for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import cast

import pytest

from conformance.cli.commands.options import OUTPUT
from conformance.cli.commands.target_names import check_targets
from conformance.cli.early import started_early
from conformance.cli.failures import Failure
from conformance.cli.project_defaults import settings
from conformance.cli.running import Inputs, Options, load_inputs, plan
from conformance.execution.plan import Plan
from conformance.known.model import facts
from conformance.results.exit_status import FailOn
from conformance.specification.model import Observed
from conformance.targets.early import EarlyStarts
from conformance.targets.name import parse_target
from conformance.targets.outline import FILE_NAME


@dataclass(frozen=True)
class Settings:
    """The targets to test, and the options for all of them."""

    targets: tuple[str, ...]
    options: Options
    by_case: bool
    output: Path | None = None
    """The folder of the report; None for the default."""
    _plans: dict[str, Plan] = field(default_factory=dict, compare=False, repr=False)
    """By target; the first one takes its starter, if it is starting."""

    @cached_property
    def inputs(self) -> Inputs:
        """The specs and their cases; Failure for errors in them."""
        return load_inputs(self.options)

    @contextlib.contextmanager
    def started_early(self) -> Iterator[EarlyStarts | None]:
        """Start to import the frameworks; adapters without a target.toml are quickly imported later."""
        names = [name for name in self.targets if not _is_plain_adapter(name)]
        if not names:
            yield None
            return
        options = self.options
        with started_early(
            names,
            (),
            python=options.python,
            here=options.here,
            parallel=None,
            start=options.start,
            start_limit=options.start_limit,
        ) as early:
            yield early

    def plans(self) -> list[Plan]:
        """A plan for each target; Failure as for one."""
        return [self.plan(target) for target in self.targets]

    def plan(self, target: str, early: EarlyStarts | None = None) -> Plan:
        """The judged cases for one target, which may be starting; Failure for errors in its adapter or its known divergences."""
        if target not in self._plans:
            self._plans[target] = self._planned(target, early)
        return self._plans[target]

    def _planned(self, target: str, early: EarlyStarts | None) -> Plan:
        here = self.options.python is None and _is_plain_adapter(target)
        planned = plan(replace(self.options, here=True) if here else self.options, self.inputs, [target], early)
        judged = [case for case in planned.cases if not isinstance(case.expectation, Observed)]
        return replace(planned, cases=judged, all_cases=facts(judged))


def settings_of(config: pytest.Config) -> Settings:
    """The settings of a session; UsageError for a target that does not exist."""
    targets = tuple(dict.fromkeys([*config.getini("conformance"), *config.getoption("--conformance")]))
    try:
        check_targets(targets)
        options = _options(config)
    except Failure as failure:
        raise pytest.UsageError(failure.message) from None
    return Settings(
        targets,
        options,
        config.getoption("--conformance-items") == "case",
        _path(config.getoption("--conformance-output")),
    )


def _options(config: pytest.Config) -> Options:
    project = settings()
    return Options(
        words=(),
        output=OUTPUT,
        operations=tuple(config.getoption("--conformance-operation")),
        specs=_path(config.getoption("--conformance-specs")) or project.specs,
        python=_path(config.getoption("--conformance-python")),
        here=config.getoption("--conformance-here"),
        offline=config.getoption("--conformance-offline"),
        fail_on=config.getoption("--conformance-fail-on") or cast("FailOn", project.fail_on or "own"),
        timeout=config.getoption("--conformance-timeout"),
        seed=config.getoption("--conformance-seed"),
        draws=config.getoption("--conformance-draws") or project.draws or 0,
        quiet=True,
    )


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _is_plain_adapter(target: str) -> bool:
    """Whether it is an adapter file without a target.toml: what it imports is installed where pytest runs."""
    path = parse_target(target).path
    return path is not None and not (path.expanduser().absolute().parent / FILE_NAME).is_file()

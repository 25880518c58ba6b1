"""What the options of pytest and the project's settings ask for."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from conformance.app.options import IN_PYTEST, OPTIONS, OUTPUT, Option, RunOptions, check_all
from conformance.app.project import project
from conformance.app.run import Inputs, load_inputs, plan
from conformance.cases.model import Case
from conformance.execution.plan import Plan
from conformance.processes.early_starts import EarlyStarts
from conformance.pytest_plugin.starting import failures_of_usage, is_plain_adapter, target_names
from conformance.specification.model import Observed


@dataclass(frozen=True)
class Settings:
    """The targets to test, and the options for all of them."""

    targets: tuple[str, ...]
    options: RunOptions
    by_case: bool
    output: Path | None = None
    """The folder of the report; None for the default."""
    _plans: dict[str, Plan] = field(default_factory=dict, compare=False, repr=False)
    """By target; the first one takes its starter, if it is starting."""

    @cached_property
    def inputs(self) -> Inputs:
        """The specs and their cases; ConformanceError for errors in them."""
        return load_inputs(self.options)

    def plans(self) -> list[Plan]:
        """A plan for each target; ConformanceError as for one."""
        return [self.plan(target) for target in self.targets]

    def plan(self, target: str, early: EarlyStarts | None = None) -> Plan:
        """The cases for one target, which may be starting; ConformanceError for errors in its adapter or its known divergences."""
        if target not in self._plans:
            self._plans[target] = self._planned(target, early)
        return self._plans[target]

    def numbered_cases(self) -> dict[str, tuple[int, Case]]:
        """The cases that items are about, by id, with their numbers in a results file."""
        planned = {case.id for plan in self.plans() for case in plan.cases}  # a target has those that its mode can pass
        judged = [case for case in self.inputs.cases if case.id in planned and is_judged(case)]
        return {case.id: (number, case) for number, case in enumerate(judged)}

    def _planned(self, target: str, early: EarlyStarts | None) -> Plan:
        here = self.options.python is None and is_plain_adapter(target)
        planned = plan(replace(self.options, here=True) if here else self.options, self.inputs, [target], early)
        return replace(planned, all_cases=[case.facts for case in planned.cases if is_judged(case)])


def is_judged(case: Case) -> bool:
    """Whether an item is about it; what is only observed has none."""
    return not isinstance(case.expectation, Observed)


def settings_of(config: pytest.Config, *, is_named: bool) -> Settings:
    """The settings of a session; UsageError for invalid settings of the project.

    is_named: items are named by id or -k, so that no sample leaves out any of their derivatives, as in a run.
    """
    with failures_of_usage():
        options = _options(config)
    if is_named:
        options = replace(options, transforms="all")
    return Settings(
        target_names(config),
        options,
        config.getoption("--conformance-items") == "case",
        _path(config.getoption("--conformance-output")),
    )


def _options(config: pytest.Config) -> RunOptions:
    """What the command line of pytest says, or else the settings of the project, or else the default."""
    given = {name: _given(option, config.getoption(option.pytest_flag)) for name, option in IN_PYTEST.items()}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = {name: value for name, value in project().options.items() if name in IN_PYTEST}
    command = shlex.join(["pytest", *map(str, config.invocation_params.args)])
    options = RunOptions(words=(), output=OUTPUT, command=command, quiet=True, **{**settings, **chosen})
    check_all(options, lambda name, value: f"{OPTIONS[name].pytest_flag} {value}" if name in IN_PYTEST else None)
    return options


def command_of(config: pytest.Config, target: str, item: str) -> str:
    """The command that runs an item of a target again: with what the command line says, as the settings say the rest."""
    words = [] if target in config.getini("conformance") else ["--conformance", target]
    if config.getoption("--conformance-items") == "case":
        words += ["--conformance-items", "case"]
    for option in IN_PYTEST.values():
        value = _given(option, config.getoption(option.pytest_flag))
        if option.kind is bool and value:
            words.append(option.pytest_flag)
        elif value is not None and option.kind is not bool:
            values = value if option.several else [value]
            words += [word for each in values for word in (option.pytest_flag, str(each))]
    return shlex.join(["pytest", *words, item])


def _given(option: Option, value: Any) -> Any:
    """The value of an option; None if it was not given."""
    if option.several:
        return tuple(value) or None
    if option.kind is bool:
        return value or None
    return Path(value) if option.kind is Path and value is not None else value


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)

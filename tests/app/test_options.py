"""One list of options: the command line, pytest, a project's settings and the public functions take the same values."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_args

import pytest

import conformance
from conformance.app.options import DEFAULTS, IN_UNIT, OPTIONS, SELECTION, RunOptions, words
from conformance.cases.shards import Shard
from conformance.cli.commands.run import command
from conformance.judging.vocabulary import FailOn
from conformance.processes.worker_starter import StartMethod
from conformance.pytest_plugin.settings import settings_of
from conformance.results.requests import REQUEST

pytest_plugins = ["pytester"]
OTHERS: dict[str, Any] = {
    "operations": ("gather_nd", "scatter_nd"),
    "keyword": "gather and not float",
    "case_files": (Path("a.yaml"), Path("b c.yaml")),
    "apis": ("torch.gather", "torch.Tensor.*"),
    "quick": True,
    "smoke": True,
    "large": True,
    "transforms": "all",
    "last_failed": True,
    "memcheck": True,
    "specs": Path(__file__),
    "draws": 7,
    "programs": 9,
    "seed": -3,
    "shard": Shard(2, 5),
    "only": Path("ids.json"),
    "python": Path("bin/python"),
    "here": True,
    "offline": True,
    "parallel": 2,
    "timeout": 1.5,
    "hangs_per_clause": 2,
    "hangs_per_target": 5,
    "hang_seconds": 60.5,
    "start_limit": 2.5,
    "start": "spawn",
    "fresh_compile": True,
    "fail_on": "never",
    "maxfail": 4,
    "at_least": 300,
    "gzip": True,
    "quiet": True,
    "verbose": True,
}
"""For each option, a value that is not its default."""


def options_of(pytester: pytest.Pytester, *arguments: str, settings: str = "") -> RunOptions:
    """What a session of pytest is asked for."""
    pytester.makepyprojecttoml(f"[tool.conformance]\n{settings}\n")
    return settings_of(pytester.parseconfig(*arguments), is_named=False).options


def test_pytest_takes_no_draws_where_the_project_has_some(pytester: pytest.Pytester) -> None:
    assert options_of(pytester, settings="draws = 20").draws == 20
    assert options_of(pytester, "--conformance-draws", "0", settings="draws = 20").draws == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("draws", "100001"), "--conformance-draws 100001 is out of range; allowed: 0 to 100000"),
        (("draws", "-1"), "--conformance-draws -1 is out of range; allowed: 0 to 100000"),
        (("timeout", "0"), "--conformance-timeout 0.0 is out of range; allowed: at least 0.1"),
        (("timeout", "nan"), "--conformance-timeout nan is out of range; allowed: at least 0.1"),
    ],
)
def test_pytest_rejects_the_numbers_that_the_command_rejects(
    pytester: pytest.Pytester, arguments: tuple[str, str], message: str
) -> None:
    option, value = arguments
    with pytest.raises(pytest.UsageError) as raised:
        options_of(pytester, f"--conformance-{option}={value}")
    assert str(raised.value) == message


def test_a_default_of_pytest_is_that_of_the_command(pytester: pytest.Pytester) -> None:
    options = options_of(pytester)
    assert {name: getattr(options, name) for name in OPTIONS} == {**DEFAULTS, "quiet": True}


def test_the_arguments_of_the_public_function_are_options_with_their_defaults() -> None:
    arguments = inspect.signature(conformance.run).parameters
    named = {name: argument.default for name, argument in arguments.items() if name in OPTIONS}
    assert named == {name: DEFAULTS[name] for name in named}
    assert set(arguments) - set(named) == {"targets", "ids", "progress"}


@pytest.mark.parametrize(("name", "value"), [("draws", 1.5), ("draws", True), ("seed", "1"), ("timeout", float("nan"))])
def test_the_public_function_rejects_what_the_command_line_cannot_say(name: str, value: Any) -> None:
    with pytest.raises(conformance.ConformanceError, match=f"^{name}={value!r} is "):
        conformance.run("reference", here=True, **{name: value})


def test_choices_are_those_of_the_types() -> None:
    assert OPTIONS["fail_on"].choices == get_args(FailOn)
    assert OPTIONS["start"].choices == get_args(StartMethod)


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("values", [{}, OTHERS])
def test_options_written_as_words_are_read_as_the_same_options(values: dict[str, Any], *, explicit: bool) -> None:
    options = RunOptions((), Path("out"), **values)
    assert not values or set(values) == set(OPTIONS)
    read = command.make_context("run", list(words(options, OPTIONS, explicit=explicit))).params
    assert {name: read[name] for name in OPTIONS} == {name: getattr(options, name) for name in OPTIONS}


def test_words_name_what_differs_from_the_defaults_and_on_request_every_number() -> None:
    options = RunOptions((), Path("out"), draws=3, here=True)
    assert words(options, OPTIONS) == ("--draws", "3", "--here")
    assert words(options, ("seed", "draws"), explicit=True) == ("--draws", "3", "--seed", "0")


def test_runs_for_other_cases_are_other_requests() -> None:
    shaping = {name: option.record for name, option in OPTIONS.items() if option.shapes == "cases"}
    assert {record for record in shaping.values() if record is not None} <= set(REQUEST)
    assert {name for name, record in shaping.items() if record is None} == set(SELECTION)


def test_another_machine_is_told_whatever_shapes_results() -> None:
    here_only = {"last_failed", "shard"}  # a unit has a shard of its own, and the ids of what failed
    assert {name for name, option in OPTIONS.items() if option.shapes in ("cases", "results")} - here_only <= set(
        IN_UNIT
    )

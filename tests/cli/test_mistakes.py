"""A mistake on the command line is reported before anything expensive is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.cli.main import COMMANDS
from conformance.data_folders import specs_folder
from conformance.specification.loader import load_specs
from tests.cli.command import REPOSITORY

EXPENSIVE = ("numpy", "pydantic", "ruamel.yaml", "hypothesis", "rich", "jinja2", "ssl", "asyncio")

MISTAKES = {
    "rnu": "unknown command 'rnu'; did you mean 'run'? Available commands: run, list",
    "run tocrh": "unknown framework 'tocrh'; did you mean 'torch'? Available frameworks: jax, mindspore",
    "run torch[compil]": "torch[compil]: PyTorch has no mode 'compil' (available: eager, compile, meta); did you mean",
    "run torch@cdua": "torch@cdua: PyTorch has no device 'cdua' (available: cpu, cuda",
    "run torch=2.13.0": "invalid version specifier '=2.13.0'; did you mean torch==2.13.0?",
    "run ./none.py": "none.py: adapter file not found",
    "run ./no_modes.py[graph]": "no_modes.py has neither setup(device, mode) nor prepare(function, mode)",
    "run scater_nd": "'scater_nd' is neither a target nor the id of a case; did you mean 'scatter_nd'?",
    "run torch --fail-on sometimes": "'sometimes' is not one of 'own', 'any', 'never'",
    "run torch --shard 3/2": "invalid shard '3/2': K must be between 1 and 2",
    "matrix tocrh --versions 1,2": "unknown framework 'tocrh'; did you mean 'torch'?",
    "repro some.case --target tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    "repro some.case": "expected CASE and --target, or --all",
    "env make tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    "check --json": "--json requires --self",
    "list caess": "'caess' is not one of 'operations', 'clauses', 'cases', 'targets'",
    "known updte": "No such command 'updte'",
    "docs --target tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    "docs diff torch==2.1.2 tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    **{f"{name} --no-such-option": "No such option '--no-such-option'" for name in COMMANDS},
}

SCRIPT = """
import contextlib, io, json, sys
from conformance.cli.main import main

ends = {}
for line in json.loads(sys.argv[1]):
    before = set(sys.modules)
    sys.argv = ["conformance", *line.split()]
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.suppress(SystemExit):
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code
    ends[line] = [status, errors.getvalue(), sorted(set(sys.modules) - before)]
print(json.dumps(ends))
"""


@dataclass(frozen=True)
class End:
    """How a command ended."""

    status: int
    message: str
    modules: frozenset[str]
    """What it imported, without what those before it in the table imported."""


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, End]:
    """Every mistake, in one process."""
    folder = tmp_path_factory.mktemp("mistakes")
    (folder / "no_modes.py").write_text("def gather(input, dim, index): ...\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([*MISTAKES])],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        line: End(status, message, frozenset(modules))
        for line, (status, message, modules) in json.loads(done.stdout).items()
    }


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_a_usage_error_that_says_what_is_allowed(ends: dict[str, End], line: str) -> None:
    assert ends[line].status == 4
    assert MISTAKES[line] in ends[line].message
    assert "Traceback" not in ends[line].message


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_reported_before_anything_expensive_is_imported(ends: dict[str, End], line: str) -> None:
    assert not ends[line].modules & {*EXPENSIVE}


def test_help_imports_no_command_and_nothing_expensive() -> None:
    question = (
        "import sys; from conformance.cli.main import conformance; conformance(['--help'], standalone_mode=False); "
        "print(*[name for name in sys.modules if name.startswith('conformance.cli.commands')], file=sys.stderr);"
        f"print(*{set(EXPENSIVE)} & set(sys.modules), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([sys.executable, "-c", question], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == "\n\n"


def test_each_spec_of_the_suite_is_named_after_its_operation() -> None:
    """A word that begins with the name of a spec's file is left to the check that has read the specs."""
    stems = {path.stem for path in Path(specs_folder()).glob("*.yaml")} - {"documents"}
    assert stems == load_specs().operations.keys()

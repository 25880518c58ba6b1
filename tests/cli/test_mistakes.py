"""A mistake on the command line is reported before anything expensive is imported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.cli.main import COMMANDS
from conformance.data_folders import specs_folder
from conformance.specification.loader import load_specs
from tests.cli.command import REPOSITORY, conformance

EXPENSIVE = ("numpy", "pydantic", "ruamel.yaml", "hypothesis", "rich", "jinja2", "ssl", "asyncio")

NOT_FOUND = "nowhere: file not found; expected a results.jsonl or its folder"
MISTAKES = {
    "rnu": "unknown command 'rnu'; did you mean 'run'? Available commands: run, list",
    "torch==0.4": "unknown command 'torch==0.4'. Available commands: run, list",
    "--verison": "No such option '--verison'. Did you mean '--version'?",
    "run tocrh": "unknown framework 'tocrh'; did you mean 'torch'? Available frameworks: array_api_strict, dask, jax, keras",
    "run PyTorch": "unknown framework 'PyTorch'; did you mean 'torch'?",
    "run scipy": "unknown framework 'scipy'. Available frameworks: array_api_strict, dask, jax, keras, mindspore, mlx, numpy, ",
    "run mine": "unknown framework 'mine'. Available frameworks: array_api_strict, dask, jax, keras",
    "run no_modes": "unknown framework 'no_modes'; did you mean './no_modes.py'?",
    "run torch 2.1.2": "'2.1.2' is a version, not a target; did you mean 'torch==2.1.2'?",
    "run torch[compil]": "torch[compil]: PyTorch has no mode 'compil' (available: eager, compile, compile-dynamic, meta, export, onnx); did",
    "run torch[]": "'torch[]' is not a target name: empty brackets; expected a mode",
    "run torch[compile": "'torch[compile' is not a target name: unbalanced [",
    "run torch]compile[": "'torch]compile[' is not a target name: unbalanced [",
    "run torch[compile,meta]": "several modes: 'compile,meta'; a target has only one",
    "run torch@gpu": "torch@gpu: PyTorch has no device 'gpu' (available: cpu, cuda, xpu, mps, npu); did you mean 'cuda'?",
    "run torch@cdua": "torch@cdua: PyTorch has no device 'cdua' (available: cpu, cuda",
    "run torch@": "'torch@' is not a target name: nothing follows the @",
    "run torch@2.1.2": "not a device: 2.1.2; write a version as torch==2.1.2",
    "run torch@cuda:x": "not a device: 'cuda:x' (expected for example cpu, cuda or cuda:1)",
    "run torch=2.13.0": "invalid version specifier '=2.13.0'; did you mean torch==2.13.0? A target is",
    "run torch==": "'torch==' is not a target name: invalid version specifier '=='",
    "run torch==abc": "'torch==abc' is not a target name: invalid version specifier '==abc'",
    "run ./none.py": "none.py: adapter file not found",
    "run none.py": "none.py: adapter file not found",
    "run ./folder.py": "folder.py: is a folder; expected an adapter file",
    "run ./folder": "folder: is a folder; expected an adapter file",
    "run ./no_modes.py==1.0": "an adapter file has no version; remove '==1.0'",
    "run ./no_modes.py[graph]": "no_modes.py has neither setup(device, mode) nor prepare(function, mode)",
    "run ./no_modes.py[eager,graph]": "several modes: 'eager,graph'; a target has only one",
    "run ./no_modes.py@cuda": "no_modes.py has no setup(device, mode), so it can only be run on cpu, not on 'cuda'",
    "run scater_nd": "'scater_nd' is neither a target nor the id of a case; did you mean 'scatter_nd'?",
    "run scater_nd.example": "'scater_nd.example' is neither a target nor the id of a case; did you mean 'scatter_nd'?",
    "run gather_elements/as-printed": "is neither a target nor the id of a case; did you mean 'gather_elements'?",
    "run -k gather(": "invalid -k expression 'gather('; use words joined by and, or, not and parentheses",
    "run -k and": "invalid -k expression 'and'; use words joined by",
    "run -k 'gather float'": "invalid -k expression 'gather float'; use words joined by",
    "run --operation": "Option '--operation' requires an argument",
    "run --resume": "Option '--resume' requires an argument",
    "run torch --fail-on sometimes": "'sometimes' is not one of 'own', 'any', 'never'",
    "run torch --start thread": "'thread' is not one of 'auto', 'fork', 'spawn'",
    "run torch --shard 3/2": "invalid shard '3/2': K must be between 1 and 2",
    "run torch --shard 0/2": "invalid shard '0/2': K must be between 1 and 2",
    "run torch --shard x": "invalid shard 'x'; expected K/N, such as 2/5",
    "run --maxfail 0": "'--maxfail': 0 is out of range; allowed: at least 1",
    "run --maxfail x": "'--maxfail': x is no number; expected a whole number, at least 1",
    "run --draws -1": "'--draws': -1 is out of range; allowed: 0 to 100000",
    "run --draws many": "'--draws': many is no number; expected a whole number, 0 to 100000",
    "run --draws 1000000000": "'--draws': 1000000000 is out of range",
    "run --seed x": "'--seed': x is no number; expected a whole number",
    "run --timeout 0": "'--timeout': 0 is out of range; allowed: at least 0.1",
    "run --timeout x": "'--timeout': x is no number; expected a number, at least 0.1",
    "run --start-timeout 0": "'--start-timeout': 0 is out of range; allowed: at least 0.1",
    "run --jobs 0": "'--jobs': 0 is out of range; allowed: at least 1",
    "run --gzip=yes": "Option '--gzip' does not take a value",
    "run --quik": "No such option '--quik'. (Did you mean one of: '--quick'",
    "run -z": "No such option '-z'",
    "run --output notes.txt": "--output notes.txt: is a file; expected a folder (created if it does not exist)",
    "run --resume nowhere": NOT_FOUND,
    "run --resume folder --output other": "--resume writes to folder; remove --output other",
    "run --lf --output nowhere": f"--lf needs the results of a previous run in the output folder: {NOT_FOUND}",
    "run --specs none.yaml": "--specs none.yaml: spec not found; expected a .yaml file or a folder",
    "run --case none.yaml": "--case none.yaml: file not found; expected a case file",
    "list caess": "'caess' is not one of 'operations', 'clauses', 'cases', 'targets'",
    "list --specs none.yaml": "--specs none.yaml: spec not found; expected a .yaml file or a folder",
    "show": "Missing argument 'ID...'; see conformance show --help",
    "show --specs none.yaml scatter_nd": "--specs none.yaml: spec not found",
    "trace --specs none.yaml": "--specs none.yaml: spec not found",
    "promote": "Missing argument 'FILE...'; see conformance promote --help",
    "docs --target tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    "docs diff torch==2.1.2": "Missing argument 'B'; see conformance docs diff --help",
    "docs diff torch==2.1.2 tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    "env make": "Missing argument 'TARGET...'; see conformance env make --help",
    "env make tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    "env mkae torch": "No such command 'mkae'. Did you mean 'make'? (conformance env has the commands install, list, make",
    "env install tocrh --here": "unknown framework 'tocrh'; did you mean 'torch'?",
    "report": "Missing argument 'RESULTS...'; see conformance report --help",
    "report nowhere": NOT_FOUND,
    "known updte": "No such command 'updte'. Did you mean 'update'? (conformance known has the commands export, list, migrate, update",
    "known update": "Missing argument 'RESULTS...'; see conformance known update --help",
    "known update nowhere": NOT_FOUND,
    "diff folder": "Missing argument 'B'; see conformance diff --help",
    "diff nowhere folder": NOT_FOUND,
    "diff folder nowhere": NOT_FOUND,
    "diff folder folder folder": "Got unexpected extra argument (folder); see conformance diff --help",
    "diff folder folder --fail-on x": "'x' is not one of 'own', 'any', 'never'",
    "matrix": "Missing argument '[TARGET | ID | DIR]...'; see conformance matrix --help",
    "matrix tocrh --versions 1,2": "unknown framework 'tocrh'; did you mean 'torch'?",
    "matrix torch --versions": "Option '--versions' requires an argument",
    "export onxx folder": "No such command 'onxx'. Did you mean 'onnx'? (conformance export has the commands cases, onnx, pytest)",
    "export onnx": "Missing argument 'DIR'; see conformance export onnx --help",
    "export onnx .": ".: the folder is not empty; name a new one, or remove it",
    "export onnx notes.txt": "notes.txt: is a file; expected a folder, which is created",
    "export onnx new --opset x": "'x' is not a valid integer",
    "repro": "expected CASE and --target, or --all",
    "repro some.case": "expected CASE and --target, or --all",
    "repro some.case --target tocrh": "unknown framework 'tocrh'; did you mean 'torch'?",
    "repro some.case --target torch --results nowhere": f"--results: {NOT_FOUND}",
    "repro --all --results nowhere": f"--results: {NOT_FOUND}",
    **{f"{name} --no-such-option": "No such option '--no-such-option'" for name in COMMANDS},
}

AFTER_READING = {
    "run torch==0.4": (4, "PyTorch 0.4 is not supported by .*; supported: 1.13 and later. Use one of these"),
    "run reference --here --quick --draws 5": (
        4,
        "--quick runs only worked examples, so --draws 5 would have no effect",
    ),
    "run --python none torch": (4, "--python none: file not found; expected a Python interpreter"),
    "run --python notes.txt torch": (4, "--python notes.txt: not a Python interpreter, .*; expected one such as"),
    "run --python folder torch": (4, "--python folder: is a folder; expected a Python interpreter"),
    "run --here --python notes.txt torch": (4, "--here and --python cannot be combined"),
    "env install torch": (4, "expected --python PATH or --here; `conformance env make` creates an environment"),
    "env remove": (4, "expected names of environments .*, or --all"),
    "list cases zzz": (4, "no operation, clause or case with id 'zzz'; `conformance list cases` lists all cases"),
    "list clauses scater_nd": (4, "no operation, clause or case with id 'scater_nd'; did you mean 'scatter_nd'?"),
    "list clauses scatter_nd.exmaple": (
        4,
        "no operation, clause or case with id 'scatter_nd.exmaple'; did you mean 'scatter_nd.example'?",
    ),
    "list unmapped": (4, "expected one target, as in `conformance list unmapped torch`"),
    "list unmapped torch jax": (4, "expected one target, as in `conformance list unmapped torch`"),
    "list unmapped tocrh": (4, "unknown framework 'tocrh'; did you mean 'torch'?"),
    "known list ./none.py": (4, "./none.py: adapter file not found; expected its path, or the name of a framework"),
    "known list tocrh": (4, "no adapter 'tocrh'; did you mean 'torch'?"),
    "report folder": (4, "no results.jsonl found in folder or its subfolders; expected the output folder of a run"),
    "report notes.txt": (4, "notes.txt:1: not a valid results record"),
    "report newer.jsonl": (
        4,
        "newer.jsonl: written by a newer version of conformance .*; upgrade with pip install -U opconform",
    ),
    "diff newer.jsonl folder": (4, "newer.jsonl: written by a newer version of conformance"),
}
"""What is found after something was read, with the exit status and a pattern of the message."""

SCRIPT = """
import contextlib, io, json, shlex, sys
from conformance.cli.main import main

ends = {}
for line in json.loads(sys.argv[1]):
    before = set(sys.modules)
    sys.argv = ["conformance", *shlex.split(line)]
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
    (folder / "notes.txt").write_text("Not results.\n", encoding="utf-8")
    for name in ("folder", "folder.py"):
        (folder / name).mkdir()
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
def test_a_mistake_is_a_usage_error_that_says_in_one_line_what_is_allowed(ends: dict[str, End], line: str) -> None:
    assert ends[line].status == 4
    assert MISTAKES[line] in ends[line].message
    assert re.fullmatch(r"conformance: [^\n]+\n", ends[line].message)


def test_a_hundred_mistakes_are_tried() -> None:
    assert len(MISTAKES) + len(AFTER_READING) >= 100


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_reported_before_anything_expensive_is_imported(ends: dict[str, End], line: str) -> None:
    assert not ends[line].modules & {*EXPENSIVE}


def test_a_mistake_names_the_command_however_the_program_was_started() -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    line = [sys.executable, "-m", "conformance", "run", "--nope"]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.rpartition("; ")[2]) == (4, "see conformance run --help\n")


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
    stems = {path.stem for path in Path(specs_folder()).glob("*.yaml")} - {"documents", "programs"}
    assert stems == load_specs().operations.keys()


@pytest.mark.parametrize("line", AFTER_READING)
def test_what_is_wrong_with_what_is_read_is_said_in_one_line_too(tmp_path: Path, line: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("Not results.\n", encoding="utf-8")
    (tmp_path / "newer.jsonl").write_text('{"kind": "run", "schema": 9}\n', encoding="utf-8")
    status, message = AFTER_READING[line]
    done = conformance(*line.split(), cwd=tmp_path)
    assert done.status == status
    assert re.fullmatch(rf"conformance: (?:{message.replace('?', '[?]')})[^\n]*\n", done.err), done.err

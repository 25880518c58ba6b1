"""Random input of every kind ends in an answer: a status other than 3, no traceback, nothing written elsewhere.

``pytest tests/untrusted/test_fuzz.py --mutations 50000`` tries many more; ``--first-mutation`` begins elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import re
import resource
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

from conformance.data_folders import adapters_folder, specs_folder
from conformance.environments.errors import TargetBlocked
from conformance.known.model import NAME
from conformance.outcomes.reply import InvalidReply, outcome_and_result, without_duration
from conformance.processes.adapter_description import check_description
from conformance.results.file import FILE_NAME
from conformance.results.order import write_results
from conformance.specification.expressions import ExpressionError, compile_expression
from conformance.specification.literals import tensor
from conformance.specification.problems import SpecError
from conformance.worker import frames
from conformance.worker.processes import children
from tests.execution.harness import FAKES
from tests.reports.sample_several import several
from tests.untrusted.command import command
from tests.untrusted.mutations import mutated, mutated_lines, mutated_text
from tests.untrusted.test_replies import READY

MOST_MEMORY = 500 * 2**10
"""KiB by which the peak memory of this process may grow."""
MOST_CALLS = 5_000_000
"""Of functions, for one input."""
REASON = ("--reason", "A reason.", "--link", "unreported")


@pytest.fixture
def randoms(request: pytest.FixtureRequest) -> Iterator[Random]:
    """A generator for each mutation; a failing test names the seed."""
    first, number = request.config.getoption("--first-mutation"), request.config.getoption("--mutations")

    seed = first

    def generators() -> Iterator[Random]:
        nonlocal seed
        for seed in range(first, first + number):
            yield Random(seed)

    before, processes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, children()
    yield generators()  # type: ignore[misc] # an iterator of generators
    print(f"--first-mutation {seed}")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY
    assert children() == processes


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Specs and adapters in place of the suite's, of which each command would read megabytes that no mutation changes."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(FAKES / "specs", folder / "specs")
    shutil.copy(specs_folder() / "programs.yaml", folder / "specs")
    for name in ("reference", "torch", "tensorflow", "mindspore"):
        shutil.copytree(adapters_folder() / name, folder / "adapters" / name, ignore=_CACHES)
    for ledger in folder.glob("adapters/*/" + NAME):
        ledger.write_text(excerpt(Random(0), ledger.read_text()))
    return folder


_CACHES = shutil.ignore_patterns("__pycache__")


def excerpt(random: Random, ledger: str) -> str:
    """Some entries of divergences.yaml, one after another: the suite's ledgers are too long to be read thousands of times."""
    head, *entries = re.split(r"(?m)^(?=  \S+:$)", ledger)
    begin = random.randrange(len(entries))
    return head + "".join(entries[begin : begin + 10])


@pytest.fixture
def ledgers() -> Sequence[str]:
    """The suite's, read before another folder takes the place of its own."""
    return [file.read_text() for file in sorted(adapters_folder().glob("*/" + NAME))]


@pytest.fixture
def folder(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the commands; at the end, nothing has been written elsewhere, and nothing in it was executed."""
    monkeypatch.setenv("CONFORMANCE_HOME", str(data / "home"))
    monkeypatch.setenv("CONFORMANCE_DATA", str(data))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "evil.py").write_text(f"import pathlib; pathlib.Path({str(tmp_path)!r}, 'executed').touch()\n")
    before = _state()
    yield inside
    assert {path.name for path in tmp_path.iterdir()} <= {"inside"}
    assert _state() == before


def _state() -> dict[Path, tuple[int, int]]:
    files = [path for folder in (adapters_folder(), specs_folder()) for path in folder.rglob("*") if path.is_file()]
    status = {path: path.stat() for path in files if "__pycache__" not in path.parts}
    return {path: (entry.st_size, entry.st_mtime_ns) for path, entry in status.items()}


@contextlib.contextmanager
def ends(*words: str | Path) -> Iterator[None]:
    """End what goes on and on, after the same number of calls of functions on every machine."""
    left = MOST_CALLS

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        if event == "call":
            left -= 1
            assert left > 0, words

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert left > 0, words  # the code may have caught the first


def answers(*words: str | Path, cwd: Path) -> None:
    """Assert that a command answers."""
    with ends(*words):
        done = command(*words, cwd=cwd)
    assert done.status in (0, 1, 2, 4, 5, 6), (words, done.err)
    assert "Traceback" not in done.err


OF_RESULTS: Sequence[Sequence[str]] = (
    ("report", "changed"),
    ("report", "changed", "whole", "--output", "merged"),
    ("report", "changed", "--porting", "torch", "--porting", "tensorflow"),
    ("diff", "whole", "changed"),
    ("diff", "changed", "whole", "--json"),
    ("known", "update", "changed", "--all", "--known", "known.yaml", *REASON),
    ("known", "update", "changed", "--prune"),
    ("repro", "--all", "--results", "changed", "--target", "none"),
)


def test_results_files(folder: Path, randoms: Iterator[Random]) -> None:
    for name in ("whole", "changed"):
        (folder / name).mkdir()
    write_results(several(), folder / "whole" / FILE_NAME)
    lines = (folder / "whole" / FILE_NAME).read_text().rstrip("\n").split("\n")
    for random in randoms:
        text = "\n".join(mutated_lines(random, lines)) + "\n"
        (folder / "changed" / FILE_NAME).write_text(text, errors="replace")
        answers(*random.choice(OF_RESULTS), cwd=folder)


def _copied(folder: Path) -> dict[Path, str]:
    """The texts of a folder of specs, copied."""
    shutil.copytree(FAKES / "specs", folder / "specs")
    return {file: file.read_text() for file in (folder / "specs").glob("*.yaml")}


def test_specs(folder: Path, randoms: Iterator[Random]) -> None:
    texts = _copied(folder)
    for random in randoms:
        file = random.choice(sorted(texts))
        file.write_text(mutated_text(random, texts[file]), errors="replace")
        answers("list", random.choice(("clauses", "cases")), "--specs", "specs", cwd=folder)
        file.write_text(texts[file])


def test_known_divergences(ledgers: Sequence[str], folder: Path, randoms: Iterator[Random]) -> None:
    (folder / "whole").mkdir()
    write_results(several(), folder / "whole" / FILE_NAME)
    for random in randoms:
        text = excerpt(random, random.choice(ledgers))
        (folder / NAME).write_text(mutated_text(random, text), errors="replace")
        update = ("known", "update", "whole", "--known", "divergences.yaml", *REASON)
        answers(*random.choice((("known", "list", "./evil.py"), update)), cwd=folder)


WORDS = (
    *(
        "gather_nd",
        "gather_elements.example",
        "torch",
        "torch==2.13.0",
        "./evil.py",
        "whole",
        "nowhere",
        "",
        "-",
        "--",
        "é",
    ),
    *(
        "[",
        "@",
        "torch[",
        "torch@",
        "==1",
        "a/b",
        "-k",
        "not",
        "and (",
        "--operation",
        "--seed",
        "-1",
        "1e9",
        "0",
        "--draws",
    ),
    *(
        "99999999999",
        "--output",
        "--json",
        "--specs",
        "specs",
        "--case",
        "whole/results.jsonl",
        "--timeout",
        "nan",
        "inf",
    ),
    *(
        "--shard",
        "1/2",
        "9/2",
        "--maxfail",
        "-x",
        "--fail-on",
        "any",
        "--porting",
        "--github",
        "--resume",
        "--lf",
        "--help",
    ),
)
COMMANDS = (
    *("list", "list operations", "list clauses", "list cases", "list targets", "show", "show gather_elements.example.lucky"),
    *("check", "check --specs specs", "trace", "trace torch.gather", "report", "report whole", "diff", "diff whole whole"),
    *("known", "known list", "known list torch", "known update", "known update whole", "known migrate", "known export torch"),
    *("run", "run torch", "matrix", "repro", "repro --all --results whole", "export", "export cases out", "adapter check"),
)  # fmt: skip
"""Without those that install or need a network."""


def test_command_lines(folder: Path, randoms: Iterator[Random]) -> None:
    _copied(folder)
    (folder / "whole").mkdir()
    write_results(several(), folder / "whole" / FILE_NAME)
    for random in randoms:
        name = random.choice(COMMANDS)
        words = [*name.split(), *random.choices(WORDS, k=random.randrange(5))]
        if name.split()[0] in ("run", "matrix", "repro", "adapter"):
            words += ["--python", "missing"]
        answers(*words, cwd=folder)


REPLIES: Sequence[dict[str, Any]] = (
    {"type": "outcome", "outcome": {"status": "returned", "seconds": 0.1, "changed": ["a"], "aliased": [], "outside": [{"argument": "a", "access": "wrote", "distance": 1}]},
     "result": {"dtype": "int32", "shape": [2]}},
    {"type": "outcome", "outcome": {"status": "returned", "seconds": 1, "dtype": "int32", "shape": [2], "abstract": True}},
    {"type": "outcome", "outcome": {"status": "unsupported", "reason": "no", "warnings": [{"text": "w", "count": 2}]}},
    {"type": "outcome", "outcome": {"status": "raised", "seconds": 0.1, "in_place": "written", "lost": True, "changed": [],
     "error": {"type": "E", "message": "m", "module": "", "phase": "call", "bases": ["E"], "fault": "adapter"}}},
)  # fmt: skip


def _reply(random: Random) -> None:
    message = mutated(random, random.choice(REPLIES))
    body = random.choice((b"", b"\0" * 8, b"\0" * 7)) + random.choice((b"\0" * 8, b"\xff" * 8, b""))
    with contextlib.suppress(InvalidReply):
        result, _ = without_duration(body)
        outcome, _ = outcome_and_result(frames.parse(json.dumps(message).encode()), result, str)
        json.dumps(asdict(outcome))


def _description(random: Random) -> None:
    message = mutated(random, READY)
    with contextlib.suppress(TargetBlocked):
        check_description(message, "mine.py")


def _header(random: Random) -> None:
    frames.parse(mutated_text(random, json.dumps(random.choice(REPLIES))).encode(errors="replace"))


@pytest.mark.parametrize("part", [_reply, _description, _header])
def test_replies(randoms: Iterator[Random], part: Callable[[Random], None]) -> None:
    for random in randoms:
        with ends(), contextlib.suppress(ValueError):  # what is no frame
            part(random)


VALUES = {
    "input": tensor("float32", [[1, 2, 3], [4, 5, 6]]),
    "indices": tensor("int32", [[0, 1], [2, 0]]),
    "shape": (2, 3, 4),
    "dim": -1,
    "reduce": "add",
    "nothing": None,
}
EXPRESSIONS = (
    "input.shape == indices.shape[:-1] + shape[indices.shape[-1]:]",
    "all(length >= indices.rank for length in shape)",
    "within(indices, 0, shape) and -input.rank <= dim < input.rank",
    "all(indices.shape[axis] <= input.shape[axis] for axis in range(input.rank) if 1) or nothing is not None",
    "sum(shape[1:]) % 7 == 3 * dim // 2 if is_integer(dim) else len(shape) in (1, 2)",
    "reduce in ('add', 'mul') and input.dtype == 'float32' and indices.kind != 'bool'",
    "max(len(shape[axis:]) for axis in range(len(shape))) > min(shape) - dim",
)
PIECES = (
    *("range(", "sum(", "within(", "len(", "max(", "is_tensor(", "all(", "(x for x in ", "for y in ", "lambda: ", ")", "]", "["),
    *("*", "%", "//", "-", "+", "**", "<<", "==", ":", ",", ".shape", ".array", ".__class__", "9" * 50, "1e308", "0", "''", "'x' "),
    *("None", "not ", " and ", " if ", " else ", *VALUES, "print", "eval", "\0", "é", " " * 200),
)  # fmt: skip


def mutated_expression(random: Random) -> str:
    """An expression of a rule with some words and signs removed, repeated, or replaced by others."""
    parts = re.findall(r"\w+|\s+|\W", random.choice(EXPRESSIONS))
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(parts) + 1)
        parts[at : at + random.randrange(3)] = random.choices((*PIECES, *parts), k=random.randrange(3))
        parts = parts or ["0"]
    return "".join(parts)


def test_expressions(randoms: Iterator[Random]) -> None:
    valid = 0
    for random in randoms:
        with ends(), contextlib.suppress(ExpressionError, SpecError):
            compile_expression(mutated_expression(random), VALUES).holds(VALUES)
            valid += 1
    assert valid

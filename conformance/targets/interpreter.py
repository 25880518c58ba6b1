"""Pythons: the one an environment is made from, and one that the user names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from conformance.targets.errors import TargetBlocked
from conformance.targets.uv import Uv

OLDEST = (3, 9)
"""The oldest Python that a worker runs on."""
NEWEST_MINOR = 16
"""Of Python 3: the newest that is looked for."""
_LIMIT = 60.0
"""Seconds for an interpreter to say what it is; a cold disk is slow."""
_QUESTION = """
import json, sys
found = {"version": "%d.%d.%d" % sys.version_info[:3], "packages": {}}
if sys.version_info >= (3, 8):
    import importlib.metadata as metadata
    for one in metadata.distributions():
        name = one.metadata["Name"]
        if name:
            found["packages"].setdefault(name, one.version)
print("conformance:" + json.dumps(found))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python and what is installed for it."""

    path: Path
    version: str
    packages: dict[str, str]


def inspect_interpreter(path: Path) -> Interpreter:
    """Run a Python and let it say what it is; TargetBlocked where it is none, or too old for a worker."""
    try:
        done = subprocess.run(
            [str(path), "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TargetBlocked(f"{path} is no Python: it did not say its version within {_LIMIT:g} s") from None
    except OSError as error:
        raise TargetBlocked(f"{path} is no Python: it cannot be run: {error.strerror}") from None
    return _answer(path, done)


def _answer(path: Path, done: subprocess.CompletedProcess[str]) -> Interpreter:
    answers = [line for line in done.stdout.splitlines() if line.startswith("conformance:")]
    if done.returncode != 0 or not answers:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        said = f", and said {last[0]!r}" if last else ""
        raise TargetBlocked(
            f"{path} is no Python: asked for its version, it ended with status {done.returncode}{said}. "
            "Name the interpreter itself, such as .venv/bin/python"
        )
    found = json.loads(answers[-1].partition(":")[2])
    if tuple(int(part) for part in found["version"].split(".")) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise TargetBlocked(f"{path} is Python {found['version']}; a worker needs Python {oldest} or later")
    return Interpreter(path, found["version"], found["packages"])


def find_python(allowed: SpecifierSet, uv: Uv, wanted_by: str) -> Path:
    """Find a Python that suits: the one that runs the suite, else one that uv finds; never download one."""
    if allowed.contains(".".join(map(str, sys.version_info[:3]))):
        return Path(sys.executable)
    searching = uv.with_variables(PATH=_search_path(uv.environment.get("PATH", "")))
    found = searching.ask("python", "find", "--no-project", "--system", f"cpython{allowed}")
    if found.ok and found.output.strip():
        return Path(found.output.strip())
    running = ".".join(map(str, sys.version_info[:3]))
    raise TargetBlocked(
        f"{wanted_by} needs a Python {allowed}, and there is none: the suite runs on Python {running}, and none was found on "
        f"PATH or in pyenv. {_how_to_get(allowed)} Or name one that has the framework already with --python"
    )


def _how_to_get(allowed: SpecifierSet) -> str:
    """What to install: of the Pythons that will do the nearest to the one that runs the suite."""
    minors = [minor for minor in range(OLDEST[1], NEWEST_MINOR + 1) if allowed.contains(f"3.{minor}.99")]
    if not minors:
        return "Install such a Python and put it on PATH."
    python = f"3.{min(minors, key=lambda minor: abs(minor - sys.version_info[1]))}"
    return (
        f"Install Python {python}: `uv python install {python}`, `pyenv install {python}` or a package of your system."
    )


def _search_path(path: str) -> str:
    """Add pyenv's Pythons: only the chosen ones of them work through its shims."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return os.pathsep.join([path, *(str(folder) for folder in sorted(root.glob("versions/*/bin"), reverse=True))])

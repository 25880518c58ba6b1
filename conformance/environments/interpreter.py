"""Python interpreters: for new environments, and those of the user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from conformance.environments.errors import TargetBlocked, process_refused
from conformance.environments.uv import Uv
from conformance.files import temporary_folder

OLDEST = (3, 9)
"""The oldest Python that a worker runs on."""
NEWEST_MINOR = 16
"""The newest minor version of Python 3 to look for."""
_LIMIT = 60.0
"""Seconds for an interpreter to report its version; a cold disk is slow."""
_REPORT_SCRIPT = """
import json, sys
report = {"version": "%d.%d.%d" % sys.version_info[:3], "packages": {}}
if sys.version_info >= (3, 8):
    import importlib.metadata as metadata
    import importlib.util
    report["numpy"] = importlib.util.find_spec("numpy") is not None
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name:
            report["packages"].setdefault(name, distribution.version)
print("conformance:" + json.dumps(report))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python with its installed packages."""

    path: Path
    version: str
    packages: dict[str, str]
    has_numpy: bool = True
    """Whether it imports NumPy, of whatever origin."""


def inspect_interpreter(path: Path) -> Interpreter:
    """Run a Python to get its version and packages; raise TargetBlocked if it is not one, or too old for a worker."""
    try:
        # A file in a folder of its own: Python would import modules of the current folder in place of its own.
        with temporary_folder() as folder:
            script = folder / "report.py"
            script.write_text(_REPORT_SCRIPT, encoding="utf-8")
            process = subprocess.run(
                [str(path.absolute()), str(script)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                cwd=folder,
                timeout=_LIMIT,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise _not_python(path, f"no version within {_LIMIT:g} s") from None
    except OSError as error:
        limit = process_refused(error)
        if limit is not None:
            raise TargetBlocked(limit) from None
        raise _not_python(path, f"cannot be executed: {error.strerror}") from None
    return _parse_report(path, process)


def _not_python(path: Path, problem: str) -> TargetBlocked:
    return TargetBlocked(f"not a Python interpreter: {path} ({problem}). Expected for example .venv/bin/python")


def _parse_report(path: Path, process: subprocess.CompletedProcess[str]) -> Interpreter:
    reports = [line for line in process.stdout.splitlines() if line.startswith("conformance:")]
    if process.returncode != 0 or not reports:
        lines = (line.strip() for line in (process.stderr or process.stdout).splitlines())
        # What is no Python may print the script, or its path.
        said = [line for line in lines if line and line not in _REPORT_SCRIPT and process.args[1] not in line]
        raise _not_python(path, ": ".join([f"exit status {process.returncode}", *said[-1:]]))
    report = json.loads(reports[-1].partition(":")[2])
    if tuple(int(part) for part in report["version"].split(".")) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise TargetBlocked(f"{path} is Python {report['version']}; a worker needs Python {oldest} or later")
    return Interpreter(path, report["version"], report["packages"], report.get("numpy", True))


def find_python(allowed: SpecifierSet, uv: Uv, title: str) -> Path:
    """Find a suitable Python, preferably the one that runs the suite; never download one.

    title: the framework that needs it, for the message of TargetBlocked.
    """
    if allowed.contains(".".join(map(str, sys.version_info[:3]))):
        return Path(sys.executable)
    searching = uv.with_variables(PATH=_search_path(uv.environment.get("PATH", "")))
    result = searching.run("python", "find", "--no-project", "--system", f"cpython{allowed}")
    if result.ok and result.output.strip():
        return Path(result.output.strip())
    running = ".".join(map(str, sys.version_info[:3]))
    raise TargetBlocked(
        f"{title} needs Python {allowed}, but none was found (the suite runs on {running}; searched PATH and pyenv). "
        f"{_install_advice(allowed)} Or use --python with an interpreter that has the framework"
    )


def _install_advice(allowed: SpecifierSet) -> str:
    """How to install the allowed Python that is nearest to the one that runs the suite."""
    minors = [minor for minor in range(OLDEST[1], NEWEST_MINOR + 1) if allowed.contains(f"3.{minor}.99")]
    if not minors:
        return "Install such a Python and put it on PATH."
    python = f"3.{min(minors, key=lambda minor: abs(minor - sys.version_info[1]))}"
    return (
        f"Install Python {python}: `uv python install {python}`, `pyenv install {python}` or a package of your system."
    )


def _search_path(path: str) -> str:
    """Add all Pythons of pyenv; through its shims only the selected ones work."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return os.pathsep.join([path, *(str(folder) for folder in sorted(root.glob("versions/*/bin"), reverse=True))])

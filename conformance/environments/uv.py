"""Run uv, which creates environments and installs packages."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.environments.errors import TargetBlocked
from conformance.environments.unreachable import Unreachable

Report = Callable[[str], None]
"""Called with each progress message."""

COMPILE = ("pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-strip-extras")
"""The command that resolves the requirements on its standard input into exact versions."""
TAIL = 12
"""Lines of uv's messages in an error."""
SUMMARY = 300
"""Characters of uv's messages in a line of the log."""
_ALWAYS = {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", "NO_COLOR": "1", "COLUMNS": "1000"}
_UNANSWERED = ("Failed to fetch", "error sending request", "no answer within")
_NOT_FOUND = re.compile(r"Because (\S+) was not found in the ")
_DETAILS = ("+", "-", "~", "Using Python")
"""Prefixes of lines that list packages; the record of the environment lists them too."""
_DROPPED = frozenset(
    {
        # These would select another interpreter, project or resolution.
        "UV_PYTHON",
        "UV_SYSTEM_PYTHON",
        "UV_PROJECT",
        "UV_PROJECT_ENVIRONMENT",
        "UV_WORKING_DIR",
        "UV_WORKING_DIRECTORY",
        "UV_RESOLUTION",
        "UV_TORCH_BACKEND",
        "UV_VENV_SEED",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
    }
)


@dataclass(frozen=True)
class UvResult:
    """The result of a uv command."""

    ok: bool
    output: str
    errors: str

    @property
    def tail(self) -> str:
        """The last lines of its messages, indented."""
        return "\n".join(f"    {line}" for line in self._lines()[-TAIL:])

    @property
    def summary(self) -> str:
        """Its first message and its last, the cause of the others, in one line."""
        messages = [line.strip().removeprefix("error: ").removeprefix("cause: ") for line in self._lines()]
        text = ": ".join(dict.fromkeys([*messages[:1], *messages[-1:]]))
        return text if len(text) <= SUMMARY else text[: SUMMARY - 1] + "…"

    @property
    def is_unanswered(self) -> bool:
        """Whether an index did not answer."""
        return any(text in self.errors for text in _UNANSWERED)

    @property
    def not_found(self) -> str | None:
        """The package that none of the indexes has."""
        found = _NOT_FOUND.search(self.errors)
        return found[1] if found else None

    @property
    def lacks_version(self) -> bool:
        """Whether the indexes have other versions of a required package."""
        return "there is no version of" in self.errors

    def _lines(self) -> list[str]:
        return [line for line in self.errors.splitlines() if line.strip()]


@dataclass(frozen=True)
class Uv:
    """The uv program with the settings for its commands."""

    program: Path
    environment: Mapping[str, str]
    folder: Path
    """The working folder, so that a project in the user's current folder has no effect."""
    index_options: tuple[str, ...] = field(default=())
    """Arguments for commands that look for packages."""
    offline: bool = False
    ignored: tuple[Unreachable, ...] = ()
    """The indexes that are left out."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """The variable or key that sets each address of an index."""
    lock: int | None = None
    """The descriptor of a lock that each command holds too: if this process is killed, until the command has ended."""

    def with_variables(self, **variables: str) -> Uv:
        return replace(self, environment={**self.environment, **variables})

    def run(self, *arguments: str, text: str = "", limit: float | None = None) -> UvResult:
        """Run a command and capture its output; the result is not ``ok`` after ``limit`` seconds."""
        try:
            process = subprocess.run(
                self._command(arguments),
                input=text,
                capture_output=True,
                text=True,
                errors="replace",
                env=dict(self.environment),
                cwd=self.folder,
                pass_fds=self._held,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return UvResult(False, "", f"no answer within {limit:g} s")
        return UvResult(process.returncode == 0, process.stdout, process.stderr)

    def run_verbosely(self, *arguments: str, text: str, report: Report) -> UvResult:
        """Run a long command and report its messages immediately."""
        process = subprocess.Popen(
            self._command(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=dict(self.environment),
            cwd=self.folder,
            pass_fds=self._held,
        )
        lines: deque[str] = deque(maxlen=4 * TAIL)
        with process:
            try:
                _feed(process, text)
                for line in process.stderr or ():
                    lines.append(line.rstrip())
                    if not line.strip().startswith(_DETAILS):
                        report(line.strip())
            except BaseException:
                process.kill()
                raise
        return UvResult(process.returncode == 0, "", "\n".join(lines))

    @property
    def _held(self) -> tuple[int, ...]:
        return () if self.lock is None or sys.platform == "win32" else (self.lock,)

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [str(self.program), *arguments, *(["--offline"] if self.offline else [])]


def _feed(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(text)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it ended before reading its input; its messages say why


def find_uv(environ: Mapping[str, str], folder: Path, *, offline: bool = False) -> Uv:
    """Find the program of the uv package; raise TargetBlocked if it is missing."""
    import uv

    try:
        program = Path(uv.find_uv_bin())
    except FileNotFoundError as error:
        message = " ".join(str(error).split())
        raise TargetBlocked(f"{message}. Reinstall it: python -m pip install --force-reinstall uv") from None
    inherited = {key: value for key, value in environ.items() if key not in _DROPPED}
    return Uv(program, {**inherited, **_ALWAYS}, folder, offline=offline)

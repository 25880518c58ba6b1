"""Running uv, which makes the environments and installs into them."""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.targets.errors import TargetBlocked

COMPILE = ("pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-strip-extras")
"""The command that resolves the requirements on its standard input into exact versions."""
TAIL = 12
"""Lines of uv's messages that an error shows."""
SUMMARY = 300
"""Characters of uv's messages that a line of the log shows."""
_ALWAYS = {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", "NO_COLOR": "1"}
_DETAILS = ("+", "-", "~", "Using Python")
"""How the lines begin that list what a record of the installed packages lists better."""
_DROPPED = frozenset(
    {
        # they would choose another interpreter, project or resolution than the one that is meant
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
class Outcome:
    """How a uv command ended."""

    ok: bool
    output: str
    errors: str

    @property
    def tail(self) -> str:
        """The last lines of its messages, indented for an error of ours."""
        return "\n".join(f"    {line}" for line in self._lines()[-TAIL:])

    @property
    def summary(self) -> str:
        """Its first and its last message, which is the cause of the others, in one line."""
        words = [line.strip().removeprefix("error: ").removeprefix("cause: ") for line in self._lines()]
        text = ": ".join(dict.fromkeys([*words[:1], *words[-1:]]))
        return text if len(text) <= SUMMARY else text[: SUMMARY - 1] + "…"

    def _lines(self) -> list[str]:
        return [line for line in self.errors.splitlines() if line.strip()]


@dataclass(frozen=True)
class Uv:
    """The uv program with the settings that its commands share."""

    program: Path
    environment: Mapping[str, str]
    folder: Path
    """Where it runs, so that no project of the user's current folder changes what it does."""
    index_options: tuple[str, ...] = field(default=())
    """Arguments of the commands that look for packages."""
    offline: bool = False

    def with_variables(self, **variables: str) -> Uv:
        return replace(self, environment={**self.environment, **variables})

    def ask(self, *arguments: str, text: str = "", limit: float | None = None) -> Outcome:
        """Run a command that answers on its standard output; not ``ok`` after ``limit`` seconds."""
        try:
            done = subprocess.run(
                self._command(arguments),
                input=text,
                capture_output=True,
                text=True,
                errors="replace",
                env=dict(self.environment),
                cwd=self.folder,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome(False, "", f"no answer within {limit:g} s")
        return Outcome(done.returncode == 0, done.stdout, done.stderr)

    def work(self, *arguments: str, text: str, say: Callable[[str], None]) -> Outcome:
        """Run a command that takes its time, saying what it says as it says it."""
        process = subprocess.Popen(
            self._command(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=dict(self.environment),
            cwd=self.folder,
        )
        lines: deque[str] = deque(maxlen=4 * TAIL)
        with process:
            try:
                _feed(process, text)
                for line in process.stderr or ():
                    lines.append(line.rstrip())
                    if not line.strip().startswith(_DETAILS):
                        say(line.strip())
            except BaseException:
                process.kill()
                raise
        return Outcome(process.returncode == 0, "", "\n".join(lines))

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [str(self.program), *arguments, *(["--offline"] if self.offline else [])]


def _feed(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(text)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it ended before it read; its messages say why


def find_uv(environ: Mapping[str, str], folder: Path, *, offline: bool = False) -> Uv:
    """Find the uv program that the package of that name brings; TargetBlocked where there is none."""
    import uv

    try:
        program = Path(uv.find_uv_bin())
    except FileNotFoundError as error:
        where = " ".join(str(error).split())
        raise TargetBlocked(f"{where}. Install it again: python -m pip install --force-reinstall uv") from None
    kept = {key: value for key, value in environ.items() if key not in _DROPPED}
    return Uv(program, {**kept, **_ALWAYS}, folder, offline=offline)

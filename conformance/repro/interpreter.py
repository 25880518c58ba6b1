"""A target's interpreter, which chooses between forms of a tensor and runs scripts."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.outcomes.reply import digest
from conformance.places import PACKAGE
from conformance.specification.literals import Tensor
from conformance.targets.errors import TargetBlocked
from conformance.targets.prepared import START_LIMIT, Prepared

_IN_TARGET = PACKAGE / "repro" / "in_target.py"


@dataclass(frozen=True)
class ScriptRun:
    """What a script did."""

    printed: str
    errors: str
    code: int | None
    """Its exit status; None where it did not end in time."""
    results: dict[str, Any] = field(default_factory=dict)
    """Variable to ``digest`` and ``aliased``; empty where the script did not come to its end."""

    def raised(self, name: str) -> str | None:
        """The type of the error that it printed for a call."""
        line = re.search(rf"^{name}: raised (\w+)", self.printed, re.MULTILINE)
        return line[1] if line else None

    def digest(self, name: str) -> str | None:
        return (self.results.get(name) or {}).get("digest")

    @property
    def ending(self) -> str | int | None:
        """The signal that ended it, or its exit status."""
        if self.code is None or self.code >= 0:
            return self.code
        return signal.Signals(-self.code).name if -self.code in signal.valid_signals() else f"signal {-self.code}"


@dataclass(frozen=True)
class Interpreter:
    """The interpreter of a target, run in the folder that ``staged_worker`` made."""

    prepared: Prepared
    folder: Path
    limit: float
    """Seconds for one call."""

    def choose(self, imports: Sequence[str], wanted: Iterable[tuple[Tensor, Iterable[str]]]) -> list[str | None]:
        """For each tensor the first of its forms that gives it; None where none does."""
        tensors = [{"digest": digest(value), "forms": list(forms)} for value, forms in wanted]
        target = {"device": self.prepared.target.device, "mode": self.prepared.target.mode}
        run = self._ask({"do": "choose", "imports": "\n".join(imports), "wanted": tensors, **target}, START_LIMIT)
        chosen: list[str | None] | None = run.results.get("chosen")
        if chosen is None:
            raise TargetBlocked(f"its tensors could not be written down: {run.errors.strip()[-1500:]}")
        return chosen

    def run(self, script: str, result: str, names: Sequence[str], limit: float) -> ScriptRun:
        """Run a script as it stands, for so many seconds at most; what these variables then hold is compared.

        result: the variable with which others may share memory.
        """
        path = self.folder / "script" / "repro.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(script, encoding="utf-8")
        return self._ask({"do": "run", "script": str(path), "result": result, "names": list(names)}, limit)

    def _ask(self, request: dict[str, Any], limit: float) -> ScriptRun:
        inside, asked, answer = (self.folder / name for name in ("in_target.py", "request.json", "answer.json"))
        shutil.copy(_IN_TARGET, inside)
        answer.unlink(missing_ok=True)
        asked.write_text(json.dumps({**request, "adapter": str(self.prepared.target.adapter), "answer": str(answer)}))
        try:
            done = subprocess.run(
                [str(self.prepared.python), str(inside), str(asked)],
                env=self.prepared.process_variables(),
                cwd=self.folder,
                capture_output=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            return ScriptRun(_text(late.stdout), _text(late.stderr), None)
        results = json.loads(answer.read_text()) if answer.exists() else {}
        return ScriptRun(_text(done.stdout), _text(done.stderr), done.returncode, results)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")

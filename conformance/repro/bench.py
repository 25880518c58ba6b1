"""Parts of a script, and the script itself, tried in the target's interpreter."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.places import PACKAGE
from conformance.results.describe import digest
from conformance.specification.literals import Tensor
from conformance.targets.errors import TargetBlocked
from conformance.targets.prepared import START_LIMIT, Prepared, environment

_INSIDE = PACKAGE / "repro" / "in_target.py"


@dataclass(frozen=True)
class Ran:
    """What a script did."""

    printed: str
    errors: str
    code: int | None
    """Its exit status; None where it did not end in time."""
    results: dict[str, Any] = field(default_factory=dict)
    """Variable to ``digest`` and ``aliased``; empty where the script did not come to its end."""

    def raised(self, name: str) -> str | None:
        """The type of the error that it printed for a call."""
        found = re.search(rf"^{name}: raised (\w+)", self.printed, re.MULTILINE)
        return found[1] if found else None

    def digest(self, name: str) -> str | None:
        return (self.results.get(name) or {}).get("digest")

    @property
    def signal(self) -> str | None:
        if self.code is None or self.code >= 0:
            return None
        return signal.Signals(-self.code).name if -self.code in signal.valid_signals() else f"signal {-self.code}"


@dataclass(frozen=True)
class Bench:
    """A folder beside the staged worker in which a target's interpreter tries things."""

    prepared: Prepared
    staged: Path
    """The folder that ``staged_worker`` made."""
    limit: float
    """Seconds for one call."""

    def forms(self, imports: str, wanted: Sequence[tuple[Tensor, Sequence[str]]]) -> list[str | None]:
        """For each tensor the first of its forms that gives it; None where none does."""
        tensors = [{"digest": digest(value), "forms": list(some)} for value, some in wanted]
        request = {"do": "forms", "imports": imports, "wanted": tensors}
        ran = self._ask({**request, "device": self.prepared.device, "mode": self.prepared.mode}, START_LIMIT)
        answer: list[str | None] | None = ran.results.get("forms")
        if answer is None:
            raise TargetBlocked(f"its tensors could not be written down: {ran.errors.strip()[-1500:]}")
        return answer

    def run(self, script: str, got: str, names: Sequence[str], limit: float) -> Ran:
        """Run a script as it stands, for so many seconds at most; afterwards these variables are looked at."""
        path = self.staged / "script" / "repro.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(script, encoding="utf-8")
        return self._ask({"do": "run", "script": str(path), "got": got, "names": list(names)}, limit)

    def _ask(self, request: dict[str, Any], limit: float) -> Ran:
        inside, asked, answer = (self.staged / name for name in ("in_target.py", "asked.json", "answer.json"))
        shutil.copy(_INSIDE, inside)
        answer.unlink(missing_ok=True)
        asked.write_text(json.dumps({**request, "adapter": str(self.prepared.adapter), "answer": str(answer)}))
        command = [str(self.prepared.python), str(inside), str(asked)]
        try:
            done = subprocess.run(
                command,
                env=environment(self.prepared),
                cwd=self.staged,
                capture_output=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            return Ran(_text(late.stdout), _text(late.stderr), None)
        said = json.loads(answer.read_text()) if answer.exists() else {}
        results = {"forms": said} if isinstance(said, list) else said
        return Ran(_text(done.stdout), _text(done.stderr), done.returncode, results)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")

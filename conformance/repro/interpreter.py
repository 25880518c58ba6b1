"""A target's interpreter, which chooses forms of tensors and runs scripts."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.data_folders import PACKAGE
from conformance.environments.errors import TargetBlocked
from conformance.environments.prepared_target import START_LIMIT, Prepared
from conformance.outcomes.reply import digest, tensor_of
from conformance.outcomes.signals import name_of_signal
from conformance.repro.script import RESULTS
from conformance.specification.literals import Tensor
from conformance.worker import arrays

_IN_TARGET = PACKAGE / "repro" / "in_target.py"


@dataclass(frozen=True)
class ScriptRun:
    """What a script printed, how it ended, and the values of its variables."""

    printed: str
    errors: str
    code: int | None
    """Its exit status; None if it did not end in time."""
    results: dict[str, Any] = field(default_factory=dict)
    """By variable, its ``digest`` and ``aliased``; empty if the script did not finish."""

    def raised(self, name: str) -> str | None:
        """The type of the error that the script printed for a call."""
        line = re.search(rf"^{name}: raised (\w+)", self.printed, re.MULTILINE)
        return line[1] if line else None

    def digest(self, name: str) -> str | None:
        return (self.results.get(name) or {}).get("digest")

    def values(self, name: str) -> list[Tensor | str | None]:
        """The results of a call: one, or those of all repetitions.

        The type of an error in place of a result, and None for what is not a tensor.
        """
        described = self.results.get(RESULTS) or [self.results.get(name)]
        return [_value(result or {}) for result in described]

    def is_unreadable(self, name: str) -> bool:
        """Whether a result, or one of all repetitions, has no representation of its own, so that printing it shows nothing."""
        described = self.results.get(RESULTS) or [self.results.get(name)]
        return any((result or {}).get("unreadable") for result in described)

    @property
    def ending(self) -> str | int | None:
        """The signal that ended it, or its exit status."""
        if self.code is None or self.code >= 0:
            return self.code
        return name_of_signal(-self.code)


@dataclass(frozen=True)
class Interpreter:
    """The interpreter of a target, run in the folder that ``staged_worker`` creates."""

    prepared: Prepared
    folder: Path
    limit: float
    """Time limit for one call, in seconds."""
    chosen: dict[str, str | None] = field(default_factory=dict)
    """By digest, the forms that were already chosen: many results have the same tensors."""

    def choose(self, imports: Sequence[str], candidates: Iterable[tuple[Tensor, Iterable[str]]]) -> list[str | None]:
        """For each tensor, the first of its forms that evaluates to it, or None."""
        by_digest = {digest(value): list(forms) for value, forms in candidates}
        new = {key: forms for key, forms in by_digest.items() if key not in self.chosen}
        if new:
            self.chosen.update(zip(new, self._chosen(imports, new), strict=True))
        return [self.chosen[key] for key in by_digest]

    def _chosen(self, imports: Sequence[str], candidates: Mapping[str, Sequence[str]]) -> list[str | None]:
        tensors = [{"digest": key, "forms": forms} for key, forms in candidates.items()]
        target = {"device": self.prepared.target.device, "mode": self.prepared.target.mode}
        run = self._request({"do": "choose", "imports": "\n".join(imports), "tensors": tensors, **target}, START_LIMIT)
        chosen: list[str | None] | None = run.results.get("chosen")
        if chosen is None:
            reason = f"no answer within {START_LIMIT:g} s" if run.code is None else run.errors.strip()[-1500:]
            raise TargetBlocked(f"cannot write its tensors as expressions: {reason}")
        return chosen

    def run(self, script: str, result: str, names: Sequence[str], limit: float) -> ScriptRun:
        """Run a script unchanged for at most ``limit`` seconds, and report the values of the variables ``names``.

        result: the variable that the others are checked for shared memory with.
        """
        path = self.folder / "script" / "repro.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(script, encoding="utf-8")
        return self._request({"do": "run", "script": str(path), "result": result, "names": list(names)}, limit)

    def _request(self, request: dict[str, Any], limit: float) -> ScriptRun:
        program, request_file, reply = (self.folder / name for name in ("in_target.py", "request.json", "reply.json"))
        shutil.copy(_IN_TARGET, program)
        reply.unlink(missing_ok=True)
        adapter = str(self.prepared.target.adapter)
        request_file.write_text(json.dumps({**request, "adapter": adapter, "reply": str(reply)}))
        try:
            completed = subprocess.run(
                [str(self.prepared.python), str(program), str(request_file)],
                env=self.prepared.process_variables(),
                cwd=self.folder,
                capture_output=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired as timeout:
            return ScriptRun(_text(timeout.stdout), _text(timeout.stderr), None)
        results = json.loads(reply.read_text()) if reply.exists() else {}
        return ScriptRun(_text(completed.stdout), _text(completed.stderr), completed.returncode, results)


def _value(described: Mapping[str, Any]) -> Tensor | str | None:
    if "data" not in described:
        return described.get("raised")
    try:
        return tensor_of(*arrays.from_bytes(described["entry"], base64.b64decode(described["data"]), 0))
    except TypeError:
        return None  # a dtype that NumPy lacks


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")

"""Stores draws in a file, so that further runs, targets and versions reuse them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import conformance.specification
from conformance.cases.draws.drawing import DrawnCall
from conformance.cases.draws.generate import RecordedDraw
from conformance.cases.draws.mutations import Mutation
from conformance.files import replacing
from conformance.specification.literals import LiteralError, argument, compact, written_form
from conformance.specification.model import Call

_CODE = (Path(__file__).parent, Path(conformance.specification.__file__).parent)
"""The code that draws depend on, besides the specs."""

Draws = Mapping[str, Sequence[RecordedDraw]]
"""The draws by clause."""


def cache_file(folder: Path, operation: str, *, digest: str, seed: int, count: int) -> Path:
    """The file with the draws of an operation; ``digest`` is that of the specs."""
    return folder / f"{operation}.{count}.{seed}.{digest}.{_digest_of_code()}.jsonl"


@cache
def _digest_of_code() -> str:
    """Differs if other code may give other draws for the same seed, or another format of the file."""
    content = hashlib.sha256()
    for file in sorted(file for folder in _CODE for file in folder.glob("*.py")):
        content.update(file.read_bytes())
    return content.hexdigest()[:16]


def read_draws(file: Path) -> Draws | None:
    """The draws of a file; None if it is missing or incomplete, so that the draws are repeated."""
    try:
        with file.open(encoding="utf-8") as lines:
            counts = json.loads(next(lines, ""))
            draws = {
                clause: [_from_json(json.loads(next(lines))) for _ in range(count)] for clause, count in counts.items()
            }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, StopIteration, LiteralError, RecursionError):
        return None
    return draws


def write_draws(file: Path, draws: Draws) -> None:
    """Store draws and remove those of other versions of the specs or the code; errors of the file system are ignored."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary, temporary.open("w", encoding="utf-8") as lines:
            lines.write(json.dumps({clause: len(clause_draws) for clause, clause_draws in draws.items()}) + "\n")
            for clause_draws in draws.values():
                lines.writelines(json.dumps(_to_json(draw), separators=(",", ":")) + "\n" for draw in clause_draws)
        operation, count, seed, *_ = file.name.split(".")
        for path in file.parent.glob(f"{operation}.{count}.{seed}.*.json*"):
            if path != file:
                path.unlink(missing_ok=True)


def _to_json(draw: RecordedDraw) -> dict[str, Any]:
    drawn = draw.drawn
    record: dict[str, Any] = {"call": _literals(drawn.call), "choices": list(draw.choices)}
    if drawn.control is not None and drawn.mutation is not None:
        # Only the arguments of the control that the mutation changed.
        control = {
            name: value for name, value in drawn.control.arguments.items() if value is not drawn.call.arguments[name]
        }
        mutation = drawn.mutation
        record |= {"control": _literals(Call(control)), "mutation": [mutation.kind, mutation.target, mutation.axis]}
    return record


def _from_json(record: dict[str, Any]) -> RecordedDraw:
    call = _call(record["call"])
    control = call.with_arguments(_call(record["control"]).arguments) if "control" in record else None
    mutation = Mutation(*record["mutation"]) if "mutation" in record else None
    # A draw has more choices than elements: as Python integers they would use most of the memory of a run.
    return RecordedDraw(DrawnCall(call, control, mutation), array("q", record["choices"]))


def _literals(call: Call) -> dict[str, Any]:
    return {name: written_form(value) for name, value in call.arguments.items()}


def _call(written: dict[str, Any]) -> Call:
    return Call({name: compact(argument(value)) for name, value in written.items()})

"""Draws kept in a file, so that a second run, target or version draws nothing."""

from __future__ import annotations

import contextlib
import json
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.cases.draws.generate import Kept
from conformance.cases.draws.mutations import Change
from conformance.cases.draws.plans import Drawn
from conformance.files import replacing
from conformance.specification.literals import LiteralError, argument, lean, written_form
from conformance.specification.model import Call

FORMAT = 4
"""Of the file, and of how calls are drawn: raise it where the same seed gives other draws."""

Draws = Mapping[str, Sequence[Kept]]
"""By clause."""


def cache_file(folder: Path, operation: str, *, digest: str, seed: int, count: int) -> Path:
    """Where the draws of an operation are kept; ``digest`` is that of the specs."""
    return folder / f"{operation}.{count}.{seed}.{digest}.{FORMAT}.jsonl"


def read_draws(file: Path) -> Draws | None:
    """The draws of a file; None where there is none that can be read whole, so that they are made again."""
    try:
        with file.open(encoding="utf-8") as lines:
            counts = json.loads(next(lines, ""))
            draws = {clause: [_kept(json.loads(next(lines))) for _ in range(count)] for clause, count in counts.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, StopIteration, LiteralError):
        return None
    return draws


def write_draws(file: Path, draws: Draws) -> None:
    """Keep draws, in place of those from other texts of the specs; a folder that cannot be written to keeps none."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary, temporary.open("w", encoding="utf-8") as lines:
            lines.write(json.dumps({clause: len(of) for clause, of in draws.items()}) + "\n")
            for of in draws.values():
                lines.writelines(json.dumps(_written(one), separators=(",", ":")) + "\n" for one in of)
        operation, count, seed, *_ = file.name.split(".")
        for other in file.parent.glob(f"{operation}.{count}.{seed}.*.json*"):
            if other != file:
                other.unlink(missing_ok=True)


def _written(kept: Kept) -> dict[str, Any]:
    drawn = kept.drawn
    written: dict[str, Any] = {"call": _literals(drawn.call), "choices": list(kept.choices)}
    if drawn.control is not None and drawn.change is not None:
        # The control differs in what was changed only.
        control = {
            name: value for name, value in drawn.control.arguments.items() if value is not drawn.call.arguments[name]
        }
        change = drawn.change
        written |= {"control": _literals(Call(control)), "change": [change.kind, change.target, change.axis]}
    return written


def _kept(written: dict[str, Any]) -> Kept:
    call = _call(written["call"])
    control = call.with_arguments(_call(written["control"]).arguments) if "control" in written else None
    change = Change(*written["change"]) if "change" in written else None
    # A draw has more choices than elements: as Python's own integers they would be most of a run's memory.
    return Kept(Drawn(call, control, change), array("q", written["choices"]))


def _literals(call: Call) -> dict[str, Any]:
    return {name: written_form(value) for name, value in call.arguments.items()}


def _call(written: dict[str, Any]) -> Call:
    return Call({name: lean(argument(value)) for name, value in written.items()})

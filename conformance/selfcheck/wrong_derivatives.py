"""Adapters whose calls are right and whose derivatives are not, and some whose derivatives are right in another style."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.cases.model import Case
from conformance.judging.vocabulary import Divergence
from conformance.selfcheck.defect import ADD, ALONG, GATHER, INTO, SCATTER, UPDATE
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, all_cases, results

SELECT, COPY, INDEX_ADD = "index_select", "index_copy", "index_add"


@dataclass(frozen=True)
class Derivative:
    """What a planted hook does after it computed ``result`` and ``derivative`` as the reference does."""

    name: str
    lines: str
    """Statements that change them; ``tensors``, ``of``, ``cotangent`` and ``function`` are the arguments of the hook."""
    caught: Divergence | None
    """The kind of divergence that reports it; None for a right one."""
    operations: Sequence[str]
    """The operations for each of which it must be caught."""
    forward: tuple[str, str] = ("", "")
    """A text of the reference and what it is replaced by, if the call itself does something else too."""


_INDEX = "index = next(value for value in tensors.values() if value.dtype.kind in 'iu')\n"
_WRITTEN = "written = of in ('updates', 'src', 'source')\n"

WRONG = (
    Derivative(
        "does not add what several reads of an element give",
        "if of in ('input', 'params'):\n    derivative = np.where(derivative > cotangent.max(initial=0), cotangent.max(initial=0), derivative)",
        "value",
        (GATHER, ALONG, SELECT),
    ),
    Derivative(
        "gives the cotangent to each of several updates to a position",
        _WRITTEN + "if written:\n"
        "    values = {name: value for name, value in tensors.items() if value.dtype.kind == 'f'}\n"
        "    for position in np.ndindex(derivative.shape):\n"
        "        moved = {name: np.zeros(value.shape) if name in values else value for name, value in tensors.items()}\n"
        "        moved[of][position] = 1\n"
        "        for other in np.ndindex(derivative.shape):\n"
        "            if other != position:\n"
        "                moved[of][other] = np.nan\n"
        "        if not derivative[position]:\n"
        "            places = np.isnan(function(**moved))\n"
        "            derivative[position] = cotangent.reshape(-1)[int(np.flatnonzero(places)[0])] if places.any() else 0",
        "value",
        (UPDATE, COPY),
    ),
    Derivative(
        "leaves what was overwritten its derivative",
        "if of in ('tensor', 'input') and derivative.shape == cotangent.shape:\n    derivative = cotangent.copy()",
        "value",
        (UPDATE, COPY),
    ),
    Derivative(
        "gives the derivative of another of several updates than it wrote",
        "if cotangent.shape == result.shape and of in ('updates', 'source', 'src'):\n"
        + "    "
        + _INDEX.replace("\n", "\n    ")
        + "turned = {name: value[::-1].copy() for name, value in tensors.items() if name not in ('tensor', 'input')}\n"
        "    try:\n"
        "        turned = {**tensors, **turned}\n"
        "        derivative = vjp_right(function, turned, of, cotangent)[1][::-1].copy()\n"
        "    except (ValueError, IndexError):\n"
        "        pass",
        "inconsistent",
        (UPDATE,),
    ),
    Derivative(
        "clamps an index and drops its derivative",
        _INDEX + "if of == 'src' and derivative.shape == index.shape:\n"
        "    derivative = np.where((0 <= index) & (index < max(result.shape)), derivative, 0).astype(derivative.dtype)",
        "inconsistent",
        (INTO,),
        ("    component = int(index)\n", "    component = min(max(int(index), 0), shape[axis] - 1)\n"),
    ),
    Derivative("always gives zero", "derivative = np.zeros_like(derivative)", "value", (UPDATE, ADD, SCATTER, GATHER)),
    Derivative("gives ones", "derivative = np.ones_like(derivative)", "value", (UPDATE, GATHER, ALONG, INTO, SELECT)),
    Derivative(
        "gives float64",
        "derivative = derivative.astype(np.float64)",
        "dtype",
        (UPDATE, ADD, SCATTER, GATHER, ALONG, INTO, SELECT, COPY, INDEX_ADD),
    ),
    Derivative(
        "gives NaN if there is nothing to read or to write",
        _INDEX + "derivative = np.full_like(derivative, np.nan) if index.size == 0 else derivative",
        "value",
        (ALONG, INTO, SELECT, COPY, INDEX_ADD),
    ),
    Derivative(
        "has the shape of a vector",
        "derivative = derivative.reshape(-1)",
        "shape",
        (UPDATE, ADD, SCATTER, GATHER, ALONG, INTO, SELECT, COPY, INDEX_ADD),
    ),
    Derivative(
        "gives what lies beyond a shorter index a derivative",
        "if of == 'src':\n    derivative = np.where(derivative == 0, cotangent.dtype.type(1), derivative)",
        "value",
        (INTO,),
    ),
)

RIGHT = (
    Derivative("gives a derivative in another order of memory", "derivative = np.asfortranarray(derivative)", None, ()),
    Derivative(
        "gives negative zeros", "derivative = np.where(derivative == 0, -np.abs(derivative), derivative)", None, ()
    ),
    Derivative(
        "remembers nothing of the data",
        "result, derivative = vjp_right(function, {name: value.copy() for name, value in tensors.items()}, of, cotangent)",
        None,
        (),
    ),
)


def with_hook(derivative: Derivative) -> str:
    """The reference's source with a hook around its own."""
    text = REFERENCE.read_text(encoding="utf-8")
    old, new = derivative.forward
    text = text.replace(old, new) if old else text
    body = "\n".join(f"    {line}" for line in derivative.lines.splitlines())
    hook = (
        f"\n\nvjp_right = vjp\n\n\ndef vjp(function, tensors, of, cotangent):\n"
        f"    result, derivative = vjp_right(function, tensors, of, cotangent)\n{body}\n    return result, derivative\n"
    )
    return text + hook


@cache
def derivatives() -> tuple[Case, ...]:
    """The cases of derivatives."""
    return tuple(case for case in all_cases() if case.call.transform is not None and case.device != "gpu")


def reported(derivative: Derivative, folder: Path) -> Iterator[JudgedCase]:
    """The judgements of a planted hook on all derivatives."""
    path = folder / "derivative.py"
    path.write_text(with_hook(derivative), encoding="utf-8")
    yield from results(path, derivatives())


def missed(derivative: Derivative, folder: Path) -> list[str]:
    """The operations for which no case catches a wrong derivative."""
    caught = {
        judged.case.operation.name
        for judged in reported(derivative, folder)
        if derivative.caught in judged.judgement.divergences
    }
    return [operation for operation in derivative.operations if operation not in caught]


def blamed(derivative: Derivative, folder: Path) -> list[str]:
    """The cases in which a right derivative is reported."""
    return [
        each.case.id for each in reported(derivative, folder) if each.judgement.verdict not in ("conforms", "observed")
    ]


def detections() -> Iterator[Detection]:
    """Every hook, planted and run in this process."""
    with tempfile.TemporaryDirectory() as folder:
        for derivative in WRONG:
            operations = missed(derivative, Path(folder))
            found = f"not detected in {', '.join(operations)}" if operations else str(derivative.caught)
            name = f"a derivative that {derivative.name}"
            yield Detection(name, str(derivative.caught), not operations, found)
        for derivative in RIGHT:
            cases = blamed(derivative, Path(folder))
            found = f"{len(cases)} divergences, first in {cases[0]}" if cases else "no divergence"
            yield Detection(f"a right derivative: {derivative.name}", "no divergence", not cases, found)

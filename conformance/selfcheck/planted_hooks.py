"""Adapters whose calls are right, and a hook that is not, or that is right in another style."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.cases.model import Case
from conformance.judging.vocabulary import Divergence
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, all_cases, results


@dataclass(frozen=True)
class PlantedHook:
    """A hook around that of the reference."""

    name: str
    lines: str
    """Statements that change what that computed: ``result`` and ``derivative``, or the ``result`` of a batch. They see the
    arguments of the hook."""
    caught: Divergence | None
    """The kind of divergence that reports it; None for a right one."""
    operations: Sequence[str] = ()
    """The operations for each of which it must be caught."""
    forward: tuple[str, str] = ("", "")
    """A text of the reference and what it is replaced by, if the call itself does something else too."""
    kind: str = "vjp"
    """The name of the hook."""


_SIGNATURES = {
    "vjp": ("function, tensors, of, cotangent", "result, derivative"),
    "jvp": ("function, tensors, of, tangent", "result, derivative"),
    "vmap": ("function, tensors, axes", "result"),
}
"""By kind, the arguments of a hook, and what it returns."""


def with_hook(planted: PlantedHook) -> str:
    """The reference's source with a hook around its own."""
    text = REFERENCE.read_text(encoding="utf-8")
    old, new = planted.forward
    text = text.replace(old, new) if old else text
    body = "\n".join(f"    {line}" for line in planted.lines.splitlines())
    (arguments, returned), kind = _SIGNATURES[planted.kind], planted.kind
    return text + (
        f"\n\n{kind}_right = {kind}\n\n\ndef {kind}({arguments}):\n"
        f"    {returned} = {kind}_right({arguments})\n{body}\n    return {returned}\n"
    )


@cache
def transformed(kind: str) -> tuple[Case, ...]:
    """The cases that a hook of this kind is planted for: of derivatives those of both modes, of batches the sample."""
    cases = [case for case in all_cases() if case.call.transform is not None and case.device != "gpu"]
    if kind == "vmap":
        return tuple(case for case in cases if case.call.transformation == kind and not case.is_extra)
    return tuple(case for case in cases if case.call.transformation != "vmap")


def reported(planted: PlantedHook, folder: Path, cases: Sequence[Case]) -> Iterator[JudgedCase]:
    """The judgements of a planted hook on these cases."""
    path = folder / "hook.py"
    path.write_text(with_hook(planted), encoding="utf-8")
    yield from results(path, cases)


def missed(planted: PlantedHook, folder: Path) -> list[str]:
    """The operations for which no case catches a wrong hook."""
    return [operation for operation in planted.operations if not _is_caught(planted, operation, folder)]


def _is_caught(planted: PlantedHook, operation: str, folder: Path) -> bool:
    cases = [case for case in transformed(planted.kind) if case.operation.name == operation]
    return any(planted.caught in judged.judgement.divergences for judged in reported(planted, folder, cases))


def blamed(planted: PlantedHook, folder: Path) -> list[str]:
    """The cases in which a right hook is reported."""
    judged = reported(planted, folder, transformed(planted.kind))
    return [each.case.id for each in judged if each.is_blamed]


def detections(wrong: Sequence[PlantedHook], right: Sequence[PlantedHook], what: str) -> Iterator[Detection]:
    """Every hook, planted and run in this process. what: what they compute."""
    with tempfile.TemporaryDirectory() as folder:
        for planted in wrong:
            operations = missed(planted, Path(folder))
            found = f"not detected in {', '.join(operations)}" if operations else str(planted.caught)
            yield Detection(f"a {what} that {planted.name}", str(planted.caught), not operations, found)
        for planted in right:
            cases = blamed(planted, Path(folder))
            found = f"{len(cases)} divergences, first in {cases[0]}" if cases else "no divergence"
            yield Detection(f"a right {what}: {planted.name}", "no divergence", not cases, found)

"""``conformance export onnx``: cases as the test data of ONNX's backends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.app.options import RunOptions
from conformance.cases.model import Case
from conformance.cli.export_cases import left_out_lines, selected
from conformance.export.backend_tests import Drawn, Exported, ExportError, Opsets, export
from conformance.export.index import Index
from conformance.export.operators import opsets as known_opsets
from conformance.reports.text import counted
from conformance.results.exit_status import NOTHING_SELECTED


def export_onnx(
    folder: Path,
    ids: tuple[str, ...],
    operations: tuple[str, ...],
    keyword: str | None,
    specs: Path | None,
    dtypes: tuple[str, ...],
    opsets: tuple[int, ...],
    draws: int,
    seed: int,
) -> int:
    """Write the selected cases, and say how many and what was left out."""
    chosen = _opsets(opsets)
    inputs = selected(
        RunOptions(ids, folder, operations=operations, keyword=keyword, specs=specs, draws=draws, seed=seed)
    )
    _check_dtypes(dtypes, inputs.cases)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        exported = export(folder, inputs.catalogue, inputs.cases, chosen, Drawn(draws, seed), frozenset(dtypes) or None)
    except ExportError as error:
        raise ConformanceError(str(error)) from None
    for line in _summary(exported):
        click.echo(line)
    return 0 if exported.returns.cases or exported.raises.cases else NOTHING_SELECTED


def _check_dtypes(asked: Sequence[str], cases: Sequence[Case]) -> None:
    known = sorted({dtype for case in cases for dtype in case.facts.dtypes})
    for dtype in asked:
        if dtype not in known:
            raise ConformanceError(f"--dtype {dtype}: no selected case has such a tensor; they have {', '.join(known)}")


def _opsets(asked: Sequence[int]) -> Opsets:
    known = known_opsets()
    for number in asked:
        if number not in known:
            names = ", ".join(map(str, known))
            raise ConformanceError(
                f"--opset {number}: none of the operators changed in this opset; the opsets in which one did: {names}"
            )
    return Opsets(sorted(set(asked)) or known, each=bool(asked))


def _summary(exported: Exported) -> list[str]:
    left_out = Counter(exported.returns.left_out) + Counter(exported.raises.left_out)
    return [
        _line(exported.returns, "must return, in returns and index.json"),
        _line(exported.raises, "must fail, in raises and raises.json"),
        *left_out_lines(left_out),
    ]


def _line(index: Index, what: str) -> str:
    cases = len({case.case for case in index.cases})
    return f"{counted(len(index.cases), 'model')} of {counted(cases, 'case')} that {what}"

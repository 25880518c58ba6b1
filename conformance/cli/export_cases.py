"""``conformance export cases`` and ``export pytest``: cases as JSON and npz, and a file of tests that reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.app.options import RunOptions
from conformance.app.output import not_writable
from conformance.app.run import Inputs, load_inputs
from conformance.export.case_lines import CASES, TENSORS, write_cases
from conformance.export.index import REASONS, Reason
from conformance.judging.asking import names_of_apis
from conformance.reports.text import counted
from conformance.results.exit_status import NOTHING_SELECTED
from conformance.specification.model import Operation
from conformance.specification.problems import nearest
from conformance.version import __version__

TESTS = "test_cases.py"


def export_cases(
    folder: Path,
    ids: tuple[str, ...],
    operations: tuple[str, ...],
    keyword: str | None,
    specs: Path | None,
    draws: int,
    seed: int,
    follows: tuple[str, ...],
    *,
    tests: bool,
) -> int:
    """Write the selected cases, and say how many and what was left out.

    follows: APIs whose documentation the functions under test promise.
    tests: also write a file of tests for pytest that reads them.
    """
    inputs = selected(
        RunOptions(ids, folder, operations=operations, keyword=keyword, specs=specs, draws=draws, seed=seed)
    )
    _check_follows(follows, {case.operation.name: case.operation for case in inputs.cases}.values())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = write_cases(folder, inputs.cases, __version__, inputs.catalogue.digest, follows)
        if tests:
            source = Path(__file__).parents[1] / "export" / "standalone_tests.py"
            (folder / TESTS).write_bytes(source.read_bytes())
    except OSError as error:
        raise not_writable(folder, error) from None
    files = [CASES, TENSORS, *([TESTS] if tests else [])]
    click.echo(f"{counted(written.cases, 'case')} in {', '.join(str(folder / name) for name in files)}")
    for line in left_out_lines(written.left_out):
        click.echo(line)
    return 0 if written.cases else NOTHING_SELECTED


def _check_follows(follows: Sequence[str], operations: Collection[Operation]) -> None:
    """Fail for a name that no document about a selected operation describes."""
    known = list(dict.fromkeys(name for operation in operations for name in names_of_apis(operation)))
    for name in follows:
        if name not in known:
            raise ConformanceError(
                f"--follows {name}: no document about the selected operations describes such an API{nearest(name, known)}"
            )


def selected(options: RunOptions) -> Inputs:
    """The cases to export; ConformanceError for a word that is no id."""
    inputs = load_inputs(options)
    if inputs.words:
        raise ConformanceError(f"{inputs.words[0]!r} is not the id of a case; `conformance list cases` lists them")
    return inputs


def left_out_lines(left_out: Counter[Reason]) -> list[str]:
    """How many cases were left out, and why."""
    return [
        f"{counted(left_out.total(), 'case')} left out",
        *(f"  {count}: {REASONS[reason]}" for reason, count in left_out.most_common()),
    ]

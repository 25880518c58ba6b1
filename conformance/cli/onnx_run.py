"""``conformance onnx-run``: run a program on the models of an export, and write its results and reports."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import click

from conformance.app.errors import ConformanceError, invalid
from conformance.app.options import RunOptions
from conformance.app.output import new_output, unreadable
from conformance.app.run import load_inputs
from conformance.cases.model import Case
from conformance.cli.run import report_run
from conformance.export.index import Index
from conformance.files import temporary_folder
from conformance.judging.vocabulary import FailOn
from conformance.known.load import load_known
from conformance.known.model import KnownDivergences
from conformance.processes.program import Limits
from conformance.reports.progress import progress
from conformance.results.exit_status import NOTHING_SELECTED
from conformance.results.file import FILE_NAMES, ResultsError, ResultsWriter, read_results
from conformance.results.order import in_order, write_results
from conformance.results.records import ProgramRecord
from conformance.runtimes.models import Model, NotAnExport, models, read_indexes
from conformance.runtimes.program import PLACES, Program
from conformance.runtimes.records import Runtime, default_name, run_record, write_run
from conformance.specification.problems import SpecError

_MIB = 2**20


def onnx_run(
    folder: Path,
    command: Sequence[str],
    *,
    name: str | None,
    release: str | None,
    only: Sequence[str],
    exclude: Sequence[str],
    dtypes: Sequence[str],
    timeout: float,
    memory: int,
    parallel: int,
    known: Path | None,
    output: Path | None,
    fail_on: FailOn,
    quiet: bool,
) -> int:
    """Run the program on each model in a process of its own; the exit status of the run."""
    begun = time.monotonic()
    _check_command(command)
    chosen, inputs = _models(folder, only, exclude, dtypes)
    if not chosen:
        raise ConformanceError(f"{folder}: --only, --exclude and --exclude-dtype leave no model", NOTHING_SELECTED)
    runtime = Runtime(name or default_name(command), release, ProgramRecord(str(folder), [*command]))
    ledger = _ledger(known)
    run_output = new_output(output)
    with run_output.held("--output"):
        run_output.open(quiet=quiet, gzip=False)
        file = run_output.folder / FILE_NAMES[False]
        record = run_record(
            shlex.join(["conformance", *sys.argv[1:]]),
            inputs.catalogue,
            [runtime.target(opset).id for opset in sorted({model.entry.opset for model in chosen})],
            inputs.index.draws,
            inputs.index.seed,
        )
        try:
            with (
                progress(sys.stderr, quiet=quiet) as listener,
                ResultsWriter(file) as writer,
                temporary_folder() as workspace,
            ):
                program = Program(command, Limits(timeout, memory * _MIB), workspace)
                write_run(
                    writer,
                    runtime,
                    program,
                    chosen,
                    inputs.catalogue,
                    inputs.facts,
                    ledger,
                    record,
                    parallel,
                    listener,
                )
        except (FileNotFoundError, PermissionError) as error:
            raise ConformanceError(f"{command[0]}: cannot be started: {error.strerror}") from None
        try:
            results = in_order(read_results(file))
        except ResultsError as error:
            raise unreadable(error) from None
        write_results(results, file)
        return report_run(results, run_output, fail_on=fail_on, seconds=time.monotonic() - begun)


class _Inputs:
    """The specs and cases that an export was made from."""

    def __init__(self, folder: Path, indexes: Sequence[Index]) -> None:
        self.index = indexes[0]
        words = tuple(dict.fromkeys(entry.case for index in indexes for entry in index.cases))
        operations = tuple(dict.fromkeys(word.partition(".")[0] for word in words))
        loaded = load_inputs(
            RunOptions((), folder, operations=operations, draws=self.index.draws, seed=self.index.seed)
        )
        self.catalogue = loaded.catalogue
        self.facts = loaded.all_cases
        self.cases: dict[str, Case] = {case.id: case for case in loaded.cases}
        if self.catalogue.digest != self.index.spec_digest:
            raise ConformanceError(
                f"{folder}: was exported from other specs (conformance {self.index.suite_version}, digest "
                f"{self.index.spec_digest}; here {self.catalogue.digest}); export it again with this version"
            )


def _models(
    folder: Path, only: Sequence[str], exclude: Sequence[str], dtypes: Sequence[str]
) -> tuple[list[Model], _Inputs]:
    try:
        indexes = read_indexes(folder)
    except NotAnExport as error:
        raise ConformanceError(str(error)) from None
    inputs = _Inputs(folder, indexes)
    found = models(folder.resolve(), indexes, inputs.cases, inputs.catalogue.documents.values())
    every = [model for model in found if not only or any(fnmatchcase(model.case.id, pattern) for pattern in only)]
    left_out: Counter[str] = Counter()
    chosen = []
    for model in every:
        reason = next((pattern for pattern in exclude if fnmatchcase(model.case.id, pattern)), None)
        reason = reason or next((dtype for dtype in dtypes if dtype in model.case.facts.dtypes), None)
        if reason is None:
            chosen.append(model)
        else:
            left_out[reason] += 1
    for word in (*exclude, *dtypes):
        if word not in left_out:
            click.echo(f"conformance: nothing is excluded by {word}", err=True)
    if left_out:
        counts = ", ".join(f"{count} by {word}" for word, count in left_out.most_common())
        click.echo(f"{left_out.total()} of {len(every)} models excluded: {counts}", err=True)
    return chosen, inputs


def _check_command(command: Sequence[str]) -> None:
    text = " ".join(command)
    missing = [place for place in PLACES if place not in text]
    if missing:
        raise ConformanceError(
            f"the command lacks {' and '.join(missing)}, in whose place the paths of a model, of the folder with its inputs and "
            "of the one for its output stand: -- ./mine {model} {inputs} {outputs}"
        )


def _ledger(path: Path | None) -> KnownDivergences:
    if path is None:
        return KnownDivergences()
    try:
        return load_known(path)
    except SpecError as error:
        raise invalid(error.problems, "in known divergences") from None

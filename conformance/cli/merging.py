"""Results files of a command put together and written with their reports, with every way that it can fail."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from conformance.cli.failures import USAGE, Failure
from conformance.cli.output import open_output
from conformance.matrix.merging import merged
from conformance.matrix.parts import MergeError
from conformance.matrix.reading import read_parts
from conformance.reports.write import write_reports
from conformance.results.file import FILE_NAME, Results, ResultsError
from conformance.results.order import write_results


def merge_into(files: Sequence[Path], folder: Path | None, *, quiet: bool = False) -> Results:
    """All files as one run, written to a folder with its reports; what was left out is told on standard error."""
    if folder is None:
        raise Failure(
            USAGE, f"{len(files)} results files are put together in a folder of their own: name it with --output"
        )
    if (folder / FILE_NAME).resolve() in {file.resolve() for file in files}:
        raise Failure(USAGE, f"--output {folder}: is one of the folders that are put together; name another one")
    try:
        whole = merged(read_parts(files), shlex.join(["conformance", *sys.argv[1:]]))
    except (ResultsError, MergeError) as error:
        raise Failure(USAGE, str(error)) from None
    replaced = open_output(folder)
    for remark in [*([replaced] if replaced and not quiet else []), *whole.remarks]:
        click.echo(remark, err=True)
    write_results(whole.results, folder / FILE_NAME)
    write_reports(whole.results, folder)
    return whole.results

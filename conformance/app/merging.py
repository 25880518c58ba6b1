"""Merging results files into an output folder with its reports."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.app.output import open_output
from conformance.matrix.merging import merged
from conformance.matrix.parts import Merged, MergeError
from conformance.matrix.reading import read_parts
from conformance.reports.write import write_reports
from conformance.results.file import Results, ResultsError, results_file
from conformance.results.order import write_results


def merge_of(files: Sequence[Path], folder: Path) -> Merged:
    """All files as one run, to be written to a folder; ConformanceError if they do not fit together."""
    if results_file(folder).resolve() in {file.resolve() for file in files}:
        raise ConformanceError(f"--output {folder}: is one of the folders to merge; choose another one")
    try:
        return merged(read_parts(files), shlex.join(["conformance", *sys.argv[1:]]))
    except (ResultsError, MergeError) as error:
        raise ConformanceError(str(error)) from None


def write_merged(merge: Merged, folder: Path, *, quiet: bool = False, gzip: bool = False) -> Results:
    """Write one run with reports; what was left out is reported on standard error."""
    file = open_output(folder, quiet=quiet, gzip=gzip)
    for remark in merge.remarks:
        click.echo(remark, err=True)
    write_results(merge.results, file)
    write_reports(merge.results, folder)
    return merge.results

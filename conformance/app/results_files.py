"""Reading and merging results files; one that cannot be read, or does not fit, is a ConformanceError."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.app.output import open_output
from conformance.matrix.merging import merged
from conformance.matrix.parts import Merged, MergeError
from conformance.matrix.reading import read_parts, results_files
from conformance.reports.write import write_reports
from conformance.results.file import Results, ResultsError, read_results, read_run, results_file
from conformance.results.order import write_results
from conformance.results.records import RunRecord


def load_results(path: Path, prefix: str = "") -> Results:
    """Read a results file, or the one in a folder; ``prefix`` begins the message of a failure."""
    try:
        return read_results(path)
    except ResultsError as error:
        raise ConformanceError(f"{prefix}{error}") from None


def load_run(path: Path, prefix: str = "") -> RunRecord:
    """Read only how the run was requested; as ``load_results``."""
    try:
        return read_run(results_file(path))
    except ResultsError as error:
        raise ConformanceError(f"{prefix}{error}") from None


def find_results(paths: Iterable[Path]) -> list[Path]:
    """The results files among files and folders, subfolders included."""
    try:
        return [file for path in paths for file in results_files(path)]
    except ResultsError as error:
        raise ConformanceError(str(error)) from None


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

"""``conformance report``: the reports of a run made again from its results.jsonl."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.failures import USAGE, Failure
from conformance.reports.terminal import show_summary
from conformance.reports.write import REPORTS, write_reports
from conformance.runs.results import FILE_NAME, Results, ResultsError, read_results


@click.command(name="report")
@click.argument("results", type=click.Path(path_type=Path), metavar="RESULTS")
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
              help="Where to write; beside the results by default.")  # fmt: skip
def command(results: Path, output: Path | None) -> int:
    """Make index.html, junit.xml and summary.md again from RESULTS, a results.jsonl or the folder that holds one."""
    read = _read(results)
    file = results / FILE_NAME if results.is_dir() else results
    folder = output or file.parent
    _check_folder(folder, file)
    replaced = [name for name in REPORTS if (folder / name).exists()]
    try:
        write_reports(read, folder)
    except OSError as error:
        text = f"{folder}: cannot be written: {error.strerror or error}; name another folder with --output"
        raise Failure(USAGE, text) from None
    if replaced:
        click.echo(f"{folder}: replaced {', '.join(replaced)}", err=True)
    show_summary(read, folder)
    return 0


def _read(path: Path) -> Results:
    try:
        return read_results(path)
    except ResultsError as error:
        raise Failure(USAGE, str(error)) from None


def _check_folder(folder: Path, file: Path) -> None:
    """A report lies beside its own results or alone, never beside those of another run."""
    if folder.exists() and not folder.is_dir():
        raise Failure(USAGE, f"--output {folder}: is a file; name a folder, which is made where it does not exist")
    other = folder / FILE_NAME
    if other.exists() and not other.samefile(file):
        text = f"--output {folder}: holds the {FILE_NAME} of another run; name another folder"
        raise Failure(USAGE, text)

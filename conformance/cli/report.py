"""``conformance report``: the reports of a run made again from its results.jsonl, or of several runs as one."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from conformance.cli import github as telling
from conformance.cli.failures import USAGE, Failure
from conformance.cli.merging import merge_into
from conformance.matrix.reading import results_files
from conformance.reports.porting import PortingError, chosen_targets, porting_lines
from conformance.reports.terminal import show_summary
from conformance.reports.write import REPORTS, write_reports
from conformance.results.file import FILE_NAME, Results, ResultsError, read_results


@click.command(name="report")
@click.argument("results", type=click.Path(path_type=Path), metavar="RESULTS...", nargs=-1, required=True)
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
              help="Where to write; beside the results by default.")  # fmt: skip
@click.option("--porting", multiple=True, metavar="TARGET",
              help="Print where these targets agree instead; give it twice or more.")  # fmt: skip
@telling.github
def command(results: tuple[Path, ...], output: Path | None, porting: tuple[str, ...], *, github: bool) -> int:
    """Make index.html, junit.xml and summary.md again from RESULTS, a results.jsonl or the folder that holds one.

    Several are put together as one run: shards of a run, or runs of several targets. They are of the same specs, seed
    and version of the suite, and the whole is written to --output with a results.jsonl of its own.
    """
    files = _files(results)
    if porting:
        return _porting(files, porting)
    if github:
        telling.check_step()
    whole = merge_into(files, output) if len(files) > 1 else _again(files[0], output)
    show_summary(whole, output or files[0].parent)
    if github:
        telling.tell(whole, "own")
    return 0


def _files(paths: tuple[Path, ...]) -> list[Path]:
    try:
        return [file for path in paths for file in results_files(path)]
    except ResultsError as error:
        raise Failure(USAGE, str(error)) from None


def _porting(files: list[Path], names: tuple[str, ...]) -> int:
    if len(files) > 1:
        text = f"--porting reads one results file, not {len(files)}; put them together with --output DIR first"
        raise Failure(USAGE, text)
    read = _read(files[0])
    try:
        targets = chosen_targets(read, names)
    except PortingError as error:
        raise Failure(USAGE, str(error)) from None
    for line in porting_lines(read, targets, shutil.get_terminal_size().columns):
        click.echo(line)
    return 0


def _again(file: Path, output: Path | None) -> Results:
    read = _read(file)
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
    return read


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

"""The output folder of a run. A run never overwrites files that conformance did not write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from conformance.cli.failures import USAGE, Failure
from conformance.files import FolderInUse, locked_folder
from conformance.reports.text import one_line
from conformance.results.file import FILE_NAMES, ResultsError, read_run, results_file

WRITTEN = (*FILE_NAMES, "index.html", "junit.xml", "summary.md")


def open_output(folder: Path, *, quiet: bool = False, gzip: bool = False) -> Path:
    """Create the folder, or clear the results of an earlier run in it and report that unless quiet; the new results file.

    Failure if it is a file, cannot be written, or contains reports without results.
    """
    check_folder(folder)
    message = _overwriting(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in WRITTEN:
            (folder / name).unlink(missing_ok=True)
        file = folder / FILE_NAMES[gzip]
        file.touch()
    except OSError as error:
        raise not_writable(folder, error) from None
    if message and not quiet:
        click.echo(message, err=True)
    return file


@contextmanager
def held(folder: Path, option: str = "--output") -> Iterator[None]:
    """Create the folder if necessary, and keep other runs from writing into it; Failure if one does."""
    check_folder(folder)
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked_folder(folder))
        except FolderInUse:
            text = f"{option} {folder}: another run writes to it{_by(folder)}; wait until it has ended"
            raise Failure(USAGE, text if option == "--resume" else f"{text}, or choose another folder") from None
        except OSError as error:
            raise not_writable(folder, error) from None
        yield


def _by(folder: Path) -> str:
    try:
        run = read_run(results_file(folder))
    except ResultsError:
        return ""
    return f" (started {run.started}: {one_line(run.command)})"


def check_folder(folder: Path) -> None:
    """Fail if the output folder is a file."""
    if folder.exists() and not folder.is_dir():
        raise Failure(USAGE, f"--output {folder}: is a file; expected a folder (created if it does not exist)")


def not_writable(folder: Path, error: OSError) -> Failure:
    return Failure(USAGE, f"--output {folder}: cannot be written: {error.strerror or error}; choose another folder")


def unreadable(error: ResultsError) -> Failure:
    """The results of a run that has just written them cannot be read."""
    return Failure(USAGE, f"another program changed the output of this run: {error}")


def _overwriting(folder: Path) -> str | None:
    existing = [name for name in WRITTEN if (folder / name).exists()]
    if not existing:
        return None
    if not {*FILE_NAMES} & {*existing}:
        names = ", ".join(existing)
        text = f"--output {folder}: contains files that conformance did not write ({names}); choose another folder"
        raise Failure(USAGE, text)
    return f"overwriting the results of {started_of(folder)} in {folder}; use --output to keep both"


def started_of(folder: Path) -> str:
    """When the run in a folder began."""
    try:
        return read_run(results_file(folder)).started
    except ResultsError:
        return "an unknown time"

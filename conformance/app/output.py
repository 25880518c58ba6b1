"""Where a run writes.

It never overwrites files that conformance did not write, and its results replace those of an earlier run once they
are whole, never before.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.app.options import OUTPUT, RUNS
from conformance.files import FolderInUse, locked_folder, temporary_beside
from conformance.reports.text import one_line
from conformance.results.exit_status import STOPPED
from conformance.results.file import FILE_NAMES, Results, ResultsError, read_run, results_file

UNFINISHED = "unfinished"
"""The subfolder of an output folder with results to which a run writes until its own are whole."""


def open_output(folder: Path, *, quiet: bool = False, gzip: bool = False) -> Path:
    """Create the folder, or clear the results of an earlier run in it and report that unless quiet; the new results file.

    ConformanceError if it is a file, cannot be written, or contains reports without results.
    """
    from conformance.reports.site import remove_site

    check_folder(folder)
    message = _overwriting(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in _written():
            _remove(folder / name)
        remove_site(folder)
        file = folder / FILE_NAMES[gzip]
        file.touch()
    except OSError as error:
        raise not_writable(folder, error) from None
    if message and not quiet:
        click.echo(message, err=True)
    return file


@contextmanager
def held(folder: Path, option: str = "--output") -> Iterator[None]:
    """Create the folder if necessary, and keep other runs from writing into it; ConformanceError if one does."""
    check_folder(folder)
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked_folder(folder))
        except FolderInUse:
            text = f"{option} {folder}: another run writes to it{_by(folder)}; wait until it has ended"
            raise ConformanceError(text if option == "--resume" else f"{text}, or choose another folder") from None
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
        raise ConformanceError(f"--output {folder}: is a file; expected a folder (created if it does not exist)")


def not_writable(folder: Path, error: OSError) -> ConformanceError:
    return ConformanceError(f"--output {folder}: cannot be written: {error.strerror or error}; choose another folder")


def unreadable(error: ResultsError) -> ConformanceError:
    """The results of a run that has just written them cannot be read."""
    return ConformanceError(f"another program changed the output of this run: {error}")


def _written() -> tuple[str, ...]:
    """The names of whatever a run may leave in its folder, the results first."""
    from conformance.reports.write import WRITTEN  # slow to import, which it is while targets start

    return (*FILE_NAMES, *WRITTEN)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _overwriting(folder: Path) -> str | None:
    existing = [name for name in _written() if (folder / name).exists()]
    if not existing:
        return None
    if not {*FILE_NAMES} & {*existing}:
        names = ", ".join(existing)
        text = (
            f"--output {folder}: contains {names} but no results, so that they may be somebody's own files; "
            "remove them or choose another folder"
        )
        raise ConformanceError(text)
    return f"overwriting the results of {started_of(folder)} in {folder}; use --output to keep both"


def started_of(folder: Path) -> str:
    """When the run in a folder began."""
    try:
        return read_run(results_file(folder)).started
    except ResultsError:
        return "an unknown time"


@dataclass(frozen=True)
class RunOutput:
    """Where a run writes, and where its results belong once they are whole."""

    folder: Path
    final: Path
    is_link: bool = False
    """``final`` is a link to the folder of the last whole run."""

    @property
    def lasting(self) -> str:
        """The folder of the results once they are whole, which a later run without --output does not replace."""
        return str(self.folder if self.is_link else self.final)

    @contextmanager
    def held(self, option: str) -> Iterator[None]:
        """Keep other runs from writing there; ConformanceError if one does."""
        with held(self.folder if self.is_link else self.final, option):
            yield

    def open(self, *, quiet: bool, gzip: bool) -> None:
        """Create the folder, or clear it; ConformanceError if it cannot be written."""
        open_output(self.folder, quiet=quiet, gzip=gzip)
        if not quiet and not self.is_link and self.folder != self.final:
            started = started_of(self.final)
            text = f"the results of {started} in {self.final} are replaced when this run is complete"
            click.echo(f"{text}; use --output to keep both", err=True)

    def publish(self, results: Results) -> Path:
        """Replace earlier results if these are whole; the folder in which these are now, see ``not_replaced``."""
        if self.folder == self.final:
            return self.final
        if not is_whole(results):
            return self.folder
        try:
            if self.is_link:
                _link(self.final, self.folder)
            else:
                _move(self.folder, self.final)
        except OSError as error:
            raise not_writable(self.final, error) from None
        return self.final

    def not_replaced(self, folder: Path) -> str | None:
        """A sentence if earlier results stay, since those in this folder are not whole."""
        if not self.final.exists() or folder.resolve() == self.final.resolve():
            return None
        return f"{self.final} still has the results of {started_of(self.final)}; those of this run are in {folder}"


def is_whole(results: Results) -> bool:
    """Whether a run ended as requested with any result, so that it may replace an earlier one."""
    ended = results.end is not None and (results.end.complete or results.end.reason == STOPPED)
    return ended and bool(results.results)


def new_output(output: Path | None) -> RunOutput:
    """The output of a new run; by default in a folder of its own, to which a link points once the run is whole."""
    if output is None and (not OUTPUT.exists() or _is_run(OUTPUT)):
        return RunOutput(_unused(RUNS), OUTPUT, is_link=True)
    final = output or OUTPUT
    check_folder(final)
    return RunOutput(final / UNFINISHED if results_file(final).exists() else final, final)


def resumed_output(folder: Path) -> RunOutput:
    """The output of a run that is resumed: the unfinished one in the folder, if there is one."""
    if folder.name == UNFINISHED and results_file(folder.parent).exists():
        return RunOutput(folder, folder.parent)
    if results_file(folder / UNFINISHED).exists():
        return RunOutput(folder / UNFINISHED, folder)
    if _is_run(folder):
        return RunOutput(RUNS / folder.resolve().name, OUTPUT, is_link=True)
    return RunOutput(folder, folder)


def _is_run(folder: Path) -> bool:
    """Whether a folder, or what a link points to, is one of a run without --output."""
    return folder.resolve().parent == RUNS.resolve()


def _unused(parent: Path) -> Path:
    name = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
    return next(parent / name for name in names if not (parent / name).exists())


def _link(link: Path, folder: Path) -> None:
    """Point a link to a folder, atomically."""
    new = temporary_beside(link)
    new.symlink_to(os.path.relpath(folder, link.parent), target_is_directory=True)
    new.replace(link)


def _move(source: Path, folder: Path) -> None:
    """Move what a run has written, and remove what an earlier run wrote; the results come last."""
    from conformance.reports.site import move_site

    move_site(source, folder)
    for name in reversed(_written()):
        new, old = source / name, folder / name
        if old.is_dir() or not new.exists():
            _remove(old)
        if new.exists():
            new.replace(old)
    with suppress(OSError):  # a file of someone else's may be in it
        source.rmdir()

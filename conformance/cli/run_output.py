"""Where a run writes. Its results replace those of an earlier run once they are whole, never before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from conformance.cli.commands.options import OUTPUT, RUNS
from conformance.cli.output import check_folder, held, not_writable, open_output, started_of
from conformance.results.exit_status import STOPPED
from conformance.results.file import FILE_NAMES, Results, results_file

UNFINISHED = "unfinished"
"""The subfolder of an output folder with results to which a run writes until its own are whole."""
_REPORTS = ("index.html", "junit.xml", "summary.md", "behaviours.json", "badge.json", "feed.json")
_WRITTEN = (*FILE_NAMES, *_REPORTS, "counterexamples")


@dataclass(frozen=True)
class RunOutput:
    """Where a run writes, and where its results belong once they are whole."""

    folder: Path
    final: Path
    is_link: bool = False
    """``final`` is a link to the folder of the last whole run."""

    @contextmanager
    def held(self, option: str) -> Iterator[None]:
        """Keep other runs from writing there; Failure if one does."""
        with held(self.folder if self.is_link else self.final, option):
            if self.is_link and not self.final.exists():
                _link(self.final, self.folder)
            yield

    def open(self, *, quiet: bool, gzip: bool) -> None:
        """Create the folder, or clear it; Failure if it cannot be written."""
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
        if folder.resolve() == self.final.resolve():
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
    new = link.with_name(f".{os.getpid()}.{link.name}")
    new.unlink(missing_ok=True)
    new.symlink_to(os.path.relpath(folder, link.parent), target_is_directory=True)
    new.replace(link)


def _move(source: Path, folder: Path) -> None:
    """Move what a run has written, and remove what an earlier run wrote; the results come last."""
    for name in reversed(_WRITTEN):
        new, old = source / name, folder / name
        if old.is_dir():
            shutil.rmtree(old)
        elif not new.exists():
            old.unlink(missing_ok=True)
        if new.exists():
            new.replace(old)
    with suppress(OSError):  # a file of someone else's may be in it
        source.rmdir()

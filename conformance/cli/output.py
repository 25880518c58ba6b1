"""The folder that a run writes to: its own, never somebody else's files, never an older run unsaid."""

from __future__ import annotations

from pathlib import Path

from conformance.cli.failures import USAGE, Failure
from conformance.results.file import FILE_NAME, ResultsError, read_run

WRITTEN = (FILE_NAME, "index.html", "junit.xml", "summary.md")
DEFAULT = Path("conformance-report")


def open_output(folder: Path) -> str | None:
    """Make the folder ready for a run and clear an older run of it; what was replaced, in a sentence.

    Failure where it is a file, cannot be written, or holds files of the same names that no run wrote.
    """
    if folder.exists() and not folder.is_dir():
        raise Failure(USAGE, f"--output {folder}: is a file; name a folder, which is made where it does not exist")
    replaced = _older_run(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in WRITTEN:
            (folder / name).unlink(missing_ok=True)
        (folder / FILE_NAME).touch()
    except OSError as error:
        raise Failure(USAGE, f"--output {folder}: cannot be written: {error.strerror}; name another folder") from None
    return replaced


def _older_run(folder: Path) -> str | None:
    held = [name for name in WRITTEN if (folder / name).exists()]
    if not held:
        return None
    if FILE_NAME not in held:
        raise Failure(
            USAGE,
            f"--output {folder}: holds {', '.join(held)}, which no run of this suite wrote there; name another folder",
        )
    try:
        started = read_run(folder / FILE_NAME).started
    except ResultsError:
        started = "an unknown time"
    return f"{folder} held the run of {started}; it is replaced (--output keeps runs apart)"

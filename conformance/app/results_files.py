"""Results files that a request names; one that cannot be read is a ConformanceError."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from conformance.app.errors import ConformanceError
from conformance.matrix.reading import results_files
from conformance.results.file import Results, ResultsError, read_results, read_run, results_file
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

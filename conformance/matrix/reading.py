"""Results files by the names that a user gives: a file, the folder that holds it, or a folder of such folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.matrix.parts import Part
from conformance.results.file import FILE_NAME, ResultsError, read_results


def read_parts(paths: Iterable[Path]) -> list[Part]:
    """Every results file once, in the order given; ResultsError for a path that leads to none."""
    files = {file.resolve(): file for path in paths for file in results_files(path)}
    return [Part(str(file.parent if file.name == FILE_NAME else file), read_results(file)) for file in files.values()]


def results_files(path: Path) -> Iterator[Path]:
    """The file itself, the one in a folder, or those in the folders of a folder; ResultsError where there is none."""
    inside = [path / FILE_NAME] if (path / FILE_NAME).is_file() else sorted(path.glob(f"*/{FILE_NAME}"))
    if path.is_dir() and not inside:
        raise ResultsError(f"{path}: neither it nor a folder in it holds a {FILE_NAME}; name what a run wrote to")
    yield from inside if path.is_dir() else [path]

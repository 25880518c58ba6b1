"""Find and read results files: a file, a folder with one, or a folder of such folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.matrix.parts import Part
from conformance.results.file import FILE_NAME, FILE_NAMES, ResultsError, read_results, results_file


def read_parts(paths: Iterable[Path]) -> list[Part]:
    """Read every results file once, in the order of the paths. Raises ResultsError if a path leads to none."""
    files = {file.resolve(): file for path in paths for file in results_files(path)}
    return [Part(str(file.parent if file.name in FILE_NAMES else file), read_results(file)) for file in files.values()]


def results_files(path: Path) -> Iterator[Path]:
    """The file itself, the one in the folder, or those in its subfolders. Raises ResultsError if there is none."""
    own = results_file(path)
    inside = [own] if own.is_file() else sorted(file for name in FILE_NAMES for file in path.glob(f"*/{name}"))
    if path.is_dir() and not inside:
        raise ResultsError(f"no {FILE_NAME} found in {path} or its subfolders; expected the output folder of a run")
    yield from inside if path.is_dir() else [path]

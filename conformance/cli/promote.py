"""``conformance promote``: move case files into the specs."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.data_folders import specs_folder
from conformance.specification.case_files import CaseFile, promote, read_case, with_case
from conformance.specification.check import check
from conformance.specification.model import Catalogue
from conformance.specification.problems import SpecError


def promote_files(files: tuple[Path, ...], specs: Path | None) -> int:
    """Move the cases of files into a spec folder, by default the suite's."""
    folder = specs or specs_folder()
    if not folder.is_dir():
        raise ConformanceError(f"{folder}: not a folder; --specs needs the folder to move the case into")
    for file in files:
        click.echo(f"ok: {_promote(file, folder)}; {file} was removed")
    return 0


def _promote(file: Path, folder: Path) -> str:
    catalogue = loading.catalogue(folder)
    try:
        case = _checked_case(file, catalogue)
        return f"{case.id} is at {promote(file, case, folder)}"
    except SpecError as error:
        raise ConformanceError(f"{file} was not moved\n{error}") from None


def _checked_case(file: Path, catalogue: Catalogue) -> CaseFile:
    """Read the case of a file; check that it keeps or breaks the rules as declared and can have its expectation."""
    case = read_case(file, catalogue)
    extended = with_case(catalogue, case)
    locations = {entry.location for entry in case.entries}
    problems = [problem for problem in check(extended) if problem.location in locations]
    if problems:
        raise SpecError(problems)
    loading.all_cases(extended)
    return case

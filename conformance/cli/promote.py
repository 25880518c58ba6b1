"""``conformance promote``: a case file moved into the specs."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli import loading
from conformance.cli.failures import USAGE, Failure
from conformance.places import specs_folder
from conformance.specification.case_files import CaseFile, read_case, with_case
from conformance.specification.check import check
from conformance.specification.model import Catalogue
from conformance.specification.problems import SpecError
from conformance.specification.promoting import promote


@click.command(name="promote")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--specs", type=click.Path(path_type=Path), metavar="DIR",
              help="A folder of specs of your own, instead of the suite's.")  # fmt: skip
def command(files: tuple[Path, ...], specs: Path | None) -> int:
    """Move case files into the specs, where every later run tries them as regressions.

    A case keeps its id. It goes into DIR/regressions, into the file of its operation, and FILE is removed.
    """
    folder = specs or specs_folder()
    if not folder.is_dir():
        raise Failure(USAGE, f"{folder}: no folder; --specs names the folder of specs that the case moves into")
    for file in files:
        click.echo(f"ok: {_promoted(file, folder)}; {file} is removed")
    return 0


def _promoted(file: Path, folder: Path) -> str:
    catalogue = loading.catalogue(folder)
    try:
        case = _sound(file, catalogue)
        return f"{case.id} is at {promote(file, case, folder)}"
    except SpecError as error:
        raise Failure(USAGE, f"{file} is not moved\n{error}") from None


def _sound(file: Path, catalogue: Catalogue) -> CaseFile:
    """The case of a file, which keeps or breaks the rules that it should, and whose expectation can be."""
    case = read_case(file, catalogue)
    added = with_case(catalogue, case)
    places = {written_call.location for written_call in case.written_calls}
    problems = [problem for problem in check(added) if problem.location in places]
    if problems:
        raise SpecError(problems)
    loading.all_cases(added)
    return case

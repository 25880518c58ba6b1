"""``conformance matrix``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.app.selecting import check_words
from conformance.cli.commands.completing import targets_and_ids
from conformance.cli.commands.options import RUN, SELECTION, github_option, options
from conformance.files import RESULTS_ENDINGS

OUTPUT = Path("conformance-matrix")


@click.command(name="matrix")
@click.argument("words", nargs=-1, shell_complete=targets_and_ids, metavar="[TARGET | ID | DIR]...", required=True)
@options(*SELECTION)
@click.option("--versions", metavar="V,V,...",
              help="Versions of the single TARGET, such as 2.1.2,2.13.0; or a range, such as '>=2.1,<2.16': the newest "
              "version of each minor release in it.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), default=OUTPUT, metavar="DIR", show_default=True,
              help="Output folder for the merged results, with one subfolder per target.")  # fmt: skip
@options(*RUN)
@click.option("--json", "as_json", is_flag=True, help="Print the timelines as a JSON array.")
@github_option
def command(words: tuple[str, ...], specs: Path | None, **parameters: Any) -> int:
    """Run several targets on the same cases, one after the other, and show what changed from version to version.

    A TARGET is as for run; with --versions it is one framework without a version. A DIR contains results of earlier
    runs, such as the jobs of a CI, directly or in subfolders; they are merged with those of the targets. Existing
    results for the same target, specs, seed, draws and selection are reused.
    """
    check_words((word for word in words if not (word.endswith(RESULTS_ENDINGS) or Path(word).exists())), specs)
    from conformance.cli.matrix import run_matrix

    return run_matrix(words, specs=specs, **parameters)

"""``conformance promote``: its arguments and options."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="promote")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--specs", type=click.Path(path_type=Path), metavar="DIR",
              help="Your own spec folder, instead of the suite's.")  # fmt: skip
def command(files: tuple[Path, ...], specs: Path | None) -> int:
    """Move case files into the specs, where every later run includes them as regression tests.

    Each case keeps its id. It is added to DIR/regressions, in the file of its operation, and FILE is removed.
    """
    from conformance.cli.promote import promote_files

    return promote_files(files, specs)

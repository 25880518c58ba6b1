"""``conformance repro``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.app.errors import ConformanceError
from conformance.app.selecting import check_targets
from conformance.cli.commands.announced import announced
from conformance.cli.commands.completing import apis, ids, targets
from conformance.cli.commands.options import INTERPRETER, check_results, options


@click.command(name="repro")
@click.argument("case", shell_complete=ids, required=False, metavar="[CASE]")
@click.option(
    "--target",
    shell_complete=targets,
    metavar="T",
    help="A target as for run, such as torch, 'torch==2.13.0' or ./mine.py.",
)
@click.option(
    "--all", "all_causes", is_flag=True, help="Write a script for each cause in --results, and add it to the page."
)
@click.option(
    "--api", shell_complete=apis, metavar="NAME", help="The API to show; by default the one with the worst result."
)
@click.option("--results", type=click.Path(path_type=Path), metavar="DIR",
              help="Results of a run, for results that depend on another call.")  # fmt: skip
@options("specs", *INTERPRETER, "timeout")
def command(*, all_causes: bool, **parameters: Any) -> int:
    """Print a stand-alone script that shows what a target does with CASE, ready for an upstream issue.

    CASE is the id of a case in results and reports; for that of a clause, its first diverging case is taken. The script needs only the framework, and nothing of this suite. It
    runs in the target's interpreter first, and is printed only if it reproduces what the suite observed.

    With --all and --results DIR, a script is written for each divergence from a document about an API, each wrong value,
    death, hang and counterexample, and the reports in DIR are updated. --target then limits this to one target.
    """
    if parameters["results"] is not None:
        check_results(parameters["results"], "--results: ")
    if all_causes:
        from conformance.cli.repro_all import repro_all

        parameters.pop("api")
        return repro_all(**parameters)
    if parameters["case"] is None or parameters["target"] is None:
        raise ConformanceError("expected CASE and --target, or --all --results DIR for every cause of a run")
    check_targets([parameters["target"]])
    with announced(f"reading the specs, and calling {parameters['target']} in a process of its own"):
        from conformance.cli.repro import Options, repro

        return repro(Options(**parameters))

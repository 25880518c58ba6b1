"""``conformance report``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.commands.announced import announced
from conformance.cli.commands.completing import apis, operations, targets
from conformance.cli.commands.options import check_results, github_option, options


@click.command(name="report")
@click.argument("paths", type=click.Path(path_type=Path), metavar="RESULTS...", nargs=-1, required=True)
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
              help="Output folder; by default the folder of the results.")  # fmt: skip
@click.option("--porting", multiple=True, shell_complete=targets, metavar="TARGET",
              help="Print where these targets agree instead of writing reports; give at least two.")  # fmt: skip
@click.option("--operation", multiple=True, shell_complete=operations, metavar="NAME",
              help="With --porting, only these operations; `*` stands for anything.")  # fmt: skip
@click.option("--api", multiple=True, shell_complete=apis, metavar="NAME",
              help="With --porting, only what takes the place of these APIs; `*` stands for anything.")  # fmt: skip
@click.option(
    "--publish",
    metavar="URL",
    help="Write the site that is published at this address instead: the newest run in latest/, this one also in r/DIGEST/, "
    "a site map, a feed of changes, and the files for other programs.",
)
@click.option("--stable", is_flag=True,
              help="Write only results.jsonl, without times, memory and processes: equal runs give equal files.")  # fmt: skip
@click.option("--current-ledgers", is_flag=True,
              help="Look up known divergences in the ledgers as they are now, not as they were in the run. The results are "
              "written to --output.")  # fmt: skip
@click.option("--guide", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR",
              help="With --publish, a folder of Markdown files that become pages of the site.")  # fmt: skip
@options("verbose", "gzip")
@github_option
def command(paths: tuple[Path, ...], **parameters: Any) -> int:
    """Recreate the site (index.html), junit.xml, summary.md and the other reports from RESULTS (a results.jsonl or its folder).

    Several results are merged: shards of a run, or runs of several targets with the same seed and epoch of the
    specs. The merged results.jsonl is written to --output.
    """
    for path in paths:
        check_results(path)
    with announced("reading the results"):
        from conformance.cli.report import write_report

        return write_report(paths, **parameters)

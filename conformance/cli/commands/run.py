"""``conformance run``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cases.shards import parse_shard
from conformance.cli.commands.options import OUTPUT, QUICK_TARGETS, RUNS, run_options, selection_options
from conformance.cli.commands.target_names import check_words

if TYPE_CHECKING:
    from conformance.cases.shards import Shard


def _shard(context: click.Context, parameter: click.Parameter, text: str | None) -> Shard | None:
    try:
        return parse_shard(text) if text is not None else None
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


@click.command(name="run")
@click.argument("words", nargs=-1, metavar="[TARGET | ID]...")
@selection_options
@click.option("--quick", is_flag=True,
              help=f"Only the worked examples as they are printed, by default on {', '.join(QUICK_TARGETS)}.")  # fmt: skip
@click.option("--lf", "last_failed", is_flag=True, help="Only cases that failed in the last run in the output folder.")
@click.option("--case", "case_files", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Only the case in this file; may be repeated.")  # fmt: skip
@click.option("--shard", callback=_shard, metavar="K/N",
              help="Run only part K of N; merge the results with `conformance report`.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
              help=f"Output folder.  [default: {OUTPUT}, a link to a folder of its own in {RUNS}]")  # fmt: skip
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR",
              help="Resume the interrupted run in this folder.")  # fmt: skip
@click.option("-x", "maxfail", flag_value=1, type=int, help="Stop after the first failure.")
@click.option("--maxfail", type=click.IntRange(min=1), metavar="N", help="Stop after N failures.")
@click.option("--at-least", type=click.IntRange(min=0), default=0, metavar="N",
              help="Exit with 5 unless at least N results were judged.")  # fmt: skip
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Run targets in this interpreter.")
@click.option(
    "-v", "--verbose", is_flag=True, help="List every divergence, and how many processes imported each framework."
)
@click.option("--jobs", "parallel", type=click.IntRange(min=1), default=None, metavar="N",
              help="Maximum number of targets to run in parallel; by default cores + 1, if memory allows.")  # fmt: skip
@run_options
def command(words: tuple[str, ...], specs: Path | None, **parameters: Any) -> int:
    """Run cases on targets and write the report.

    A TARGET is NAME[SPECIFIER][[MODE]][@DEVICE], such as torch, "torch==2.13.0" or ./mine.py; by default: reference,
    torch, tensorflow and mindspore. An ID, or a prefix of one, selects cases: scatter_nd.example.
    """
    check_words(words, specs)
    from conformance.cli.early import started_early
    from conformance.cli.project_defaults import default_targets

    settings = {name: parameters[name] for name in ("python", "here", "parallel", "start", "start_limit")}
    with started_early(words, QUICK_TARGETS if parameters["quick"] else default_targets(), **settings) as early:
        from conformance.cli.run import run_command

        return run_command(early, words=words, specs=specs, **parameters)

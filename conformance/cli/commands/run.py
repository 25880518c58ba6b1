"""``conformance run``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.app.errors import ConformanceError
from conformance.app.options import OUTPUT, RUNS, STREAM
from conformance.app.selecting import check_words
from conformance.cli.commands.completing import targets_and_ids
from conformance.cli.commands.options import RUN, SELECTION, check_results, options


@click.command(name="run")
@click.argument("words", nargs=-1, shell_complete=targets_and_ids, metavar="[TARGET | ID]...")
@options(*SELECTION, "apis", "quick", "smoke", "large", "last_failed", "case_files", "transforms", "memcheck", "shard")
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
              help=f"Output folder; - for results.jsonl on standard output alone.  [default: {OUTPUT}, a link to a folder of "
                   f"its own in {RUNS}]")  # fmt: skip
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR",
              help="Resume the interrupted run in this folder.")  # fmt: skip
@click.option("-x", "maxfail", flag_value=1, type=int, help="Stop after the first failure.")
@options("maxfail")
@click.option("--on", metavar="WHERE",
              help="Run on the machines of a Dask cluster: tcp://SCHEDULER:8786, tls://SCHEDULER:8786, or local:N.")  # fmt: skip
@click.option("--insecure", is_flag=True, help="Allow --on a scheduler that anyone in its network can use.")
@click.option("--unit", hidden=True)
@options("only", "at_least", "python", "verbose", "parallel", *RUN)
def command(words: tuple[str, ...], specs: Path | None, **parameters: Any) -> int:
    """Run cases on targets and write the report.

    A TARGET is NAME[SPECIFIER][[MODE]][@DEVICE], such as torch, "torch==2.13.0" or ./mine.py; by default: reference,
    torch, tensorflow and mindspore. An ID, or its beginning up to a dot or slash, selects cases: scatter_nd.example.
    """
    check_words(words, specs)
    if parameters["output"] != STREAM:
        _check_selection(parameters)
        _check_paths(parameters["output"], parameters["resume"])
    if parameters["on"] and parameters["output"] != STREAM:
        return _run_on(words, specs=specs, **parameters)
    from conformance.app.early import started_early
    from conformance.app.project import default_targets

    unit = parameters.pop("unit")
    settings = {
        name: parameters[name]
        for name in ("python", "here", "parallel", "start", "start_limit", "fresh_compile", "memcheck")
    }
    # Whoever names a folder, such as to merge it, finds the reason in there.
    if unit is None and parameters["output"] is None:
        settings["offline"] = parameters["offline"]
    with started_early(words, default_targets(quick=parameters["quick"]), **settings) as early:
        if parameters["output"] == STREAM:
            from conformance.cli.streaming import stream_command

            return stream_command(early, words=words, specs=specs, **parameters)
        del parameters["on"], parameters["insecure"]
        if unit is not None:
            from conformance.cli.unit import unit_command

            del parameters["resume"]
            return unit_command(early, unit, words=words, specs=specs, **parameters)
        from conformance.cli.run import run_command

        return run_command(early, words=words, specs=specs, **parameters)


def _run_on(words: tuple[str, ...], *, on: str, insecure: bool, unit: str | None, **parameters: Any) -> int:
    from conformance.cluster.places import connecting

    del unit
    # Machines start or answer while the rest is imported, and specs and draws are loaded.
    with connecting(on, insecure=insecure) as connect:
        from conformance.cli.run import run_command

        return run_command(None, connect, words=words, **parameters)


def _check_selection(parameters: dict[str, Any]) -> None:
    """Fail for what cannot select anything, before specs are read."""
    from conformance.cases.selection import KeywordError, keyword

    try:
        keyword(parameters["keyword"] or "any")
    except KeywordError as error:
        raise ConformanceError(str(error)) from None
    for file in parameters["case_files"]:
        if not file.exists():
            raise ConformanceError(f"--case {file}: file not found; expected a case file")
    if parameters["last_failed"]:
        place = parameters["resume"] or parameters["output"] or OUTPUT
        check_results(place, "--lf needs the results of a previous run in the output folder: ")


def _check_paths(output: Path | None, resume: Path | None) -> None:
    """Fail for an output that cannot be one."""
    if resume is not None and output not in (None, resume):
        raise ConformanceError(f"--resume writes to {resume}; remove --output {output}")
    if resume is not None:
        check_results(resume, "--resume: ")
    if output is not None and output.exists() and not output.is_dir():
        raise ConformanceError(f"--output {output}: is a file; expected a folder (created if it does not exist)")

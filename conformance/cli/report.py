"""``conformance report``: recreate the reports of a run from its results.jsonl, or merge several runs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.app.ledgers import with_current_ledgers
from conformance.app.merging import merge_of, write_merged
from conformance.app.output import check_folder, held, not_writable
from conformance.app.results_files import find_results, load_results
from conformance.cli.github import summary_file, write_to_github
from conformance.findings.conclusions import Conclusions
from conformance.reports.document import Document
from conformance.reports.porting import PortingError, Selection, chosen_targets, porting_lines
from conformance.reports.summaries import summary
from conformance.reports.terminal import show
from conformance.reports.verdict import report
from conformance.reports.write import WRITTEN, write_reports
from conformance.results.file import FILE_NAMES, Results, results_file
from conformance.results.order import without_times, write_results


def write_report(
    paths: tuple[Path, ...],
    output: Path | None,
    porting: tuple[str, ...],
    operation: tuple[str, ...],
    api: tuple[str, ...],
    publish: str | None,
    guide: Path | None,
    *,
    stable: bool,
    current_ledgers: bool,
    gzip: bool,
    github: bool,
    verbose: bool,
) -> int:
    """Recreate or merge reports, or print where targets agree."""
    files = find_results(paths)
    if current_ledgers and (porting or stable or publish):
        raise ConformanceError(
            "--current-ledgers is for reports; use --porting, --stable or --publish on what it writes"
        )
    if porting:
        return _print_porting(files, porting, Selection(operation, api))
    if operation or api:
        raise ConformanceError("--operation and --api select what --porting prints; give it two targets")
    if stable:
        return _write_stable(files, output, gzip=gzip)
    if publish:
        return _publish(files, output, publish, guide)
    if github:
        summary_file()
    if len(files) > 1 or current_ledgers:
        results = _merged(files, output, current_ledgers=current_ledgers, gzip=gzip)
    else:
        results = _recreate(files[0], output)
    show(summary(Conclusions(results), verbose=verbose))
    click.echo("")
    show(Document.of(report(output or files[0].parent)))
    if github:
        # A job that only collects results runs with --fail-on never; what contradicts an API's own documents is annotated there too.
        write_to_github(results, "any" if results.run.fail_on == "any" else "own")
    return 0


def _print_porting(files: list[Path], names: tuple[str, ...], selection: Selection) -> int:
    if len(files) > 1:
        text = f"--porting needs a single results file, got {len(files)}; merge them first with --output DIR"
        raise ConformanceError(text)
    results = load_results(files[0])
    try:
        targets = chosen_targets(results, names)
        for line in porting_lines(results, targets, shutil.get_terminal_size().columns, selection):
            click.echo(line)
    except PortingError as error:
        raise ConformanceError(str(error)) from None
    return 0


def _write_stable(files: list[Path], output: Path | None, *, gzip: bool) -> int:
    """Write a results file that equal runs give, byte for byte."""
    if len(files) > 1 or output is None:
        raise ConformanceError("--stable needs one results file, and --output DIR for another folder than its own")
    check_folder(output)
    results = without_times(load_results(files[0]))
    file = output / FILE_NAMES[gzip]
    if file.exists() and file.samefile(files[0]):
        raise ConformanceError(f"--output {output}: contains the results that are read; choose another folder")
    try:
        output.mkdir(parents=True, exist_ok=True)
        write_results(results, file)
    except OSError as error:
        raise not_writable(output, error) from None
    click.echo(str(file))
    return 0


def _publish(files: list[Path], output: Path | None, address: str, guide: Path | None) -> int:
    """Write what is published at an address into a folder."""
    from conformance.reports.site import Guide, publish
    from conformance.schemas import schemas, text_of

    if not address.startswith("https://") or len(files) > 1 or output is None:
        text = f"--publish {address}: needs an address that begins with https://, one results file, and --output DIR"
        raise ConformanceError(text)
    check_folder(output)
    try:
        chapters = Guide.read(guide) if guide else None
        texts = {name: text_of(schema) for name, schema in schemas(f"{address.rstrip('/')}/schemas/").items()}
        for site in publish(load_results(files[0]), output, address, chapters, texts):
            click.echo(str(site / "index.html"))
    except OSError as error:
        raise not_writable(output, error) from None
    return 0


def _merged(files: list[Path], output: Path | None, *, current_ledgers: bool, gzip: bool) -> Results:
    if output is None:
        what = f"merging {len(files)} results files" if len(files) > 1 else "--current-ledgers"
        raise ConformanceError(f"{what} needs --output DIR")
    merge = merge_of(files, output)
    if current_ledgers:
        merge = replace(merge, results=with_current_ledgers(merge.results))
    with held(output):
        return write_merged(merge, output, gzip=gzip)


def _recreate(file: Path, output: Path | None) -> Results:
    results = load_results(file)
    folder = output or file.parent
    _check_results(folder, file)
    replaced = [name for name in WRITTEN if (folder / name).exists()]
    try:
        write_reports(results, folder)
    except OSError as error:
        raise not_writable(folder, error) from None
    if replaced:
        click.echo(f"{folder}: replaced {', '.join(replaced)}", err=True)
    return results


def _check_results(folder: Path, file: Path) -> None:
    """Fail if the folder is a file, or contains results other than those of the reports."""
    check_folder(folder)
    existing = results_file(folder)
    if existing.exists() and not existing.samefile(file):
        raise ConformanceError(f"--output {folder}: already contains results of another run; choose another folder")

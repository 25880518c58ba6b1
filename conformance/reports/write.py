"""Write the reports beside results.jsonl, each atomically and independently of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.files import replace_parts
from conformance.findings.conclusions import Conclusions
from conformance.reports.behaviours import behaviours_json
from conformance.reports.conclusions import conclusions_parts
from conformance.reports.counterexamples import FOLDER, write_counterexamples
from conformance.reports.junit import junit_xml
from conformance.reports.site import write_site
from conformance.reports.summaries import summary_md
from conformance.reports.verdict import badge_json
from conformance.results.file import Results

REPORTS: dict[str, Callable[[Results, Conclusions], str | Iterator[str]]] = {
    "conclusions.json": conclusions_parts,
    "junit.xml": junit_xml,
    "summary.md": summary_md,
    "behaviours.json": behaviours_json,
    "badge.json": badge_json,
}
"""By file name, the text or its parts."""
PAGE = "index.html"
"""The first page of the site."""
WRITTEN = (*REPORTS, PAGE, FOLDER)
"""What ``write_reports`` may leave in a folder, besides the other pages of the site."""


def write_reports(results: Results, folder: Path) -> list[Path]:
    """Write the reports into a folder; return their paths, of the site that of its first page.

    The folder is created. Case files of counterexamples are written to its subfolder ``counterexamples``. Raises OSError if the folder cannot be written. Other exceptions of a report are raised as an ExceptionGroup after all others have been written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    failures: list[Exception] = []
    conclusions = Conclusions(results)
    written = []
    for name, report in REPORTS.items():
        with _collected(name, failures):
            text = report(results, conclusions)
            replace_parts(folder / name, [text] if isinstance(text, str) else text)
            written.append(folder / name)
    with _collected("the site", failures):
        written.append(write_site(results, folder, conclusions))
    with _collected("counterexamples", failures):
        write_counterexamples(results, folder)
    if failures:
        raise ExceptionGroup(f"{folder}: some reports could not be written; the others were", failures)
    return written


@contextmanager
def _collected(report: str, failures: list[Exception]) -> Iterator[None]:
    """Collect an exception with the name of the report; an OSError concerns the folder, so it stops every report."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        error.add_note(f"{report} could not be written")
        failures.append(error)

"""Write the reports beside results.jsonl, each atomically and independently of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.files import replace_text
from conformance.findings.conclusions import Conclusions
from conformance.reports.badge import badge_json
from conformance.reports.behaviours import behaviours_json
from conformance.reports.conclusions import conclusions_json
from conformance.reports.counterexamples import write_counterexamples
from conformance.reports.feed import FILE_NAME, feed_json, published
from conformance.reports.html import index_html
from conformance.reports.junit import junit_xml
from conformance.reports.markdown import summary_md
from conformance.results.file import Results

REPORTS: dict[str, Callable[[Results, Conclusions], str]] = {
    "conclusions.json": conclusions_json,
    "index.html": index_html,
    "junit.xml": junit_xml,
    "summary.md": summary_md,
    "behaviours.json": behaviours_json,
    "badge.json": badge_json,
}


def write_reports(results: Results, folder: Path) -> list[Path]:
    """Write conclusions.json, index.html, junit.xml, summary.md, behaviours.json and badge.json; return their paths.

    The folder is created. If it holds the reports of an earlier run, feed.json gets what changed since. Case files of
    counterexamples are written to its subfolder ``counterexamples``. Raises OSError if the folder cannot be written. Other exceptions of a report are raised as an ExceptionGroup after all others have been written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    failures: list[Exception] = []
    conclusions = Conclusions(results)
    earlier = published(folder)
    written = []
    for name, report in REPORTS.items():
        with _collected(name, failures):
            replace_text(folder / name, report(results, conclusions))
            written.append(folder / name)
    with _collected(FILE_NAME, failures):
        feed = feed_json(results, conclusions, earlier) if earlier else None
        if feed is not None:
            replace_text(folder / FILE_NAME, feed)
            written.append(folder / FILE_NAME)
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

"""The reports beside results.jsonl, each whole or not at all, and each whatever becomes of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.files import replace_text
from conformance.reports.counterexamples import write_counterexamples
from conformance.reports.html import index_html
from conformance.reports.junit import junit_xml
from conformance.reports.markdown import summary_md
from conformance.results.file import Results

REPORTS: dict[str, Callable[[Results], str]] = {
    "index.html": index_html,
    "junit.xml": junit_xml,
    "summary.md": summary_md,
}


def write_reports(results: Results, folder: Path) -> list[Path]:
    """Write index.html, junit.xml and summary.md into a folder, which is made; OSError where it cannot be written.

    Where draws led to counterexamples, a case file of each stands in the folder ``counterexamples`` besides. What goes
    wrong in one of the reports is raised, as an ExceptionGroup, after the others were written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    failures: list[Exception] = []
    written = []
    for name, make in REPORTS.items():
        with _collected(name, failures):
            replace_text(folder / name, make(results))
            written.append(folder / name)
    with _collected("counterexamples", failures):
        write_counterexamples(results, folder)
    if failures:
        raise ExceptionGroup(f"{folder}: some reports could not be written, the others are there", failures)
    return written


@contextmanager
def _collected(report: str, failures: list[Exception]) -> Iterator[None]:
    """Keep an exception for later, with the report's name, unless the folder is at fault, which stops every report."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        error.add_note(f"{report} could not be written")
        failures.append(error)

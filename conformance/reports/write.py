"""The reports beside results.jsonl, each whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

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

    Where draws led to counterexamples, a case file of each stands in the folder ``counterexamples`` besides.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_counterexamples(results, folder)
    return [_write(folder / name, make(results)) for name, make in REPORTS.items()]


def _write(path: Path, text: str) -> Path:
    """Write beside the place and rename, so that a reader never meets half a file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path

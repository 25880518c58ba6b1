"""The JSON Schemas of specs and known divergences, for editors, and of results files, for their readers.

``python -m conformance.schemas reports/schemas`` updates the published schemas.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from conformance.export.index import Index
from conformance.findings.difference import Difference
from conformance.findings.timeline import Timeline
from conformance.known.file_format import KnownFile
from conformance.reports.behaviours import Behaviours
from conformance.reports.statements import ConclusionsFile
from conformance.reports.support import SupportFile
from conformance.results.records import Record
from conformance.specification.file_format import CaseFilePart, DocumentsFile, RegressionsPart, SpecFile


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas by file name."""
    return {
        "spec.schema.json": SpecFile.model_json_schema(),
        "case.schema.json": CaseFilePart.model_json_schema(),
        "regressions.schema.json": RegressionsPart.model_json_schema(),
        "documents.schema.json": DocumentsFile.model_json_schema(),
        "known-divergences.schema.json": KnownFile.model_json_schema(),
        "behaviours.schema.json": {"title": "behaviours.json", **TypeAdapter(Behaviours).json_schema()},
        "conclusions.schema.json": {"title": "conclusions.json", **TypeAdapter(ConclusionsFile).json_schema()},
        "support.schema.json": {"title": "support.json", **TypeAdapter(SupportFile).json_schema()},
        "onnx-index.schema.json": {"title": "index.json of exported ONNX models", **TypeAdapter(Index).json_schema()},
        "difference.schema.json": {"title": "conformance diff --json", **TypeAdapter(Difference).json_schema()},
        "timelines.schema.json": {"title": "conformance matrix --json", **TypeAdapter(list[Timeline]).json_schema()},
        "results.schema.json": {"title": "A line of results.jsonl", **TypeAdapter(Record).json_schema()},
    }


def text_of(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main(folder: Path) -> None:
    """Write all schemas to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / name).write_text(text_of(schema), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

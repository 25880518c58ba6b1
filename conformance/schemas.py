"""The JSON Schemas of specs and known divergences, for editors, and of results files, for their readers.

``python -m conformance.schemas reports/schemas`` updates the published schemas.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from conformance.docstrings import of_class, of_fields, plain
from conformance.export.index import Index
from conformance.findings.difference import Difference
from conformance.findings.timeline import Timeline
from conformance.known.file_format import KnownFile
from conformance.reports.behaviours import Behaviours
from conformance.reports.statements import ConclusionsFile
from conformance.reports.support import SupportFile
from conformance.results.records import Record
from conformance.specification.file_format import CaseFilePart, DocumentsFile, RegressionsPart, SpecFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas(address: str = "") -> dict[str, dict[str, Any]]:
    """The schemas by file name; each has its own name, below an address with a slash at its end, as its ``$id``."""
    found = {
        "spec.schema.json": _form(SpecFile),
        "case.schema.json": _form(CaseFilePart),
        "regressions.schema.json": _form(RegressionsPart),
        "documents.schema.json": _form(DocumentsFile),
        "known-divergences.schema.json": _form(KnownFile),
        "behaviours.schema.json": {"title": "behaviours.json", **TypeAdapter(Behaviours).json_schema()},
        "conclusions.schema.json": {"title": "conclusions.json", **TypeAdapter(ConclusionsFile).json_schema()},
        "support.schema.json": {"title": "support.json", **TypeAdapter(SupportFile).json_schema()},
        "onnx-index.schema.json": {"title": "index.json of exported ONNX models", **TypeAdapter(Index).json_schema()},
        "difference.schema.json": {"title": "conformance diff --json", **TypeAdapter(Difference).json_schema()},
        "timelines.schema.json": {"title": "conformance matrix --json", **TypeAdapter(list[Timeline]).json_schema()},
        "results.schema.json": {"title": "A line of results.jsonl", **TypeAdapter(Record).json_schema()},
    }
    return {name: {"$schema": DIALECT, "$id": f"{address}{name}", **schema} for name, schema in found.items()}


def _form(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a form that people fill in, in which each key says what its docstring says.

    All models of a form are in one module. Pydantic would read the docstrings whenever this module is imported.
    """
    schema = model.model_json_schema()
    models = vars(sys.modules[model.__module__])
    for name, part in {model.__name__: schema, **schema.get("$defs", {})}.items():
        if "properties" in part:
            texts = of_fields(models[name])
            part["description"] = plain(of_class(models[name]))
            for field, info in models[name].model_fields.items():
                if field in texts:
                    part["properties"][info.alias or field]["description"] = plain(texts[field])
    return schema


def text_of(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main(folder: Path) -> None:
    """Write all schemas to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / name).write_text(text_of(schema), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

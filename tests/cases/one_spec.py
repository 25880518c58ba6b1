"""A copy of one of the suite's specs that a test may change, with the documents that it cites: all of them take a second to read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from conformance.data_folders import specs_folder


def copy_spec(operation: str, folder: Path) -> Path:
    """The spec of an operation, copied into a new folder; its documents are copied by files."""
    suite = specs_folder()
    (folder / "documents").mkdir(parents=True)
    spec = Path(shutil.copy(suite / f"{operation}.yaml", folder))
    text = spec.read_text(encoding="utf-8")
    for file in [suite / "documents.yaml", *(suite / "documents").glob("*.yaml")]:
        ids = re.findall(r"^  (\S+):$", file.read_text(encoding="utf-8"), re.MULTILINE)
        if file.name == "documents.yaml" or any(id_ in text for id_ in ids):
            for part in filter(Path.exists, (file, file.with_suffix(".lock"))):
                shutil.copy(part, folder / part.relative_to(suite))
    return spec

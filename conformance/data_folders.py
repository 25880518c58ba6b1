"""The folders of the data of the suite: beside the package in a checkout, inside it when installed from a wheel."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
VARIABLE = "CONFORMANCE_DATA"


def data_folder() -> Path:
    """The folder that contains ``adapters`` and ``specs``: with CONFORMANCE_DATA, one that was shipped to this machine."""
    if shipped := os.environ.get(VARIABLE):
        return Path(shipped)
    checkout = PACKAGE.parent
    if (checkout / "adapters" / "reference").is_dir() and (checkout / "specs").is_dir():
        return checkout
    return PACKAGE / "data"


def adapters_folder() -> Path:
    return data_folder() / "adapters"


def specs_folder() -> Path:
    return data_folder() / "specs"


def reference_adapter() -> Path:
    """The adapter that computes the results which no document prints."""
    return adapters_folder() / "reference" / "adapter.py"


DOCUMENTS = "documents.yaml"
PROGRAMS = "programs.yaml"
NO_OPERATIONS = (DOCUMENTS, PROGRAMS)
"""The files beside the specs of operations."""


def suite_operations() -> list[str]:
    """The operations of the suite, after which the files of its specs are named."""
    return sorted(file.stem for file in specs_folder().glob("*.yaml") if file.name not in NO_OPERATIONS)

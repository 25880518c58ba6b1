"""The folders of the data of the suite: beside the package in a checkout, inside it when installed from a wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def data_folder() -> Path:
    """The folder that contains ``adapters`` and ``specs``."""
    checkout = PACKAGE.parent
    if (checkout / "adapters" / "reference").is_dir() and (checkout / "specs").is_dir():
        return checkout
    return PACKAGE / "data"


def adapters_folder() -> Path:
    return data_folder() / "adapters"


def specs_folder() -> Path:
    return data_folder() / "specs"

"""What APIs do, of the published run: a file beside the specs, so that a question is answered offline and at once.

``python -m conformance.app.published`` writes it from the results file of the repository.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.data_folders import data_folder

NAME = "behaviours.json.gz"


@dataclass(frozen=True)
class Published:
    """The content of the file."""

    content: Mapping[str, Any]
    """As docs/report.md describes behaviours.json."""

    @cached_property
    def of_api(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """By the name of an API, what it does, in the order of the file."""
        apis: dict[str, list[Mapping[str, Any]]] = {}
        for behaviour in self.content["behaviours"]:
            apis.setdefault(behaviour["api"], []).append(behaviour)
        return apis

    @property
    def release(self) -> str:
        """``published run of 2026-11-26, suite 0.1.0, specs 7507ce5e``."""
        started, specs = self.content["started"][:10], self.content["spec_digest"][:8]
        return f"published run of {started}, suite {self.content['suite_version']}, specs {specs}"


def published() -> Published | None:
    """The conclusions of the published run; None if this installation has none."""
    file = data_folder() / "reports" / NAME
    if not file.is_file():
        return None
    return Published(json.loads(gzip.decompress(file.read_bytes())))


def write(results_file: Path, file: Path) -> None:
    """Write the file; that of equal results is equal."""
    from conformance.app.results_files import load_results
    from conformance.reports.behaviours import behaviours_json

    file.write_bytes(gzip.compress(behaviours_json(load_results(results_file)).encode(), mtime=0))


if __name__ == "__main__":
    REPORTS = data_folder() / "reports"
    write(REPORTS, REPORTS / NAME)

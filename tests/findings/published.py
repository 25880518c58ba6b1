"""The lines of the published results, or those about some operations and frameworks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.results.file import open_results, results_file

PUBLISHED = results_file(Path(__file__).parents[2] / "reports")
_OF_RUN = ("run", "target", "end", "known", "document", "claim")


def published_lines() -> Iterator[str]:
    with open_results(PUBLISHED) as file:
        for line in file:
            yield line.decode()


def lines_about(operations: Sequence[str], frameworks: Sequence[str]) -> list[str]:
    """Those about one of the operations and of the frameworks, and those about the run."""
    cases = tuple(f'{{"case":"{name}.' for name in operations)
    targets = [f'"target":"{name}=' for name in frameworks]
    return [
        line
        for line in published_lines()
        # Nine of ten lines are results, which are told apart without being parsed.
        if (
            line.startswith(cases) and any(name in line for name in targets)
            if _is_result(line)
            else _is_about(line, operations)
        )
    ]


def _is_result(line: str) -> bool:
    return line.startswith('{"case":"') and '"kind":"result"' in line


def _is_about(line: str, operations: Sequence[str]) -> bool:
    record = json.loads(line)
    operation = record.get("operation") or str(record.get("clause")).partition(".")[0]
    return record["kind"] in _OF_RUN or operation in operations

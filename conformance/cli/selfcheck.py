"""``conformance check --self``: whether the suite catches deliberately wrong adapters, and blames no correct one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from conformance.cli.failures import INTERNAL, Failure

if TYPE_CHECKING:
    from conformance.selfcheck.detection import Detection


def check_self(*, as_json: bool) -> int:
    """Print the result for each adapter; Failure if the suite missed a defect or blamed a correct adapter."""
    detections = []
    for detection in _detections():
        detections.append(detection)
        if not as_json:
            click.echo(
                f"ok: {detection.name}: {detection.found}" if detection.caught else f"MISSED: {_wrong(detection)}"
            )
    if as_json:
        click.echo(json.dumps([vars(detection) for detection in detections], ensure_ascii=False, indent=1))
    missed = [_wrong(detection) for detection in detections if not detection.caught]
    if missed:
        count = f"{len(missed)} of {len(detections)} adapters"
        raise Failure(INTERNAL, f"{count} not caught or wrongly blamed; please report this: {'; '.join(missed)}")
    count = f"{len(detections)} adapters"
    click.echo(f"ok: {count}; every defect was caught and no correct adapter was blamed", err=as_json)
    return 0


def _detections() -> Iterator[Detection]:
    from conformance.selfcheck import planted_defects, worker_faults  # slow to import, and only needed for --self

    yield from worker_faults.detections()
    yield from planted_defects.detections()


def _wrong(detection: Detection) -> str:
    return f"{detection.name}: expected {detection.expected}, found {detection.found}"

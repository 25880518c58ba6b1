"""``conformance check --self``: whether the suite catches deliberately wrong adapters, and blames no correct one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from conformance.app.errors import ConformanceError
from conformance.results.exit_status import BLOCKED, INTERNAL

if TYPE_CHECKING:
    from conformance.selfcheck.detection import Detection


def check_self(*, as_json: bool, frameworks: bool = False) -> int:
    """Print the result for each adapter; ConformanceError if the suite missed a defect or blamed a correct adapter.

    frameworks: also compare forked workers with new processes on each framework that has an environment.
    """
    detections = []
    for detection in chain(_detections(), _comparisons() if frameworks else ()):
        detections.append(detection)
        if not as_json:
            click.echo(
                f"ok: {detection.name}: {detection.found}" if detection.caught else f"MISSED: {_wrong(detection)}"
            )
    if as_json:
        click.echo(json.dumps([vars(detection) for detection in detections], ensure_ascii=False, indent=1))
    missed = [_wrong(detection) for detection in detections if not detection.caught]
    if missed:
        count = f"{len(missed)} of {len(detections)} checks of the suite failed"
        raise ConformanceError(f"{count}; please report this: {'; '.join(missed)}", INTERNAL)
    text = f"ok: {len(detections)} checks of the suite; every defect was caught and no correct adapter was blamed"
    click.echo(text, err=as_json)
    return 0


def _detections() -> Iterator[Detection]:
    # Slow to import, and needed only for --self.
    from conformance.selfcheck import (
        conversions,
        planted_defects,
        two_readings,
        worker_faults,
        wrong_batches,
        wrong_derivatives,
    )

    yield from worker_faults.detections()
    yield from conversions.detections()
    yield from two_readings.detections()
    yield from planted_defects.detections()
    yield from wrong_derivatives.detections()
    yield from wrong_batches.detections()


def _comparisons() -> Iterator[Detection]:
    from conformance.selfcheck import start_methods

    targets = start_methods.targets_with_environment()
    if not targets:
        raise ConformanceError(
            "no framework has an environment; create one, such as with `conformance env make torch`", BLOCKED
        )
    yield from start_methods.detections(targets, start_methods.representative_cases())


def _wrong(detection: Detection) -> str:
    return f"{detection.name}: expected {detection.expected}, found {detection.found}"

"""``conformance check --self``: whether the suite catches deliberately wrong adapters, and blames no right one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from conformance.cli.failures import INTERNAL, Failure

if TYPE_CHECKING:
    from conformance.selfcheck.detection import Detection


def check_self(*, as_json: bool) -> int:
    """Print what became of each fake; Failure where one was missed, which is a fault of the suite."""
    found = []
    for outcome in _detections():
        found.append(outcome)
        if not as_json:
            click.echo(_line(outcome))
    if as_json:
        click.echo(json.dumps([vars(one) for one in found], ensure_ascii=False, indent=1))
    missed = [one for one in found if not one.caught]
    if missed:
        names = "; ".join(f"{one.name}: expected {one.expected}, found {one.found}" for one in missed)
        raise Failure(INTERNAL, f"{len(missed)} of {len(found)} not as they should be, please report it: {names}")
    click.echo(f"ok: {len(found)} adapters, each caught as what it is, or right and not blamed", err=as_json)
    return 0


def _detections() -> Iterator[Detection]:
    # Imported by those alone who ask for it.
    from conformance.selfcheck import planted_defects, worker_faults

    yield from worker_faults.detections()
    yield from planted_defects.detections()


def _line(outcome: Detection) -> str:
    if outcome.caught:
        return f"ok: {outcome.name}: {outcome.found}"
    return f"MISSED: {outcome.name}: expected {outcome.expected}, found {outcome.found}"

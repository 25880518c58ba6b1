"""Timelines as plain dicts and lists, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.findings.timeline import BehaviourChange, Row, Step, Timeline, written_version
from conformance.results.records import TargetRecord


def timelines_json(timelines: Sequence[Timeline]) -> list[dict[str, Any]]:
    """One object for each framework, mode and device; ``versions`` and the cells of rows are in the same order."""
    return [
        {
            "framework": timeline.framework,
            "mode": timeline.mode,
            "device": timeline.device,
            "versions": [_target(target) for target in timeline.targets],
            "steps": [_step(step) for step in timeline.steps],
            "rows": [_row(row) for row in timeline.rows],
        }
        for timeline in timelines
    ]


def _target(target: TargetRecord) -> dict[str, Any]:
    return {"target": target.id, "version": written_version(target), "blocked": target.blocked}


def _step(step: Step) -> dict[str, Any]:
    return {
        "before": step.before.id,
        "after": step.after.id,
        "same": step.same,
        "untold": step.not_comparable,
        "changes": [_change(change) for change in step.changes],
    }


def _change(change: BehaviourChange) -> dict[str, Any]:
    fields = {"kind": change.kind, "operation": change.operation, "api": change.api}
    if change.kind != "behaviour":
        return fields
    cases = [
        {"case": after.case, "before": before.target, "verdicts": [before.verdict, after.verdict]}
        for before, after in change.cases
    ]
    return {**fields, "clause": change.clause, "was": change.was, "now": change.now, "cases": cases}


def _row(row: Row) -> dict[str, Any]:
    cells = [{"words": dict(cell.words), "state": cell.state} if cell else None for cell in row.cells]
    return {"operation": row.operation, "clause": row.clause, "api": row.api, "cells": cells}

"""A difference as plain dicts and lists, for programs."""

from __future__ import annotations

from typing import Any

from conformance.diff.groups import states
from conformance.diff.model import Difference, ResultChange, TargetPair
from conformance.outcomes.model import Died, Outcome, Returned, error_of
from conformance.results.file import Results
from conformance.results.records import ResultRecord


def difference_json(difference: Difference, before: Results, after: Results) -> dict[str, Any]:
    """Return behaviour under ``changes`` and specs under ``cases``; each change states whether it is a regression."""
    return {
        "before": _run(before),
        "after": _run(after),
        "targets": {
            "pairs": [_pair(pair) for pair in difference.pairs],
            "gone": [target.id for target in difference.gone_targets],
            "new": [target.id for target in difference.new_targets],
            "no_longer_starts": [_pair(pair) for pair in difference.stopped],
            "starts_now": [_pair(pair) for pair in difference.started],
        },
        "apis": {
            "gone": [{**_pair(pair), "api": api} for pair, api in difference.gone_apis],
            "new": [{**_pair(pair), "api": api} for pair, api in difference.new_apis],
        },
        "changes": [_change(change) for change in difference.changes],
        "same": difference.same,
        "missing": difference.missing,
        "unconfirmed": difference.unconfirmed,
        "cases": {
            "gone": [case.id for case in difference.gone_cases],
            "new": [case.id for case in difference.new_cases],
            "edited": [{**vars(edit), "case": edit.case.id} for edit in difference.edited],
        },
        "regressions": {"own": len(difference.regressions("own")), "any": len(difference.regressions("any"))},
    }


def _run(results: Results) -> dict[str, Any]:
    run = results.run
    return {"started": run.started, "suite_version": run.suite_version, "complete": results.complete}


def _pair(pair: TargetPair) -> dict[str, str]:
    return {"before": pair.before.id, "after": pair.after.id}


def _change(change: ResultChange) -> dict[str, Any]:
    before, after = states(change)
    return {
        "case": change.after.case,
        "clause": change.after.clause,
        "api": change.after.api,
        "targets": _pair(change.pair),
        "transition": [before, after],
        "regression": {"own": change.is_regression("own"), "any": change.is_regression("any")},
        "before": _side(change.before),
        "after": _side(change.after),
    }


def _side(result: ResultRecord) -> dict[str, Any]:
    outcome = result.outcome
    error = error_of(outcome)
    fields = {
        "verdict": result.verdict,
        "standing": result.standing if result.verdict == "diverges" else None,
        "divergence": list(result.divergence),
        "behaviour": result.behaviour,
        "status": outcome.status,
        "digest": _digest(outcome),
        "error": error.type if error else None,
        "ended": outcome.ending if isinstance(outcome, Died) else None,
        "right": _digest(result.relation.right) if result.relation else None,
    }
    return {name: value for name, value in fields.items() if value is not None} | {"explanation": result.explanation}


def _digest(outcome: Outcome | None) -> str | None:
    return outcome.digest if isinstance(outcome, Returned) else None

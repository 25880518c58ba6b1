"""Tries an adapter before its results are believed: a mistake of its own would look like divergences of the framework."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.cases.index_casts import cast_indices
from conformance.cases.model import ApiCall, Returns
from conformance.execution.client import Client
from conformance.execution.pairs import Pair
from conformance.targets.errors import TargetBlocked

LIMIT = 10.0
"""Seconds for a call."""
MOST_CALLS = 12


def check_calls(client: Client, pairs: Sequence[Pair]) -> None:
    """Make one valid call of each API until one returns; TargetBlocked if all of them fail alike.

    The calls are made in a worker of their own, since they may change the process. Nothing is tried if a worker costs an
    import of the framework.
    """
    if not client.restarts_fast:
        return
    try:
        _check_calls(client, pairs)
    finally:
        client.forget()


def _check_calls(client: Client, pairs: Sequence[Pair]) -> None:
    failures = []
    for call in _valid_calls(pairs):
        failure = client.failure(call, LIMIT)
        if failure is None:
            return
        failures.append((call, failure))
    if len(failures) > 1 and len({failure["error"] for _, failure in failures}) == 1:
        call, failure = failures[0]
        raise TargetBlocked(
            f"all {len(failures)} valid calls that were tried fail alike, the first of them {call.api} with {call.case}: "
            f"{failure['error']}; is it the adapter?\n{failure['traceback']}"
        )


def _valid_calls(pairs: Sequence[Pair]) -> Iterator[ApiCall]:
    """One call of each API; if there is only one API, several calls."""
    written = [(case, api) for case, api in pairs if isinstance(case.expectation, Returns) and not case.derived_from]
    first = {(api["name"], api["operation"]): (case, api) for case, api in reversed(written)}
    chosen = list(first.values()) if len(first) > 1 else written
    for case, api in chosen[:MOST_CALLS]:
        call, _ = cast_indices(case.operation, case.call, api["index_dtypes"])
        yield ApiCall(case.operation.name, call, api["name"], case.id)

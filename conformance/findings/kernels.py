"""The APIs that a framework has no kernel for on the device of a target."""

from __future__ import annotations

from conformance.outcomes.model import Unsupported
from conformance.results.file import Results


def missing_kernels(results: Results, target: str) -> list[str]:
    """The APIs of a target that its adapter declares for other devices only, if no call of them returned."""
    declared = [
        (mapping.api, mapping.operation)
        for mapping in results.mappings
        if mapping.target == target and mapping.lacks_kernel
    ]
    if not declared:
        return []
    names = {name for name, _ in declared}
    refused: dict[tuple[str, str], bool] = {}
    for result in results.results:
        # A call that was not made because the target gave up shows nothing.
        if result.target == target and result.api in names and result.verdict != "blocked":
            api = result.api, results.clauses[result.clause].operation
            refused[api] = refused.get(api, True) and isinstance(result.outcome, Unsupported)
    return list(dict.fromkeys(name for name, operation in declared if refused.get((name, operation))))

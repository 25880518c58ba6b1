"""The first page's table of operations by frameworks: how the worst API of each does, at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.reports.site.facts import Api, Facts
from conformance.results.table import Sort, sort_of

Standing = Literal["ends", "breaks", "differs", "conforms", "unjudged"]
"""What the worst of an API's calls came to, the worst first."""
STANDINGS: Mapping[Standing, tuple[Sort, str]] = {
    "ends": ("died", "ends the process, or hangs"),
    "breaks": ("own", "differs from its own documentation"),
    "differs": ("portability", "differs from another API's documentation"),
    "conforms": ("conforms", "as documented"),
    "unjudged": ("observed", "nothing was judged"),
}
"""The sort whose sign and colour a cell has, and its words."""
_OF_SORTS: Mapping[Sort, Standing] = {
    "died": "ends",
    "hung": "ends",
    "own": "breaks",
    "printed": "breaks",
    "portability": "differs",
    "conforms": "conforms",
}
_ORDER: Sequence[Standing] = tuple(STANDINGS)


@dataclass(frozen=True)
class Glance:
    """The APIs of a framework that implement an operation, in its newest version."""

    standing: Standing
    """The worst of any of them."""
    count: int
    """How many of them have it."""
    of: int
    """How many there are."""

    @property
    def sort(self) -> Sort:
        return STANDINGS[self.standing][0]

    @property
    def text(self) -> str:
        """``2 of 14 APIs: ends the process, or hangs``."""
        return f"{self.count} of {self.of} API{'' if self.of == 1 else 's'}: {STANDINGS[self.standing][1]}"


def glances(facts: Facts) -> Mapping[str, Mapping[str, Glance]]:
    """By operation and framework; a framework without an API for an operation is left out."""
    worst = _worst(facts)
    found: dict[str, dict[str, Glance]] = {}
    for operation, apis in facts.operations.items():
        of_operation = found.setdefault(operation, {})
        for framework in facts.frameworks:
            of_framework = [api for api in apis if api.framework == framework]
            standings = [worst.get((api.newest.id, api.name, operation), "unjudged") for api in of_framework]
            if standings:
                first = min(standings, key=_ORDER.index)
                of_operation[framework] = Glance(first, standings.count(first), len(standings))
    return found


def _worst(facts: Facts) -> Mapping[tuple[str, str, str], Standing]:
    table = facts.conclusions.table
    newest: Mapping[str, Api] = facts.apis
    worst: dict[tuple[str, str, str], Standing] = {}
    for result in table.results.results:
        standing = _OF_SORTS.get(sort_of(result))
        api = newest.get(result.api)
        if standing is None or api is None or api.newest.id != result.target:
            continue
        key = result.target, result.api, table.operation(result)
        worst[key] = min(worst.get(key, standing), standing, key=_ORDER.index)
    return worst

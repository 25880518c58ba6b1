"""Minimizes what a strategy draws with Hypothesis, in the same way in every run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase, choices_to_bytes

Value = TypeVar("Value")
_SEED = 0
_OTHER_KINDS = (b".secondary", b".pareto")
"""Suffixes of the keys of examples that Hypothesis stores besides those that fail."""


class _Found(Exception):
    """A value is wanted."""


class _OneExample(ExampleDatabase):
    """Has the same example for every test, and stores nothing."""

    def __init__(self, choices: Sequence[int]) -> None:
        super().__init__()
        self._example = choices_to_bytes(choices)

    def fetch(self, key: bytes) -> Iterable[bytes]:
        return [] if key.endswith(_OTHER_KINDS) else [self._example]

    def save(self, key: bytes, value: bytes) -> None: ...

    def delete(self, key: bytes, value: bytes) -> None: ...


def smallest(
    strategy: st.SearchStrategy[Value], choices: Sequence[int], is_wanted: Callable[[Value], bool]
) -> Value | None:
    """The smallest value that is wanted; None if that of ``choices``, which is tried first, is not.

    ``hypothesis.find`` does the same with random numbers that differ from run to run, and so do its results.
    """
    found: list[Value] = []

    # Above ``seed``, which removes the database. With one more choice than needed: Hypothesis takes an example with
    # exactly the saved choices as minimal already.
    @settings(
        database=_OneExample((*choices, 0)),
        phases=[Phase.reuse, Phase.shrink],
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @seed(_SEED)
    @given(strategy)
    def search(value: Value) -> None:
        if is_wanted(value):
            found[:] = [value]
            raise _Found

    # As ``find`` does; else the option --hypothesis-seed of pytest disables the database.
    search._hypothesis_internal_database_key = b""  # type: ignore[attr-defined]
    with contextlib.suppress(_Found):
        search()
    return found[0] if found else None

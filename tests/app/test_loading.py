"""What a process keeps of what it has loaded."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from conformance.app.loading import kept_to_the_end


class Loaded:
    """An object of a cycle, which only a garbage collection removes."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """Nothing is frozen before, and nothing stays frozen that was not."""
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    yield
    gc.unfreeze()
    if frozen:
        gc.freeze()


def _is_kept() -> bool:
    with kept_to_the_end():
        reference = weakref.ref(Loaded())
    gc.collect()
    return reference() is not None


def test_only_the_first_that_is_loaded_is_kept_and_collections_go_on() -> None:
    assert _is_kept()
    assert gc.isenabled()
    assert not _is_kept()
    assert gc.isenabled()

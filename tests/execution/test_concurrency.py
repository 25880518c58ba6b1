"""How many targets run side by side."""

from __future__ import annotations

import pytest

from conformance.execution.measurements import UNKNOWN_MEMORY, concurrency, peaks_of
from conformance.processes.memory import free_memory
from conformance.results.records import TargetRecord
from tests.execution.harness import WRONG_ADAPTERS, job

GIB = 2**30
THREE = [job(WRONG_ADAPTERS / name).target for name in ("order_dependent.py", "misbehaving.py", "duplicates.py")]
TAKEN = {"order_dependent[eager]@cpu": GIB, "misbehaving[eager]@cpu": 3 * GIB, "duplicates[eager]@cpu": GIB}


@pytest.mark.parametrize(
    ("free", "cores", "expected"),
    [
        (None, 1, 2),
        (100 * GIB, 8, 3),
        (100 * GIB, 1, 2),
        (7 * GIB, 8, 3),
        (6 * GIB, 8, 2),
        (4 * GIB, 8, 1),
        (GIB, 8, 1),
    ],
)
def test_one_more_runs_than_there_are_cores_as_far_as_there_is_memory_for_the_largest(
    free: int | None, cores: int, expected: int
) -> None:
    # All three take 5 GiB, which is the share that they may have of 6.25, and the largest two 4 GiB of 5.
    assert concurrency(THREE, free, TAKEN, cores) == expected


def test_a_worker_of_which_nothing_is_known_is_taken_for_a_large_one() -> None:
    assert concurrency(THREE, int(2 * UNKNOWN_MEMORY / 0.8), {}, 8) == 2


def test_of_several_versions_the_largest_counts() -> None:
    one = TargetRecord("torch==1@cpu", "torch", "1", "cpu", "eager", memory=7)
    other = TargetRecord("torch==2@cpu", "torch", "2", "cpu", "eager", memory=5)
    assert peaks_of([one, other, TargetRecord("jax@cpu", "jax", None, "cpu", "eager")]) == {"torch[eager]@cpu": 7}


def test_linux_tells_how_much_memory_is_free() -> None:
    free = free_memory()
    assert free is None or 0 < free < 2**50

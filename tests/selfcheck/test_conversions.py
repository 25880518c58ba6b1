"""What an adapter does not give back as it was is no divergence of the framework, and is all that is left out."""

from __future__ import annotations

from conformance.selfcheck.conversions import untested_scalars, without_omission


def test_calls_with_scalars_are_not_tested_by_an_adapter_that_makes_vectors_of_them() -> None:
    detection = untested_scalars("rank_one")
    assert detection.caught, detection.found


def test_a_correct_adapter_with_other_strides_is_without_omission() -> None:
    detection = without_omission("fortran_order")
    assert detection.caught, detection.found


def test_an_adapter_that_gives_scalars_back_is_not_reported_as_one_that_does_not() -> None:
    assert not untested_scalars("fortran_order").caught
    assert not without_omission("rank_one").caught

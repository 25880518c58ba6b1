"""Which masks are batched, and how."""

from __future__ import annotations

import numpy as np

from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.batches import batch_cases
from conformance.cases.written import written_cases
from conformance.data_folders import reference_adapter
from conformance.specification.model import Batch
from tests.cases.draws import CATALOGUE

REFERENCE = load_reference(reference_adapter())


def _batches(operation: str, case: str) -> dict[str, Case]:
    spec = CATALOGUE.operations[operation]
    written = [made for made in written_cases(spec, REFERENCE) if isinstance(made, Case) and made.id.endswith(case)]
    assert len(written) == 1
    return {batch.id.partition(".vmap.")[2]: batch for batch in batch_cases(spec, written, REFERENCE)}


def test_a_mask_that_is_read_by_is_not_batched_since_each_result_has_its_own_length() -> None:
    assert set(_batches("masked_select", "row-major-order/of-a-vector")) == {"input", "input.last"}


def test_a_mask_that_is_written_by_is_reversed_and_moved_by_one() -> None:
    batch = _batches("masked_fill", "/of-a-vector")["mask"].call.manner
    assert isinstance(batch, Batch)
    np.testing.assert_array_equal(
        batch.stacks["mask"].array,
        [[True, False, False, True], [True, False, False, True], [True, True, False, False]],
    )

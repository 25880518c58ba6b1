"""What may be written about a claim."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from conformance.specification.file_format import ClaimPart


def test_a_claim_that_clauses_test_names_no_situations_since_their_calls_have_them() -> None:
    with pytest.raises(ValidationError, match="situations needs program or untestable"):
        ClaimPart(says="It is an error.", situations=["below-zero"])
    undefined = ClaimPart(says="It is an error.", situations=["below-zero"], untestable="It is undefined.")
    assert undefined.situations == ["below-zero"]
    assert ClaimPart(says="It is an error.", situations=["below-zero"], program="assert True").program

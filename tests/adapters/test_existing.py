"""An API that a version of the framework does not have."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.adapter import api, apis_of


@pytest.mark.parametrize("exists", [True, False])
def test_an_api_that_does_not_exist_is_left_out(exists: bool) -> None:
    @api("mine.gather", operation="gather_nd", exists=exists)
    def gather(params: Any, indices: Any) -> Any:
        return params[indices]

    assert [one.name for one in apis_of({"gather": gather})] == ["mine.gather"] * exists


def test_another_operation_of_the_same_function_stays() -> None:
    @api("mine.new", operation="gather_nd", exists=False)
    @api("mine.old", operation="gather_nd")
    def gather(params: Any, indices: Any) -> Any:
        return params[indices]

    assert [one.name for one in apis_of({"gather": gather})] == ["mine.old"]

"""The example in the guide is a working adapter, as short as it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from conformance.adapter import apis_of
from tests.adapters.valid_calls import CALLS, RESULTS, load_adapter

GUIDE = Path(__file__).parents[2] / "docs" / "adapters.md"


def example() -> str:
    found = re.search(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found.group(1)


def test_the_example_has_at_most_25_lines() -> None:
    assert len(example().splitlines()) <= 25


def test_the_example_does_what_its_operations_mean(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(example(), encoding="utf-8")
    module = load_adapter(path)
    apis = apis_of(vars(module))
    assert {api.operation for api in apis} == {"gather_elements", "scatter_nd"}
    for api in apis:
        assert np.asarray(api.function(**CALLS[api.operation])).tolist() == RESULTS[api.operation]
    assert module.describe() == {"framework": "numpy", "version": np.__version__}

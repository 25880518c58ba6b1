"""Every variant of a mapped API that the tested version of a framework has is mapped, or excused with a reason."""

from __future__ import annotations

import pytest

from conformance.cli.check_variants import check_variants
from conformance.environments.definition import definitions
from conformance.specification.variants import NAME

pytestmark = pytest.mark.frameworks

TARGETS = [
    "array_api_strict",
    "dask",
    "jax",
    "keras",
    "mindspore",
    "mlx",
    "numpy",
    "onnx",
    "onnxruntime",
    "openvino",
    "paddle",
    "pytensor",
    "tensorflow",
    "torch",
]


@pytest.mark.parametrize("target", TARGETS)
def test_no_variant_is_neither_mapped_nor_excused_and_no_line_is_about_none(target: str) -> None:
    asked = check_variants(target, definitions()[target].adapter)
    assert asked is not None
    assert asked.problems == []


def test_each_file_of_variants_is_one_of_a_target_above() -> None:
    beside = {name for name, each in definitions().items() if (each.folder / NAME).is_file()}
    assert beside == set(TARGETS)

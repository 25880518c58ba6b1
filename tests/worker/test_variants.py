"""A worker lists the variants of the APIs that an adapter maps: names beside theirs, keyword forms, and the framework's registry."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from conformance.worker.variants import variants


class _Tensor:
    def take(self, index: int, axis: int = 0) -> None: ...

    def take_(self, index: int) -> None: ...

    def _take_private(self) -> None: ...


def _gather(data: int, index: int, *, out: Any = None) -> None: ...


def _scatter(data: int) -> None: ...


def _names(own: list[str], **contents: Any) -> list[str]:
    fake = ModuleType("fake")
    vars(fake).update({"gather": _gather, "Tensor": _Tensor, **contents})
    namespace = {"fake": fake, **{name: contents[name] for name in ("variants",) if name in contents}}
    return variants(namespace, own, ["gather", "scatter", "take"])


def test_names_of_the_families_beside_a_mapped_one_are_listed_with_it_and_with_its_keyword_forms() -> None:
    assert _names(["fake.gather"], scatter_nd=_scatter, argsort=_scatter) == [
        "fake.gather",
        "fake.gather(out=)",
        "fake.scatter_nd",
    ]


def test_methods_are_those_of_the_classes_of_mapped_methods() -> None:
    found = _names(["fake.Tensor.take(axis=1)"])
    assert found == ["fake.Tensor.take", "fake.Tensor.take(axis=)", "fake.Tensor.take_"]


@pytest.mark.parametrize("value", [ModuleType("scatter"), 7, _gather])
def test_modules_numbers_and_other_names_of_a_mapped_function_are_no_variants(value: object) -> None:
    assert _names(["fake.gather"], scatter_of=value) == ["fake.gather", "fake.gather(out=)"]


def test_what_the_registry_has_counts_by_any_part_of_its_name_and_with_the_signature_that_it_gives() -> None:
    registry = {"ops.scatter.value": None, "ops.scatter.src": _gather, "ops.sort.value": None}
    assert _names(["ops.scatter.src"], variants=lambda: registry) == [
        "ops.scatter.src",
        "ops.scatter.src(out=)",
        "ops.scatter.value",
    ]


def test_an_api_that_this_version_lacks_stops_nothing() -> None:
    assert _names(["fake.missing", "gone.gather"]) == ["fake.gather"]

"""A worker lists the public callables that speak of the family and that no adapter maps, whatever their module does."""

from __future__ import annotations

import sys
import typing
from types import ModuleType
from typing import Any

import pytest

from conformance.worker.callables import unmapped


def _documented(name: str, text: str | None, module: str = "fake") -> Any:
    def function() -> None: ...

    function.__name__, function.__doc__, function.__module__ = name, text, module
    return function


def _module(name: str, **contents: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(contents)
    return module


class _Tensor:
    """A tensor."""

    __module__ = "fake"

    def index_fill_(self) -> None:
        """Works in place."""

    @staticmethod
    def scattered() -> None:
        """Makes one, scattered."""

    def index_add(self) -> None:  # without documentation
        ...

    shape = property(doc="Has indices.")


class _Unnamed(ModuleType):
    def __getattribute__(self, name: str) -> Any:
        raise AttributeError("not available")


def _fake(**contents: Any) -> dict[str, Any]:
    return {"fake": _module("fake", **contents), "typing": typing}


def _found(**contents: Any) -> dict[str, list[str]]:
    return unmapped(_fake(**contents), ["fake.gather"], ["fake.gather", "other.scatter"])


def test_a_callable_is_listed_with_the_first_words_that_its_documentation_speaks_of() -> None:
    text = "Reads INDICES of a segment. Its indices are gathered, then scattered."
    assert _found(pick=_documented("pick", text)) == {"fake.pick": ["indices", "segment", "gathered"]}


@pytest.mark.parametrize("text", ["Reads the index.", "An altogether segmentation.", "Ingathering.", None])
def test_only_whole_words_of_the_family_count(text: str | None) -> None:
    assert _found(pick=_documented("pick", text)) == {}


@pytest.mark.parametrize(
    ("name", "words"),
    [("ScatterNdUpdate", ["scatter"]), ("index_fill", ["index"]), ("SEGMENT_max", ["segment"]), ("reindexed", [])],
)
def test_the_parts_of_its_name_count_too(name: str, words: list[str]) -> None:
    assert _found(**{name: _documented(name, "Does it.")}).get(f"fake.{name}", []) == words


def test_what_an_adapter_maps_is_not_listed_under_another_name_either() -> None:
    gather = _documented("gather", "Reads at indices.")
    assert _found(gather=gather, take=gather) == {}
    namespace = _fake(gather=gather, scatter=_documented("scatter", "Writes."))
    assert unmapped(namespace, ["fake.gather[]"], ["fake.scatter(out=)", "fake.gather[]"]) == {}


def test_methods_of_public_classes_are_listed_and_properties_are_not() -> None:
    found = _found(Tensor=_Tensor)
    assert found == {"fake.Tensor.index_fill_": ["index"], "fake.Tensor.scattered": ["scattered"]}


def test_public_modules_below_are_walked_and_others_are_not() -> None:
    pick = _documented("pick", "Reads indices.")
    own = _module("fake.deep", pick=pick, _hidden=_documented("hidden", "Reads indices."))
    imported = _module("fake._private.deep2", other=_documented("other", "Reads indices."))
    foreign = _module("elsewhere", more=_documented("more", "Reads indices."))
    found = _found(deep=own, alias=imported, elsewhere=foreign, again=_documented("again", "Indices.", "elsewhere"))
    assert found == {"fake.deep.pick": ["indices"]}


def test_an_object_of_several_names_has_the_shortest() -> None:
    pick = _documented("pick", "Reads indices.")
    assert list(_found(a=_module("fake.a", pick=pick), pick=pick, pick_indices=pick)) == ["fake.pick"]


def test_a_module_that_lists_its_names_has_no_others() -> None:
    listed, other = _documented("listed", "Reads indices."), _documented("other", "Reads indices.")
    deep = _module("fake.deep", pick=_documented("pick", "Reads indices."))
    found = _found(__all__=["listed", 7, "missing"], listed=listed, other=other, deep=deep)
    assert list(found) == ["fake.deep.pick", "fake.listed"]


def test_no_attribute_of_a_framework_makes_it_fail() -> None:
    class Raises(ModuleType):
        def __dir__(self) -> list[str]:
            return ["scatter", "lazy", "pick"]

        def __getattr__(self, name: str) -> Any:
            if name == "scatter":
                raise OSError("no licence")
            return _Unnamed("lazy") if name == "lazy" else _documented("pick", "Reads indices.")

    assert unmapped({"fake": Raises("fake")}, ["fake.gather"], []) == {"fake.pick": ["indices"]}


def test_modules_that_the_adapter_does_not_import_are_not_listed() -> None:
    assert unmapped(_fake(gather=_documented("gather", "Reads indices.")), ["other.scatter"], ["fake.gather"]) == {}


@pytest.mark.parametrize("imported", ["fake", "fake.part"])
def test_a_framework_may_be_imported_under_another_name(monkeypatch: pytest.MonkeyPatch, imported: str) -> None:
    fake = _module("fake", scatter=_documented("scatter", "Writes."), part=_module("fake.part"))
    monkeypatch.setitem(sys.modules, "fake", fake)
    namespace = {"f": fake if imported == "fake" else fake.part}
    assert unmapped(namespace, ["fake.gather"], []) == {"fake.scatter": ["scatter"]}

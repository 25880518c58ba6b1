"""A worker gives the text that ships with an object, or says why there is none; no object makes it fail."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from conformance.adapter import api, apis_of, hook, hooks_of
from conformance.worker.documentation import MAX_CHARACTERS, documentation


def _documented(text: Any) -> Any:
    def function() -> None: ...

    function.__doc__ = text
    return function


class _RaisesOnAccess:
    @property
    def gather(self) -> None:
        raise OSError("no licence")


FAKE = SimpleNamespace(
    gather=_documented("Reads values."),
    nothing=_documented(None),
    number=_documented(7),
    endless=_documented("x" * (1 << 20)),
    longest=_documented("x" * MAX_CHARACTERS),
    chinese=_documented("读取数值。"),
    lazy=_RaisesOnAccess(),
)


def _entry(name: str) -> dict[str, str]:
    [(found, entry)] = documentation({"fake": FAKE}, [name]).items()
    assert found == name
    return entry


def test_a_name_begins_with_what_the_adapter_imports() -> None:
    assert _entry("fake.gather") == {"text": "Reads values."}


def test_modules_that_the_adapter_does_not_import_are_imported() -> None:
    assert _entry("xml.etree.ElementTree.fromstring") == {"text": ElementTree.fromstring.__doc__}


@pytest.mark.parametrize("name", ["fake.longest", "fake.chinese"])
def test_a_text_in_any_language_and_up_to_the_limit_is_given(name: str) -> None:
    assert _entry(name) == {"text": getattr(FAKE, name.partition(".")[2]).__doc__}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("fake.nothing", "fake.nothing: has no documentation"),
        ("fake.number", "fake.number: its __doc__ is int, not text"),
        ("fake.endless", "fake.endless: its documentation has 1,048,576 characters; at most 200,000 are read"),
        ("fake.scatter", "fake.scatter: fake has no attribute 'scatter'"),
        ("fake.at[].set", "fake.at[].set: not a dotted name"),
        ("fake.lazy.gather", "fake.lazy.gather: looking it up raised OSError: no licence"),
        ("no_such_framework.gather", "no_such_framework.gather: No module named 'no_such_framework'"),
        ("xml.no_such_module", "xml.no_such_module: No module named 'xml.no_such_module'"),
    ],
)
def test_what_cannot_be_read_has_a_problem_that_says_why(name: str, problem: str) -> None:
    entry = _entry(name)
    assert "text" not in entry
    assert entry["problem"].startswith(problem)


def test_a_problem_that_an_adapter_can_solve_says_how() -> None:
    assert "documentation= in @api" in _entry("fake.nothing")["problem"]


def _documentation_of(**keywords: Any) -> tuple[str, ...]:
    function = api("fake.at[].set", operation="scatter_nd", **keywords)(lambda: None)
    [entry] = apis_of({"function": function})
    return entry.documented_by()


def test_an_api_is_documented_under_its_own_name_unless_the_adapter_names_another() -> None:
    assert _documentation_of() == ("fake.at[].set",)
    assert _documentation_of(follows="fake.set") == ("fake.set",)
    assert _documentation_of(follows="fake.set", documentation="fake.at") == ("fake.at",)
    assert _documentation_of(documentation=["fake.at", "fake.ref.set"]) == ("fake.at", "fake.ref.set")


def test_the_mode_may_decide_which_object_documents_an_api() -> None:
    mode = "first"
    function = api("fake.set", operation="scatter_nd", documentation=lambda: f"fake.{mode}")(lambda: None)
    [entry] = apis_of({"function": function})
    mode = "second"
    assert entry.documented_by() == ("fake.second",)


def test_the_mode_may_decide_which_objects_document_a_hook() -> None:
    mode = "first"
    function = hook(lambda: [f"fake.{mode}", "fake.at"] if mode == "second" else f"fake.{mode}")(lambda: None)
    assert hooks_of({"vmap": function, "vjp": lambda: None}) == {"vmap": ("fake.first",)}
    mode = "second"
    assert hooks_of({"vmap": function}) == {"vmap": ("fake.second", "fake.at")}

"""A variant that a framework has is mapped, reached by an API that is, or excused with a reason; anything else is a problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.specification.problems import SpecError
from conformance.specification.variants import Accounts, Variants, accounts, variant_problems, variants_beside

FILE = """\
words: [gather]
reached:
  "ops.{name}.default": ["fake.{name}", "fake.Tensor.{name}"]
excused:
  - reason: It is private.
    names: [ops.gather.twin]
  - reason: It only has a name.
    names: ["fake.{name}(name=)"]
"""
EVERYTHING = ["fake.gather", "fake.gather(name=)", "fake.gather(out=)", "ops.gather.default", "ops.gather.twin"]


def _said(folder: Path, text: str = FILE) -> Variants:
    (folder / "variants.yaml").write_text(text)
    said = variants_beside(folder / "adapter.py")
    assert said is not None
    return said


def _accounts(folder: Path, found: list[str], mapped: list[str]) -> Accounts:
    return accounts(_said(folder), found, mapped)


def test_what_is_mapped_reached_or_excused_is_accounted_for(tmp_path: Path) -> None:
    accounted = _accounts(tmp_path, EVERYTHING, ["fake.gather", "fake.gather(out=)"])
    assert accounted.unmapped == {"fake.gather(name=)": "It only has a name.", "ops.gather.twin": "It is private."}
    assert accounted.new == ()
    assert accounted.idle == ()


def test_a_variant_that_is_none_of_them_is_a_problem_that_names_it(tmp_path: Path) -> None:
    accounted = _accounts(tmp_path, [*EVERYTHING, "fake.gather_nd"], ["fake.gather"])
    assert accounted.new == ("fake.gather(out=)", "fake.gather_nd")
    messages = [problem.message for problem in variant_problems(_said(tmp_path), accounted, "fake==1@cpu")]
    assert messages[1].startswith("fake.gather_nd: fake==1@cpu has it, and the adapter neither maps it nor excuses it")


def test_an_api_with_a_keyword_in_its_name_is_a_call_of_the_function_and_of_this_form(tmp_path: Path) -> None:
    found = ["fake.gather", "fake.gather(mode=)", "fake.gather(out=)"]
    assert _accounts(tmp_path, found, ["fake.gather(mode='clip')"]).new == ("fake.gather(out=)",)


def test_what_is_reached_is_new_once_no_api_reaches_it(tmp_path: Path) -> None:
    assert _accounts(tmp_path, ["ops.gather.default"], ["fake.scatter"]).new == ("ops.gather.default",)
    assert _accounts(tmp_path, ["ops.gather.default"], ["fake.Tensor.gather"]).new == ()


def test_one_identifier_stands_in_place_of_a_name_and_a_dot_does_not(tmp_path: Path) -> None:
    found = ["fake.deep.gather(name=)", "ops.deep.gather.default"]
    assert _accounts(tmp_path, found, ["fake.gather"]).new == tuple(found)


@pytest.mark.parametrize(
    ("missing", "line"), [("ops.gather.twin", 6), ("fake.gather(name=)", 8), ("ops.gather.default", 3)]
)
def test_a_line_about_no_variant_that_the_framework_has_is_a_problem_there(
    tmp_path: Path, missing: str, line: int
) -> None:
    found = [name for name in EVERYTHING if name != missing]
    accounted = _accounts(tmp_path, found, ["fake.gather", "fake.gather(out=)"])
    [problem] = variant_problems(_said(tmp_path), accounted, "fake==1@cpu")
    assert problem.location.line == line
    assert "remove the line" in problem.message


def test_an_excuse_for_what_is_mapped_by_now_is_a_line_about_none(tmp_path: Path) -> None:
    accounted = _accounts(tmp_path, EVERYTHING, ["fake.gather", "fake.gather(out=)", "ops.gather.twin"])
    assert [pattern.text for pattern in accounted.idle] == ["ops.gather.twin"]


def test_an_excuse_for_what_an_api_reaches_is_a_line_about_none_too(tmp_path: Path) -> None:
    said = _said(tmp_path, FILE.replace("ops.gather.twin", "ops.gather.default"))
    accounted = accounts(said, ["ops.gather.default", "fake.gather(name=)"], ["fake.gather"])
    assert "ops.gather.default" not in accounted.unmapped
    assert [pattern.text for pattern in accounted.idle] == ["ops.gather.default"]


def test_an_adapter_without_the_file_says_nothing(tmp_path: Path) -> None:
    assert variants_beside(tmp_path / "adapter.py") is None


def test_an_excuse_without_a_reason_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="reason"):
        _said(tmp_path, FILE.replace("It is private.", '""'))

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.specification.problems import SpecError
from conformance.specification.yaml_file import read_yaml


def _read(folder: Path, text: str | bytes) -> Any:
    path = folder / "a.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_yaml(path)[0]


def _problems(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(SpecError) as caught:
        _read(folder, text)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("written", "value"),
    [("no", "no"), ("on", "on"), ("010", 10), ("1:30", "1:30"), ("2001-01-01", "2001-01-01"), ("1e-6", 1e-6),
     ("0o17", 15), ("0x1F", 31), ("-.inf", float("-inf")), ("true", True), ("~", None), ("9223372036854775807", 2**63 - 1),
     ("'5'", "5"), ("+3", 3), (".5", 0.5)],
)  # fmt: skip
def test_scalars_are_read_by_the_core_rules_of_yaml_1_2(tmp_path: Path, written: str, value: Any) -> None:
    found = _read(tmp_path, f"a: {written}")["a"]
    assert (found, type(found)) == (value, type(value))


def test_every_value_knows_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a:\n  b: 1\n  c:\n    - x\n    - y\n")
    _, lines = read_yaml(path)
    assert (lines.location(("a", "b")).line, lines.location(("a", "c", 1)).line) == (2, 5)


def test_a_duplicate_key_is_an_error_at_its_second_place(tmp_path: Path) -> None:
    [problem] = _problems(tmp_path, "a: 1\nb: 2\na: 3\n")
    assert ":3: duplicate key 'a'" in problem


def test_a_cyclic_alias_is_an_error(tmp_path: Path) -> None:
    assert "aliases (*name) are not allowed" in _problems(tmp_path, "a: &x [*x]\n")[0]


def test_an_alias_that_grows_without_bound_is_an_error_and_costs_nothing(tmp_path: Path) -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    assert "aliases (*name) are not allowed" in _problems(tmp_path, bomb)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "the file is empty"), ("# a remark\n", "the file is empty"), ("a: [1\n", "not YAML"), ("a: !!python/tuple [1]\n", ""),
     (b"a: \xff\n", "not UTF-8: byte 3 is 0xff"), ("a: !x 1\n", "tags ('!x') are not allowed"), ("? [1]\n: 2\n", "keys must be strings"),
     ("a: \x01\n", "not YAML")],
)  # fmt: skip
def test_what_is_no_such_file_is_said_with_its_place(tmp_path: Path, text: str | bytes, said: str) -> None:
    if not said:
        assert _read(tmp_path, text) == {"a": [1]}  # a tag on a sequence constructs nothing
        return
    [problem] = _problems(tmp_path, text)
    assert said in problem
    assert "a.yaml:" in problem


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="file not found"):
        read_yaml(tmp_path / "none.yaml")


def test_what_is_nested_too_deeply_is_refused_with_its_line_before_it_is_composed(tmp_path: Path) -> None:
    for text in (
        "a: 1\nb: " + "[" * 100_000,
        "a: 1\nb: " + "[" * 900 + "]" * 900,
        "a: 1\nb: " + "{x: " * 60 + "1" + "}" * 60,
    ):
        [problem] = _problems(tmp_path, text)
        assert ":2: lists and mappings are nested more than 50 levels deep; at most 50 are allowed" in problem
    assert _read(tmp_path, "a: " + "[" * 49 + "]" * 49)


@pytest.mark.parametrize("number", ["1" * 5000, "0x" + "f" * 200, "0." + "1" * 200])
def test_a_number_of_too_many_digits_is_refused_with_its_line(tmp_path: Path, number: str) -> None:
    [problem] = _problems(tmp_path, f"a: 1\nb: {number}\n")
    assert f":2: a number has {len(number)} characters; at most 100 are allowed" in problem


def test_quotes_are_repaired_in_a_limited_number_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    parse = yaml.parse

    def counted(*arguments: Any, **options: Any) -> Any:
        passes.append(0)
        return parse(*arguments, **options)

    monkeypatch.setattr(yaml, "parse", counted)
    problems = _problems(tmp_path, "".join(f"a{n}: zeros([1, 2])\nb{n}: {{x: zeros([1, 2])}}\n" for n in range(200)))
    assert len(problems) == 21
    assert len(passes) <= 21
    assert "missing quotes were found in 20 other lines, and the rest of the file was not read" in problems[-1]


def test_a_line_that_is_too_long_is_not_repaired(tmp_path: Path) -> None:
    [problem] = _problems(tmp_path, "b: {x: zeros([1, 2]), " + "a(, " * 1000 + "}\n")
    assert ":1: not YAML" in problem


@pytest.mark.parametrize("text", ["a:\n\tb: 1\n", "a:\n  b: 1\n \tc: 1\n", "a: 1\nb: [c,\n\t d: [}\n"])
def test_a_tab_is_named_as_the_reason(tmp_path: Path, text: str) -> None:
    [problem] = _problems(tmp_path, text)
    assert problem.endswith("it contains a tab, which YAML does not take for indentation; use spaces")


def test_a_tab_inside_a_text_is_not_the_reason(tmp_path: Path) -> None:
    [problem] = _problems(tmp_path, "a: [1\t\nb: 2\n")
    assert "a tab" not in problem

"""Records are written as ``json`` writes them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.outcomes import model
from conformance.outcomes.model import Died, Error, Hung, Outcome, Raised, Returned, Unsupported, Warned
from conformance.results.codec import encoded
from conformance.results.file import read_line
from conformance.results.literals import Packed
from conformance.results.records import (
    CaseRecord,
    ControlRecord,
    Difference,
    Differences,
    EndRecord,
    RelationRecord,
    ResultRecord,
    RunRecord,
)
from conformance.results.variations import IF_ANY, DrawnRecord

# Every character, halves of surrogate pairs too; and floats on both sides of where others change to an exponent.
TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    (1e-05, 9.9e-05, 1e-04, 1e-07, 1e16, 1e17, -0.0)
)
NUMBERS = FLOATS | st.integers(-(2**70), 2**70) | st.integers(-3, 3)
ARRAYS = st.recursive(NUMBERS | st.booleans() | TEXT, lambda inner: st.lists(inner, max_size=4), max_leaves=12)
TEXTS = st.lists(TEXT, max_size=2)
WARNINGS = st.lists(st.builds(Warned, TEXT, st.integers(0, 9)), max_size=2).map(tuple)
ERRORS = st.builds(
    Error, TEXT, TEXT, TEXT, st.sampled_from(("call", "result")), TEXTS.map(tuple), st.none(), st.none() | TEXT
)
OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(Returned, TEXT, TEXTS.map(tuple), TEXT, st.none() | ARRAYS, TEXTS.map(tuple), warnings=WARNINGS),
    st.builds(Raised, ERRORS, st.booleans(), in_place=st.sampled_from((None, "written")), warnings=WARNINGS),
    st.builds(Died, st.none() | TEXT, st.none() | st.integers(-1, 300), stderr=TEXT),
    st.builds(Hung, FLOATS),
    st.builds(Unsupported, TEXT),
)
DIFFERENCES = st.builds(
    Differences,
    st.integers(0, 9),
    st.integers(0, 9),
    st.lists(st.builds(Difference, st.lists(st.integers(0, 9)), NUMBERS, NUMBERS, st.none() | NUMBERS), max_size=2),
    bound=st.none() | FLOATS,
)
RESULTS = st.builds(
    ResultRecord,
    *[TEXT] * 4,
    OUTCOMES,
    st.just("conforms"),
    st.just("own"),
    st.lists(st.just("value"), max_size=1),
    explanation=st.none() | TEXT,
    differences=st.none() | DIFFERENCES,
    elsewhere=st.none() | TEXT,
    seconds=FLOATS,
    control=st.none() | st.just(ControlRecord("returned")),
    cast=st.dictionaries(TEXT, TEXT, max_size=2),
    relation=st.none() | st.builds(RelationRecord, st.dictionaries(TEXT, TEXT, max_size=2), st.none() | OUTCOMES),
    confirmed=st.sampled_from((None, "alone")),
)
LITERALS = st.dictionaries(TEXT, st.none() | TEXT | st.dictionaries(TEXT, ARRAYS, max_size=2), max_size=2)
CASES = st.builds(
    CaseRecord,
    *[TEXT] * 3,
    call=LITERALS,
    expectation=LITERALS,
    dtypes=st.dictionaries(TEXT, TEXT, max_size=2),
    digest=TEXT,
    source=TEXT,
    axes=st.none() | st.dictionaries(TEXT, TEXTS, max_size=2),
    variation=st.builds(DrawnRecord, st.booleans()),
)
# ``at_least`` is declared as an integer, and its default equals False.
RUNS = st.builds(
    RunRecord, *[TEXT] * 2, st.integers(), *[TEXT] * 2, at_least=st.integers(0, 1) | st.booleans(), fail_on=TEXT
)


def written(value: Any) -> Any:
    """The objects of JSON for a record."""
    if isinstance(value, list | tuple):
        return [written(each) for each in value]
    if isinstance(value, Mapping):
        return {name: written(each) for name, each in value.items()}
    if not dataclasses.is_dataclass(value):
        return value
    content = {}
    for item in dataclasses.fields(value):
        part = getattr(value, item.name)
        default = item.default_factory() if item.default_factory is not dataclasses.MISSING else item.default
        outcome = type(value).__module__ == model.__name__ and item.name not in ("status", "abstract")
        if not ((item.metadata == IF_ANY or outcome) and type(part) is type(default) and part == default):
            content[item.name] = written(part)
    return content


CASE = CaseRecord("c.k/x", "c.k", "c", {}, {"observed": ""}, {}, "", "")


@given(RESULTS | CASES | RUNS)
def test_a_record_is_written_as_json_writes_its_fields_without_the_sparse_ones_that_have_their_default(
    record: Any,
) -> None:
    assert encoded(record) == json.dumps(written(record), ensure_ascii=False, separators=(",", ":"))


def test_each_line_of_a_file_is_written_again_as_it_was() -> None:
    for line in (Path(__file__).parent / "schema_2.jsonl").read_text(encoding="utf-8").splitlines():
        assert encoded(read_line(line)) == line


def result(outcome: Outcome, seconds: float = 0.0, differences: Differences | None = None) -> ResultRecord:
    return ResultRecord("c", "t", "a", "k", outcome, "conforms", "own", differences=differences, seconds=seconds)


@dataclass(frozen=True)
class Sparse:
    a: int = field(default=0, metadata=IF_ANY)


@dataclass(frozen=True)
class Several:
    a: list[Sparse]


def returned(*values: Any) -> ResultRecord:
    return result(Returned("float64", (len(values),), "", [*values]))


DIFFERENT = {
    "a float that others write without an exponent": returned(1e-05),
    "a float that others write without a sign in its exponent": returned(1e16),
    "such a duration": result(Unsupported(""), 1e-05),
    "an integer of more than 64 bits": returned(2**70),
    "such an integer beside others": replace(CASE, number=2**70),
    "half of a surrogate pair": result(Unsupported("\ud800")),
    "a control character": result(Unsupported("\x00\x1f\x7f\u2028")),
    "a default that is another object": result(Raised(Error("", "", phase="".join(("ca", "ll"))))),  # type: ignore[arg-type]
    "objects in a list": result(Unsupported(""), differences=Differences(1, 1, [Difference([0], 1, 2)])),
    "sparse objects in a list": Several([Sparse()]),
    "an empty mapping that is still text": replace(CASE, call=Packed({})),
    "a mapping that is still text": replace(CASE, call=Packed({"input": {"float32": [1e-05]}})),
}


@pytest.mark.parametrize("record", DIFFERENT.values(), ids=DIFFERENT)
def test_what_others_write_differently_is_written_as_json_writes_it(record: Any) -> None:
    assert encoded(record) == json.dumps(written(record), ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_wherever_it_stands(number: float) -> None:
    unsupported = Unsupported("")
    for record in (
        result(unsupported, number),
        result(Hung(number)),
        result(Returned("float32", (1, 1), "", [[number]])),
        result(unsupported, differences=Differences(1, 1, [Difference([0], 0.0, number)])),
        result(unsupported, differences=Differences(1, 1, [], bound=number)),
    ):
        with pytest.raises(ValueError, match="not JSON compliant"):
            encoded(record)


def test_what_is_written_of_an_outcome_is_its_own_however_many_came_before() -> None:
    for number in range(1000):
        assert f'"digest":"{number}"' in encoded(result(Returned("int32", (number,), str(number))))


def test_what_is_no_record_is_written_too() -> None:
    assert encoded([EndRecord(complete=True, counts={})]) == (
        '[{"complete":true,"counts":{},"reason":null,"unexpected":[],"pattern_counts":[],"kind":"end"}]'
    )

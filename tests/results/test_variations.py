"""How cases vary the calls of the specs, in memory, in results.jsonl, and in the files of the schema before this one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from conformance.cases.variation import (
    AsView,
    Batched,
    Contradicting,
    Differentiated,
    Drawn,
    DrawnProgram,
    DtypeTest,
    Found,
    InDtype,
    InProgram,
    NestedTransform,
    Passed,
    RareForm,
    SharingMemory,
    Turn,
    TwiceDifferentiated,
    Variation,
    Written,
)
from conformance.results.describe import variation_record
from conformance.results.file import FILE_NAME, ResultsError, read_results
from conformance.results.order import write_results
from conformance.results.records import CaseRecord
from conformance.results.variations import (
    ORIGINS,
    AsViewRecord,
    BatchRecord,
    ContradictingRecord,
    DerivativeRecord,
    DrawnProgramRecord,
    DrawnRecord,
    FoundRecord,
    InDtypeRecord,
    InProgramRecord,
    NestedRecord,
    PassedRecord,
    RareFormRecord,
    SecondDerivativeRecord,
    SharingMemoryRecord,
    VariationRecord,
    WrittenRecord,
)
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor, tensor
from conformance.specification.model import (
    Around,
    Batch,
    Derivative,
    Nested,
    PassedAs,
    Raises,
    Rule,
    SecondDerivative,
    Sharing,
)
from conformance.specification.programs.reading import read_program
from tests.matrix.small import CASES, run

BASE = "o.rule.c/1"
RULE = Rule("c", None, None, Raises(), ())
PROGRAM = "def program(x):\n    result = take(x=x)\n    return result\n"
ONES = {"float32": [1.0, 1.0]}
TURN = Turn(3, is_extra=True)
COTANGENT = Derivative("vjp", "input", tensor("float32", [1, 1]))
TANGENT = Derivative("jvp", "input", tensor("float32", [1, 1]))
STACKS = {"index": tensor("int64", [[0], [1]])}


def _nothing(_call: Applied) -> Tensor:
    raise NotImplementedError


def _drawn(rule: Rule | None) -> Drawn:
    return Drawn(rule, number=1, form_number=1, choices=(), reference=_nothing)


RECORDS: list[tuple[Variation, VariationRecord]] = [
    (Written(), WrittenRecord()),
    (Written(DtypeTest(("index",)), breaks=True), WrittenRecord(breaks=True)),
    (Found(), FoundRecord()),
    (Found(breaks=True), FoundRecord(breaks=True)),
    (_drawn(None), DrawnRecord()),
    (_drawn(RULE), DrawnRecord(breaks=True)),
    (InDtype(BASE, DtypeTest(("input",)), "int8", of_indices=False), InDtypeRecord(BASE)),
    (AsView(BASE, "strided", Turn(0, 1)), AsViewRecord(BASE, "strided")),
    (Contradicting("offsets", "beyond", TURN, breaks=True), ContradictingRecord("offsets", "beyond", breaks=True)),
    (Contradicting("offsets", "beyond", TURN, breaks=False), ContradictingRecord("offsets", "beyond")),
    (SharingMemory(Sharing("input", "index", -2), TURN), SharingMemoryRecord("input", "index", -2)),
    (RareForm(is_open=True, turn=TURN), RareFormRecord()),
    (RareForm(is_open=True, turn=TURN, form="neighbours"), RareFormRecord(form="neighbours")),
    (RareForm(is_open=False, turn=TURN, breaks=True), RareFormRecord(breaks=True)),
    (
        Passed(BASE, PassedAs({"index": "constant", "dim": "argument"}), TURN, is_open=False, breaks=True),
        PassedRecord(BASE, {"index": "constant", "dim": "argument"}, breaks=True),
    ),
    (InProgram(Around(read_program(PROGRAM)), is_open=False, turn=TURN), InProgramRecord(PROGRAM)),
    (
        InProgram(
            Around(read_program(PROGRAM), "changing", "x", PassedAs({"x": "constant"})), is_open=False, turn=TURN
        ),
        InProgramRecord(PROGRAM, "changing", {"x": "constant"}),
    ),
    (DrawnProgram(Around(read_program(PROGRAM), "returning"), 1, {}, _nothing), DrawnProgramRecord(PROGRAM)),
    (
        DrawnProgram(Around(read_program(PROGRAM), "changing", "x"), 1, {}, _nothing),
        DrawnProgramRecord(PROGRAM, "changing"),
    ),
    (
        Differentiated(BASE, COTANGENT, TURN, is_beyond_documents=False),
        DerivativeRecord(BASE, "vjp", "input", ONES),
    ),
    (
        Differentiated(BASE, TANGENT, TURN, is_beyond_documents=True),
        DerivativeRecord(BASE, "jvp", "input", ONES),
    ),
    (
        Batched(BASE, Batch(STACKS, "last"), TURN, is_beyond_documents=False),
        BatchRecord(BASE, {"index": {"int64": [[0], [1]]}}, "last"),
    ),
    (
        NestedTransform(BASE, Nested("vmap-vjp", COTANGENT, Batch(STACKS, "last")), TURN, is_beyond_documents=False),
        NestedRecord(BASE, "vmap-vjp", "input", ONES, {"index": {"int64": [[0], [1]]}}, "last"),
    ),
    (
        TwiceDifferentiated(BASE, SecondDerivative("jvp-vjp", COTANGENT, TANGENT), TURN, is_beyond_documents=False),
        SecondDerivativeRecord(BASE, "jvp-vjp", "input", "input", ONES, ONES),
    ),
]
"""Each kind of variation with its record."""


def test_the_next_tests_are_about_each_kind_and_each_has_words() -> None:
    assert {type(one) for one, _ in RECORDS} == {*get_args(Variation)}
    assert {type(one) for _, one in RECORDS} == {*get_args(VariationRecord)}
    assert {one.kind for _, one in RECORDS} == ORIGINS.keys()


@pytest.mark.parametrize(("variation", "record"), RECORDS)
def test_each_variation_has_a_record_of_its_kind(variation: Variation, record: VariationRecord) -> None:
    assert variation_record(variation) == record
    assert variation.kind == record.kind


@pytest.mark.parametrize("record", [record for _, record in RECORDS])
def test_each_record_survives_a_round_trip(tmp_path: Path, record: VariationRecord) -> None:
    whole = run()
    whole.cases[CASES[0]] = replace(whole.cases[CASES[0]], variation=record)
    write_results(whole, tmp_path / FILE_NAME)
    assert read_results(tmp_path).cases == whole.cases


def test_a_variation_that_lacks_what_belongs_to_its_kind_is_an_error_that_names_it(tmp_path: Path) -> None:
    whole = run()
    whole.cases[CASES[0]] = replace(whole.cases[CASES[0]], variation=InProgramRecord(PROGRAM))
    write_results(whole, tmp_path / FILE_NAME)
    text = (tmp_path / FILE_NAME).read_text()
    (tmp_path / FILE_NAME).write_text(text.replace('"kind":"program"', '"kind":"batch"'))
    with pytest.raises(ResultsError, match=r"case\.variation\.batch\.base: Field required"):
        read_results(tmp_path)


# Files of schema 1 had a field for each kind of variation.

HEAD = [
    {"kind": "run", "started": "", "command": "", "seed": 0, "spec_digest": "", "suite_version": "0", "schema": 1},
    {"kind": "clause", "id": "o.rule.c", "operation": "o", "family": "rule", "states": "", "citations": [], "source": ""},
]  # fmt: skip
CASE: dict[str, Any] = {
    "kind": "case", "id": f"{BASE}.x", "clause": "o.rule.c", "operation": "o", "call": {"input": ONES}, "dtypes": {},
    "expectation": {"raises": True}, "digest": "", "source": "", "provenance": "written", "breaks": False,
    "derived_from": None,
}  # fmt: skip
VIEWED = {"input": {"float32": [1, 2], "view": "offset"}, "index": {"int64": [0], "view": "strided"}}


def _read(folder: Path, fields: dict[str, Any], *, spaces: bool = False) -> dict[str, CaseRecord]:
    """The cases of a file of schema 1 whose case has these fields."""
    separators = None if spaces else (",", ":")
    lines = [json.dumps(record, separators=separators) for record in (*HEAD, {**CASE, **fields})]
    (folder / FILE_NAME).write_text("".join(f"{line}\n" for line in lines))
    return read_results(folder).cases


DERIVED = {"provenance": "derived", "derived_from": BASE}
SCHEMA_1: list[tuple[dict[str, Any], VariationRecord]] = [
    ({}, WrittenRecord()),
    ({"breaks": True}, WrittenRecord(breaks=True)),
    ({"provenance": "found", "breaks": True}, FoundRecord(breaks=True)),
    ({"provenance": "generated"}, DrawnRecord()),
    ({"provenance": "generated", "breaks": True}, DrawnRecord(breaks=True)),
    (DERIVED, InDtypeRecord(BASE)),
    ({**DERIVED, "id": f"{BASE}.strided", "call": VIEWED}, AsViewRecord(BASE, "strided")),
    ({**DERIVED, "id": f"{BASE}.int8", "call": VIEWED}, InDtypeRecord(BASE)),
    ({"provenance": "form"}, RareFormRecord()),
    ({"provenance": "form", "breaks": True}, RareFormRecord(breaks=True)),
    (
        {**DERIVED, "breaks": True, "passed": {"index": "constant"}},
        PassedRecord(BASE, {"index": "constant"}, breaks=True),
    ),
    ({"provenance": "form", "program": PROGRAM}, InProgramRecord(PROGRAM)),
    (
        {**DERIVED, "transform": {"kind": "vjp", "of": "input", "seed": ONES}},
        DerivativeRecord(BASE, "vjp", "input", ONES),
    ),
    (
        {**DERIVED, "transform": {"kind": "jvp", "of": "input", "seed": ONES}},
        DerivativeRecord(BASE, "jvp", "input", ONES),
    ),
    (
        {**DERIVED, "transform": {"kind": "vmap", "of": "input.last", "stacks": {"input": ONES}, "axis": "last"}},
        BatchRecord(BASE, {"input": ONES}, "last"),
    ),
]
"""The fields of a case of each kind in a file of schema 1, and its record."""


def test_the_next_test_is_about_each_kind() -> None:
    newer = {DrawnProgramRecord, NestedRecord, SharingMemoryRecord, ContradictingRecord, SecondDerivativeRecord}
    assert {type(one) for _, one in SCHEMA_1} == {*get_args(VariationRecord)} - newer


@pytest.mark.parametrize("spaces", [False, True])
@pytest.mark.parametrize(("fields", "record"), SCHEMA_1)
def test_a_case_of_schema_1_is_read_as_the_record_of_its_kind(
    tmp_path: Path, fields: dict[str, Any], record: VariationRecord, spaces: bool
) -> None:
    [case] = _read(tmp_path, fields, spaces=spaces).values()
    assert case.variation == record


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"provenance": "dreamt"}, r"case\.variation"),
        ({"provenance": None}, r"case\.variation"),
        ({"provenance": "derived"}, r"case\.variation\.dtype\.base"),
        ({"breaks": "yes"}, r"case\.variation\.written\.breaks"),
        ({**DERIVED, "call": []}, r"case\.call"),
        ({**DERIVED, "passed": ["index"]}, r"case\.variation\.passed\.arguments"),
        ({**DERIVED, "passed": {"index": "by hand"}}, r"case\.variation\.passed\.arguments\.index"),
        ({"provenance": "form", "program": 5}, r"case\.variation\.program\.program"),
        ({**DERIVED, "transform": []}, r"case\.variation\.derivative\.mode"),
        ({**DERIVED, "transform": {}}, r"case\.variation\.derivative\.mode"),
        ({**DERIVED, "transform": {"kind": "vjp", "of": "input"}}, r"case\.variation\.derivative\.seed"),
        ({**DERIVED, "transform": {"kind": "vmap", "of": "input"}}, r"case\.variation\.batch\.stacks"),
    ],
)
def test_a_broken_case_of_schema_1_is_an_error_with_line_and_field(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ResultsError, match=rf"results\.jsonl:3: not a valid results record: {message}"):
        _read(tmp_path, fields)


def test_a_last_line_of_schema_1_that_was_torn_is_left_out(tmp_path: Path) -> None:
    (whole,) = _read(tmp_path, {}).values()
    lines = (tmp_path / FILE_NAME).read_text()
    (tmp_path / FILE_NAME).write_text(lines + lines.splitlines()[-1][:-5])
    assert read_results(tmp_path).cases == {whole.id: whole}

"""Entries about drawn programs name the form of the smallest program, since drawn cases differ with each seed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.known.editing import edited
from conformance.known.model import KnownDivergences
from conformance.known.proposals import not_known, proposals
from conformance.results.records import CaseRecord
from conformance.results.variations import DrawnProgramRecord
from conformance.specification.problems import SpecError
from tests.known.small import entry, known_divergences, ledger, result, results

TEXT = "def program(x, index):\n    y0 = take(input=x, index=index)\n    fill(x, 3)\n    return y0, x\n"
SMALLEST = CaseRecord(
    *("gather_elements.rule.rank/program-0a1b2c3d", "gather_elements.rule.rank", "gather_elements", {}, {}),
    *({"x": "float32"}, "", "x.yaml:1"),
    variation=DrawnProgramRecord(TEXT),
)
FORM = "v3 = take(v1, v2); fill(v1, n); return v1, v3"
OF_TAKE = entry(cases="", api="torch.*", kind="value", programs='"* = take(*; fill(*"')
DRAWN = result("rank/program.drawn.17", "value", api="torch.Tensor.put_", smallest=SMALLEST.id)


def test_the_form_has_no_names_and_numbers() -> None:
    assert SMALLEST.form == FORM


def test_a_drawn_program_is_known_by_the_form_of_its_smallest_one_on_any_api(tmp_path: Path) -> None:
    assert ledger(known_divergences(tmp_path, OF_TAKE)).known(DRAWN, SMALLEST).known == "rank"


@pytest.mark.parametrize(
    "text",
    [
        OF_TAKE.replace("take", "put"),
        OF_TAKE.replace("kind: value", "kind: rejected"),
        OF_TAKE + "    when: {dtype: int64}\n",
        OF_TAKE + "    when: {mode: compile}\n",
        OF_TAKE + "    expires: 2020-01-01\n",
    ],
)
def test_one_of_another_form_kind_dtype_or_mode_is_not_known(tmp_path: Path, text: str) -> None:
    assert ledger(known_divergences(tmp_path, text)).known(DRAWN, SMALLEST).known is None


def test_one_that_was_not_shrunk_is_not_known(tmp_path: Path) -> None:
    assert ledger(known_divergences(tmp_path, OF_TAKE)).known(DRAWN).known is None


@pytest.mark.parametrize("more", ["run: false", "behaviour: clamps", "when: {transform: vjp}"])
def test_an_entry_about_programs_has_nothing_that_they_lack(tmp_path: Path, more: str) -> None:
    with pytest.raises(SpecError, match="an entry with programs has no"):
        known_divergences(tmp_path, f"{OF_TAKE}    {more}\n")


def test_an_entry_about_no_cases_and_no_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="about nothing"):
        known_divergences(tmp_path, entry(cases=""))


def test_what_is_proposed_for_drawn_programs_is_their_form() -> None:
    found = results(replace(DRAWN, api="torch.gather"))
    found = replace(found, cases={**found.cases, SMALLEST.id: SMALLEST})
    [one] = proposals(not_known(found, found.targets, KnownDivergences(), "own"), [found], KnownDivergences())
    assert (one.cases, one.programs) == ((), (FORM,))


def test_what_is_proposed_matches_the_programs_of_which_it_is_the_form(tmp_path: Path) -> None:
    sliced = replace(SMALLEST, variation=DrawnProgramRecord(TEXT.replace("fill(x, 3)", "fill(x[1:], 3)")))
    assert sliced.form is not None
    assert "[" in sliced.form
    held = ledger(known_divergences(tmp_path, entry(cases="", kind="value", programs=f"'{sliced.form}'")))
    assert held.known(DRAWN, sliced).known == "rank"
    assert held.known(DRAWN, SMALLEST).known is None


def test_an_entry_about_programs_too_remains_without_its_cases() -> None:
    text = entry(programs='"* = take(*"')
    assert edited(text, {"rank": ["gather_elements.rule.rank/*"]}) == entry(cases="", programs='"* = take(*"')

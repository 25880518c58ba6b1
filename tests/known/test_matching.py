"""Which cases a pattern finds among all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.cases.facts import CaseFacts
from conformance.known.load import concerns
from conformance.known.matching import NamedCases
from conformance.known.model import Conditions, KnownDivergence, Pattern
from conformance.specification.problems import Location

NAMES = st.text("ab.[]*?", min_size=1, max_size=4)
FACTS = st.builds(
    CaseFacts,
    NAMES,
    st.just("a"),
    st.just("a"),
    st.frozensets(st.sampled_from(["int32", "bool"])),
    generated=st.just(False),
    earlier=st.lists(NAMES, max_size=2).map(tuple),
    original=st.none() | NAMES,
    transformation=st.sampled_from([None, "jvp"]),
)
CONDITIONS = [Conditions(), Conditions(dtype="bool"), Conditions(transforms=("jvp",))]


def about(pattern: Pattern, conditions: Conditions) -> KnownDivergence:
    at = Location("divergences.yaml", 1)
    return KnownDivergence(
        id="e",
        patterns=(pattern,),
        programs=(),
        apis=("*",),
        conditions=conditions,
        kinds=frozenset(),
        behaviour=None,
        sometimes=False,
        since=None,
        expires=None,
        run=True,
        triaged=True,
        reason="",
        link="",
        searched=(),
        location=at,
    )


@given(st.lists(FACTS, max_size=12, unique_by=lambda case: case.id), NAMES, st.sampled_from(CONDITIONS))
def test_a_pattern_finds_the_cases_that_it_matches_when_each_is_tried(
    cases: list[CaseFacts], text: str, conditions: Conditions
) -> None:
    pattern = Pattern(text, Location("divergences.yaml", 1))
    entry = about(pattern, conditions)
    found = NamedCases(cases).concerned(entry, pattern)
    assert sorted(found, key=lambda case: case.id) == sorted(
        (case for case in cases if concerns(entry, pattern, case)), key=lambda case: case.id
    )

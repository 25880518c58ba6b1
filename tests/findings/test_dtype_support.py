"""Dtypes, claimed and observed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.findings.conclusions import Conclusions
from conformance.findings.dtype_support import Support
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ClauseRecord, DtypeClaimRecord, ResultRecord, RunRecord
from conformance.results.variations import InDtypeRecord
from tests.outcomes import SEGFAULT, UNSUPPORTED, raised, returned

CLAUSE = "scatter_nd.example.four"
BASE = f"{CLAUSE}/as-printed"
OUTCOMES: dict[str, Outcome] = {one.status: one for one in (returned(), raised(), SEGFAULT, UNSUPPORTED)}


def case(name: str, **dtypes: str) -> CaseRecord:
    return CaseRecord(name, CLAUSE, "scatter_nd", {}, {}, dtypes, "0", "specs/scatter_nd.yaml:1")


def result(name: str, status: str, verdict: Any = "observed", **claim: Any) -> ResultRecord:
    dtype_claim = DtypeClaimRecord(**claim) if claim else None
    return ResultRecord(
        name, "torch==2.13.0@cpu", "torch.f", CLAUSE, OUTCOMES[status], verdict, "portability", dtype_claim=dtype_claim
    )


def derived(dtype: str, status: str, verdict: str = "observed", claimed: str = "no", base: str = BASE) -> ResultRecord:
    return result(f"{base}.{dtype}", status, verdict, dtypes={"updates": dtype}, claimed=claimed, by=None)


def support(*results: ResultRecord) -> dict[str, Support]:
    run = RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0")
    clause = ClauseRecord(CLAUSE, "scatter_nd", "example", "It scatters.", [], "specs/scatter_nd.yaml:1")
    bases = [case(BASE, updates="int32", indices="int32"), case(f"{CLAUSE}/other", updates="int32")]
    others = [
        replace(
            base,
            id=f"{base.id}.{dtype}",
            dtypes={**base.dtypes, "updates": dtype},
            variation=InDtypeRecord(base.id),
        )
        for base in bases
        for dtype in ("int8", "int16", "uint8", "bool")
    ]
    read = Results(
        run, clauses={CLAUSE: clause}, cases={one.id: one for one in (*bases, *others)}, results=list(results)
    )
    return {one.dtype: one for one in Conclusions(read).dtypes}


RIGHT = result(BASE, "returned", "conforms")


def test_each_dtype_has_a_word_for_what_was_seen() -> None:
    found = support(RIGHT, derived("int8", "returned"), derived("int16", "raised"),
                    derived("uint8", "returned", "diverges"), derived("bool", "died"))  # fmt: skip
    assert {dtype: one.word for dtype, one in found.items()} == {
        "int8": "works", "int32": "works", "int16": "refused", "uint8": "differs", "bool": "ended"
    }  # fmt: skip


def test_a_dtype_is_wrong_only_by_the_documentation_of_the_api_itself() -> None:
    diverges = derived("uint8", "returned", "diverges")
    assert support(RIGHT, diverges)["uint8"].word == "differs"
    assert support(RIGHT, replace(diverges, standing="own"))["uint8"].word == "wrong"


def test_a_dtype_that_is_refused_in_some_cases_only_is_supported_in_part() -> None:
    other = f"{CLAUSE}/other"
    found = support(RIGHT, result(other, "returned", "conforms"), derived("int8", "returned"),
                    derived("int8", "raised", base=other))  # fmt: skip
    assert found["int8"].word == "some"
    assert (found["int8"].counts["works"], found["int8"].counts["refused"]) == (1, 1)
    assert found["int8"].worst.case == f"{other}.int8"


def test_a_case_says_nothing_of_a_dtype_where_it_is_not_right_in_the_documents_own() -> None:
    wrong = result(BASE, "raised", "diverges")
    found = support(wrong, derived("int8", "raised"))
    assert {dtype: one.word for dtype, one in found.items()} == {"int8": "silent"}
    assert support(RIGHT, derived("int8", "unsupported"))["int8"].word == "silent"


def test_the_documents_own_dtype_is_an_example_and_a_claim_by_name_outdoes_others() -> None:
    other = f"{CLAUSE}/other"
    found = support(RIGHT, result(other, "returned", "conforms"), derived("int8", "returned"),
                    derived("int8", "returned", claimed="yes", base=other))  # fmt: skip
    assert {dtype: one.claimed for dtype, one in found.items()} == {"int8": "yes", "int32": "example"}
    assert found["int32"].arguments == "updates"


def test_a_call_whose_indices_were_cast_counts_for_the_dtype_that_they_were_cast_to() -> None:
    cast = {"updates": "int64"}
    int8 = derived("int8", "returned", claimed="yes")
    found = support(replace(RIGHT, cast=cast), replace(int8, cast=cast))
    assert {dtype: (one.word, one.claimed) for dtype, one in found.items()} == {"int64": ("works", "no")}

"""Derivatives and other transforms of an API, by argument."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.findings.dtype_support import TransformSupport, transform_support
from conformance.outcomes.model import Outcome
from conformance.reports.literals import argument_text
from conformance.results.file import Results
from conformance.results.literals import Packed
from conformance.results.records import CaseRecord, ResultRecord, RunRecord
from conformance.results.variations import BatchRecord, DerivativeRecord
from tests.outcomes import SEGFAULT, UNSUPPORTED, raised, returned

CLAUSE = "scatter_nd.example.four"
BASE = CaseRecord(f"{CLAUSE}/as-printed", CLAUSE, "scatter_nd", {}, {}, {}, "0", "specs/scatter_nd.yaml:1")
RUN = RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0")
OUTCOMES: dict[str, Outcome] = {one.status: one for one in (returned(), raised(), SEGFAULT, UNSUPPORTED)}


def supports(*results: tuple[str, str, str]) -> dict[tuple[str, str], TransformSupport]:
    """What is said of results of which each has a suffix of the case, a status and a verdict."""
    cases, records = {BASE.id: BASE}, []
    for suffix, status, verdict in results:
        identifier = f"{BASE.id}{suffix}"
        if suffix:
            mode: Any
            mode, of = suffix.strip(".").split(".")[-2:]
            cases[identifier] = replace(
                BASE, id=identifier, variation=DerivativeRecord(BASE.id, mode, of, {"int64": 1})
            )
        known: Any = verdict
        records.append(
            ResultRecord(identifier, "torch==1.0@cpu", "torch.f", CLAUSE, OUTCOMES[status], known, "portability")
        )
    found = transform_support(Results(RUN, cases=cases, results=records))
    return {(one.transform, one.of): one for one in found}


def test_each_transform_of_an_argument_has_the_word_of_its_worst_call() -> None:
    found = supports(
        ("", "returned", "diverges"),
        (".vjp.updates", "returned", "conforms"),
        (".first.vjp.updates", "returned", "diverges"),
        (".jvp.updates", "raised", "diverges"),
        (".vjp.tensor", "returned", "conforms"),
    )
    words = {key: one.word for key, one in found.items()}
    assert words == {("vjp", "updates"): "differs", ("jvp", "updates"): "refused", ("vjp", "tensor"): "works"}
    assert found["vjp", "updates"].worst.case == f"{BASE.id}.first.vjp.updates"
    assert found["vjp", "updates"].counts == {"works": 1, "differs": 1}


def test_a_batch_has_its_arguments_and_the_position_of_its_axis_of_the_record() -> None:
    batches = {
        "vmap.updates": BatchRecord(BASE.id, {"updates": {"int64": [1]}}, "first"),
        "vmap.indices+updates.last": BatchRecord(
            BASE.id, {"indices": {"int64": [1]}, "updates": {"int64": [1]}}, "last"
        ),
    }
    cases = {f"{BASE.id}.{name}": replace(BASE, id=f"{BASE.id}.{name}", variation=one) for name, one in batches.items()}
    records = [
        ResultRecord(one, "torch==1.0@cpu", "torch.f", CLAUSE, OUTCOMES["returned"], "conforms", "portability")
        for one in cases
    ]
    found = transform_support(Results(RUN, cases=cases, results=records))
    assert [(one.arguments, one.axis, one.of) for one in found] == [
        (("updates",), "first", "updates"),
        (("indices", "updates"), "last", "indices+updates.last"),
    ]


def test_a_call_that_itself_raises_says_nothing_of_its_derivative() -> None:
    found = supports((".vjp.updates", "raised", "observed"), (".jvp.updates", "unsupported", "unsupported"))
    assert {one.word for one in found.values()} == {"silent"}


def test_the_arguments_of_a_derivative_have_its_cotangent_as_plain_literals() -> None:
    seed = Packed({"float32": [1.0, 2.0]})
    case = replace(BASE, variation=DerivativeRecord(BASE.id, "vjp", "updates", seed))
    assert argument_text(case.arguments["cotangent"]) == "float32 [1.0, 2.0]"

"""The sample with what only larger files hold: a second version, entries of ledgers, claims, dtypes, repeated calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ClaimRecord, DtypeClaimRecord, KnownRecord, ResultRecord
from conformance.results.variations import InDtypeRecord

from .sample import raised, result, returned, sample
from .sample_cases import MINDSPORE, TORCH

OLDER = "torch==2.1.2@cpu"
TWO_BY_TWO = "gather_elements.example.two-by-two/as-printed"
KNOWN = KnownRecord(
    "mindspore", "mindspore-shape-error-type", "Every error of an operator is a RuntimeError.",
    "https://gitee.com/mindspore/mindspore/issues/1", "adapters/mindspore/divergences.yaml:7",
)  # fmt: skip
CLAIMS = [
    ClaimRecord("tf.raw_ops.ScatterNd", "The operator", "paragraph 4", "An index outside raises on the CPU.", True),
    ClaimRecord("tf.raw_ops.ScatterNd", "The operator", "paragraph 9", "It is fast.", True,
                untestable="Speed is nothing that a call shows."),
]  # fmt: skip

SCRIPTED = ("gather_elements.behaviour.nan-payload/1", TORCH, "torch.gather")
SCRIPT = (
    "# documented: the inputs\n\nimport platform\n\n"
    'print("got: it\'s <b>run</b> by", platform.python_implementation())\n'
)


def several() -> Results:
    """Two versions of torch that differ in one example, a dtype that works and one that is refused, and a sum that varies."""
    results = sample()
    torch = next(one for one in results.targets if one.id == TORCH)
    older = [replace(one, target=OLDER) for one in results.results if one.target == TORCH]
    older = [_before(one) if (one.case, one.api) == (TWO_BY_TWO, "torch.gather") else one for one in older]
    mappings = [replace(one, target=OLDER) for one in results.mappings if one.target == TORCH]
    return replace(
        results,
        targets=[*results.targets, replace(torch, id=OLDER, version="2.1.2")],
        mappings=[*results.mappings, *mappings],
        cases=results.cases | {one.case: _derived(results.cases[TWO_BY_TWO], one.case) for one in _DTYPES},
        results=[*map(_graded, results.results), *older, *_DTYPES],
        claims=CLAIMS,
        known={(KNOWN.framework, KNOWN.id): KNOWN},
    )


def _derived(case: CaseRecord, name: str) -> CaseRecord:
    return replace(case, id=name, variation=InDtypeRecord(case.id))


def _before(now: ResultRecord) -> ResultRecord:
    return replace(now, outcome=raised("IndexError", "not yet"), verdict="diverges", divergence=["rejected"])


def _graded(one: ResultRecord) -> ResultRecord:
    varies = one.target == MINDSPORE and one.case.startswith("scatter_nd.example.insert-four")
    script = SCRIPT if (one.case, one.target, one.api) == SCRIPTED else None
    return replace(one, determinism=Determinism(4, 3, "varies", permitted=True) if varies else None, script=script)


def _of_dtype(dtype: str, outcome: Outcome, claimed: Literal["yes", "no"]) -> ResultRecord:
    claim = DtypeClaimRecord({"input": dtype}, claimed, "torch.gather#input")
    return result(f"{TWO_BY_TWO}.{dtype}", TORCH, "torch.gather", outcome, "observed", dtype_claim=claim)


_DTYPES = [
    _of_dtype("int8", returned("int8", [[1, 1], [4, 3]], [2, 2]), "no"),
    _of_dtype("uint64", raised("NotImplementedError", "no kernel"), "yes"),
]

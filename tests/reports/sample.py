"""The results of the sample: every status, verdict, standing and kind of divergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from zlib import crc32

from conformance.outcomes.model import Died, Error, Hung, Outcome, Raised, Returned, Unsupported, Warned
from conformance.results.file import Results
from conformance.results.order import verdicts
from conformance.results.records import ControlRecord, Difference, Differences, EndRecord, ResultRecord, RunRecord

from .sample_cases import CASES, CLAUSES, HOSTILE, MAPPINGS, MINDSPORE, TARGETS, TENSORFLOW, TORCH


def returned(dtype: str, values: Any, shape: Sequence[int], warnings: Sequence[Warned] = ()) -> Returned:
    digest = f"{crc32(repr((dtype, values)).encode()):08x}"
    return Returned(dtype, tuple(shape), digest, values, warnings=tuple(warnings))


def raised(
    kind: str,
    message: str,
    phase: Literal["arguments", "call", "result"] = "call",
    warnings: Sequence[Warned] = (),
) -> Raised:
    return Raised(Error(kind, message, phase=phase), warnings=tuple(warnings))


CONTROL = ControlRecord("returned", "returned")


def result(case_id: str, target: str, api: str, outcome: Outcome, verdict: Any, **more: Any) -> ResultRecord:
    standing = more.pop("standing", "portability")
    clause_id = case_id.partition("/")[0]
    return ResultRecord(case_id, target, api, clause_id, outcome, verdict, standing, seconds=0.0042, **more)


def _conforming() -> list[ResultRecord]:
    """Every API that is mapped conforms to every example that prints numbers."""
    values = {
        "scatter_nd": ("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8]),
        "gather_elements": ("float32", [[1, 1], [4, 3]], [2, 2]),
    }
    cases = {
        "scatter_nd": ["scatter_nd.example.insert-four-scalars/as-printed", "scatter_nd.rule.shape-positive/kept.1"],
        "gather_elements": ["gather_elements.example.two-by-two/as-printed"],
    }
    return [
        result(one, mapping.target, mapping.api, returned(*values[mapping.operation]), "conforms")
        for mapping in MAPPINGS
        for one in cases[mapping.operation]
        if (one, mapping.api) != ("gather_elements.example.two-by-two/as-printed", "torch.take_along_dim")
    ]


EMPTY, NEGATIVE = "scatter_nd.rule.shape-positive/broken.1", "scatter_nd.rule.shape-positive/broken.2"
UPDATES = "scatter_nd.rule.updates-shape/broken.1"
ZEROS = "scatter_nd.relation.zeros-then-add/1"
ODD = "gather_elements.behaviour.nan-payload/1"
MS, TF = "mindspore.ops.scatter_nd", "tf.scatter_nd"
RAW, PUT = "tf.raw_ops.ScatterNd", "torch.Tensor.index_put_"
RETURNED_FOUR = returned("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8])
WRONG = returned("int32", [0, 11, 0, 10, 9, 0, 7, -12], [8], warnings=[Warned("FutureWarning: int32 indices", 2)])
DIFFERENCES = Differences(
    2,
    8,
    [Difference([6], 0, 7), Difference([7], 12, -12)],
    Difference([7], 12, -12, 24),
)
LONG = "the shape of updates must be the batch axes of indices and the inner axes of the result; " * 40

SHAPE_POSITIVE = [
    result(
        EMPTY,
        MINDSPORE,
        MS,
        returned("int32", [], [0]),
        "diverges",
        control=CONTROL,
        standing="own",
        divergence=["accepted"],
        explanation="ValueError is documented for a length below 1; the call returned an empty tensor.",
    ),
    result(
        NEGATIVE,
        MINDSPORE,
        MS,
        raised("RuntimeError", "shape must be positive"),
        "diverges",
        control=CONTROL,
        standing="own",
        divergence=["error-type"],
        explanation="ValueError is documented; RuntimeError was raised.",
        known="mindspore-shape-error-type",
    ),
    result(
        EMPTY,
        TENSORFLOW,
        TF,
        raised("InvalidArgumentError", "shape[0] must be > 0"),
        "conforms",
        control=CONTROL,
    ),
    result(
        NEGATIVE,
        TENSORFLOW,
        TF,
        raised("InvalidArgumentError", "shape[0] must be > 0"),
        "conforms",
        control=CONTROL,
    ),
    result(
        EMPTY,
        TENSORFLOW,
        RAW,
        Died(signal="SIGFPE", stderr="Floating point exception\n" + HOSTILE),
        "died",
        standing="own",
        explanation="The process was ended by SIGFPE.",
    ),
    result(
        NEGATIVE,
        TENSORFLOW,
        RAW,
        Died(exit_code=3),
        "died",
        explanation="The process exited with code 3.",
    ),
]

UPDATES_SHAPE = [
    result(
        UPDATES,
        TORCH,
        PUT,
        RETURNED_FOUR,
        "diverges",
        control=CONTROL,
        cast={"indices": "int64"},
        divergence=["accepted"],
        explanation="An exception is documented elsewhere; the single update was broadcast.",
        behaviour="fills",
    ),
    result(
        UPDATES,
        MINDSPORE,
        MS,
        raised("ValueError", LONG, "arguments"),
        "conforms",
        control=CONTROL,
        standing="own",
    ),
    result(
        UPDATES,
        TENSORFLOW,
        TF,
        Hung(30.0, stderr="waiting for a lock"),
        "hung",
        explanation="No answer within 30 s.",
    ),
    result(
        UPDATES,
        TENSORFLOW,
        RAW,
        raised("InvalidArgumentError", "shapes differ"),
        "blocked",
        control=ControlRecord("raised", "raised"),
        explanation="The fixed control raised too, so the exception proves nothing.",
    ),
]

ZEROS_THEN_ADD = [
    result(
        ZEROS,
        MINDSPORE,
        MS,
        WRONG,
        "diverges",
        divergence=["value", "unstable"],
        explanation="2 of 8 elements differ.",
        differences=DIFFERENCES,
    ),
    result(
        ZEROS,
        TORCH,
        PUT,
        returned("int64", [[0, 11, 0, 10]], [1, 4]),
        "diverges",
        divergence=["shape", "dtype", "input-changed", "aliased", "contaminated"],
        explanation="int32 (8,) was expected; int64 (1, 4) was returned.",
    ),
    result(
        ZEROS,
        TENSORFLOW,
        TF,
        raised("UnimplementedError", "no kernel", "result"),
        "diverges",
        divergence=["rejected"],
        explanation="A value was expected; the call raised.",
    ),
]

GATHERED = [
    result(
        ODD,
        TORCH,
        "torch.gather",
        returned("float64", ["nan", "9007199254740993", "-inf"], [3]),
        "diverges",
        standing="own",
        divergence=["value"],
        explanation="1 of 3 elements differ.",
        differences=Differences(1, 3, [Difference([1], "inf", 2**53 + 1)]),
    ),
    result(
        "gather_elements.example.two-by-two/as-printed",
        TORCH,
        "torch.take_along_dim",
        returned("float32", [[1, 1], [3, 4]], [2, 2]),
        "diverges",
        divergence=["value"],
        explanation="2 of 4 elements differ.",
        differences=Differences(2, 4, [Difference([1, 0], 4, 3), Difference([1, 1], 3, 4)]),
    ),
]

OUTSIDE_CASE = "scatter_nd.behaviour.index-out-of-bounds/1"
SLICES_CASE = "scatter_nd.example.insert-two-slices/as-printed"
HOSTILE_CASE = "gather_elements.rule.hostile/broken.1"
BIG = Returned("int32", (4, 4, 4), "cd34")

UNJUDGED_AND_HOSTILE = [
    result(
        OUTSIDE_CASE,
        TENSORFLOW,
        "tf.scatter_nd",
        raised("InvalidArgumentError", "index 8"),
        "observed",
        behaviour="raises",
    ),
    result(
        OUTSIDE_CASE,
        MINDSPORE,
        "mindspore.ops.scatter_nd",
        returned("int32", [0] * 8, [8]),
        "observed",
        behaviour="ignores",
    ),
    result(
        OUTSIDE_CASE,
        TORCH,
        "torch.Tensor.index_put_",
        raised("IndexError", "index 8"),
        "observed",
        behaviour="raises",
    ),
    result(SLICES_CASE, TENSORFLOW, "tf.scatter_nd", BIG, "conforms", standing="own"),
    result(
        SLICES_CASE,
        TORCH,
        "torch.Tensor.index_put_",
        Unsupported("no slices here"),
        "unsupported",
    ),
    result(
        HOSTILE_CASE,
        TORCH,
        "torch.gather",
        raised(HOSTILE, HOSTILE, warnings=[Warned(HOSTILE, 1)]),
        "diverges",
        divergence=["error-type"],
        explanation=HOSTILE,
        known=HOSTILE,
    ),
    result(
        HOSTILE_CASE,
        MINDSPORE,
        "mindspore.ops.gather_elements",
        raised("RuntimeError", HOSTILE),
        "diverges",
        divergence=["error-type"],
        explanation=HOSTILE,
    ),
]


def sample(*, complete: bool = True, reason: str | None = None) -> Results:
    """Results that hold one of everything; incomplete ones break off without an end unless ``reason`` is given."""
    results = [*_conforming(), *SHAPE_POSITIVE, *UPDATES_SHAPE, *ZEROS_THEN_ADD, *GATHERED, *UNJUDGED_AND_HOSTILE]
    results = results if complete else results[:-3]
    end = EndRecord(complete, verdicts(results), reason) if complete or reason else None
    return Results(
        run=RunRecord("2026-01-09T08:07:06+00:00", "conformance run torch jax", 7, "f00dfeedbeef", "0.1.0"),
        targets=list(TARGETS),
        clauses={one.id: one for one in CLAUSES},
        cases={one.id: one for one in CASES},
        mappings=list(MAPPINGS),
        results=results,
        end=end,
    )

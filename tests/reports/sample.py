"""A results file made by hand: every status, verdict and divergence, long, hostile and non-finite things among them."""

from __future__ import annotations

from typing import Any

from conformance.runs.records import (
    CaseRecord,
    CitationRecord,
    ClauseRecord,
    Differences,
    EndRecord,
    MappingRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from conformance.runs.results import Results

HOSTILE = (
    "</script><img src=x onerror=alert(1)> \x1b[31mred\x1b[0m \x00nul \x85 \u2028line \u202egnol \ud800 "
    "`code` ``` ~~~ | [a](javascript:alert(1)) @octocat #1 </details> &amp; ]]> {{ 7*7 }} *bold* ✓ 日本"
)

TORCH, TENSORFLOW, MINDSPORE = "torch==2.13.0@cpu", "tensorflow==2.21.0@cpu", "mindspore==2.10.0@cpu"
REFERENCE, JAX = "reference@cpu", "jax==0.10.0@cpu"

TARGETS = [
    TargetRecord(
        REFERENCE,
        "reference",
        "0.1.0",
        "cpu",
        "eager",
        "3.11.9",
        "2.4.6",
        {"numpy": "2.4.6"},
        title="Reference",
    ),
    TargetRecord(
        TORCH,
        "torch",
        "2.13.0",
        "cpu",
        "eager",
        "3.11.9",
        "2.4.6",
        {"torch": "2.13.0+cpu", "numpy": "2.4.6"},
        title="PyTorch",
        issues="https://github.com/pytorch/pytorch/issues",
    ),
    TargetRecord(TENSORFLOW, "tensorflow", "2.21.0", "cpu", "eager", "3.11.9", "2.4.6", title="TensorFlow"),
    TargetRecord(MINDSPORE, "mindspore", "2.10.0", "cpu", "pynative", "3.11.9", "1.26.4", title="MindSpore"),
    TargetRecord(
        JAX,
        "jax",
        None,
        "cpu",
        "eager",
        blocked="uv could not install jax==0.10.0: no version of jax==0.10.0 in any index; the newest is 0.9.2",
        title="JAX",
    ),
]

TF_DOC = CitationRecord(
    "tf.raw_ops.ScatterNd",
    "paragraph 4",
    "An index outside the result raises on the CPU and is skipped on a GPU.",
    True,
    "https://www.tensorflow.org/api_docs/python/tf/raw_ops/ScatterNd",
)
MS_DOC = CitationRecord(
    "mindspore.ops.scatter_nd", "Raises, item 2", "A length below 1 in shape raises ValueError.", True
)
TORCH_DOC = CitationRecord(
    "torch.gather",
    "example 2",
    "An index with more rows than the input has along another axis is an error.",
    True,
    "https://docs.pytorch.org/docs/stable/generated/torch.gather.html",
)
BLOG = CitationRecord("a third party's page", "section <b>2</b>", HOSTILE, False, "javascript:alert(1)")


def clause(
    id: str, family: Any, states: str, *citations: CitationRecord, requires: str | None = None
) -> ClauseRecord:
    operation = id.split(".", maxsplit=1)[0]
    return ClauseRecord(
        id, operation, family, states, list(citations), f"specs/{operation}.yaml:40", requires
    )


CLAUSES = [
    clause("scatter_nd.example.insert-four-scalars", "example", "Four scalars go into eight zeros.", TF_DOC),
    clause(
        "scatter_nd.example.insert-two-slices",
        "example",
        "Two 4 x 4 matrices go into a (4, 4, 4) tensor.",
        TF_DOC,
    ),
    clause(
        "scatter_nd.rule.shape-positive",
        "rule",
        "Every length in shape is at least 1.",
        MS_DOC,
        requires="all(n >= 1 for n in shape)",
    ),
    clause(
        "scatter_nd.rule.updates-shape",
        "rule",
        "updates has the batch axes of indices, then the axes of the result that the index vectors leave open.",
        TF_DOC,
        MS_DOC,
        requires="updates.shape == indices.shape[:-1] + shape[indices.shape[-1]:]",
    ),
    clause(
        "scatter_nd.behaviour.index-out-of-bounds", "behaviour", "An index lies outside the result.", TF_DOC
    ),
    clause(
        "scatter_nd.law.zeros-then-add",
        "law",
        "It equals adding the updates into zeros of that shape.",
        TF_DOC,
        BLOG,
    ),
    clause(
        "gather_elements.example.two-by-two",
        "example",
        "Rows of a 2 x 2 input are picked along axis 1.",
        TORCH_DOC,
    ),
    clause(
        "gather_elements.behaviour.nan-payload",
        "behaviour",
        "Non-finite and 64-bit elements move unchanged.",
        TORCH_DOC,
    ),
    clause("gather_elements.rule.hostile", "rule", HOSTILE, BLOG, requires="'</script>' < input.shape"),
]


def case(id: str, call: dict[str, Any], expectation: dict[str, Any], **more: Any) -> CaseRecord:
    operation, family, name = id.split(".")[:3]
    source = f"specs/{operation}.yaml:52"
    return CaseRecord(
        id, f"{operation}.{family}.{name}", operation, call, expectation, {}, "0" * 16, source, **more
    )


FOUR = {"indices": {"int32": [[4], [3], [1], [7]]}, "updates": {"int32": [9, 10, 11, 12]}, "shape": [8]}
OUTSIDE = {"indices": {"int32": [[4], [8]]}, "updates": {"int32": [9, 10]}, "shape": [8]}
PICK = {"input": {"float32": [[1, 2], [3, 4]]}, "dim": 1, "index": {"int64": [[0, 0], [1, 0]]}}
ODD = {"input": {"float64": ["nan", "-inf", 2**53 + 1]}, "dim": 0, "index": {"int64": [0, 2**63 - 1, 1]}}
SLICES = {"indices": {"int32": [[0], [2]]}, "updates": {"int32": "full([2, 4, 4], 5)"}, "shape": [4, 4, 4]}


def returns(dtype: str, values: Any, shape: list[int], source: str = "printed") -> dict[str, Any]:
    return {"returns": {"dtype": dtype, "shape": shape, "values": values, "source": source}}


LARGE = {
    "returns": {
        "dtype": "int32",
        "shape": [4, 4, 4],
        "text": "concat(0, full([1, 4, 4], 5), zeros([3, 4, 4]))",
    }
}

CASES = [
    case("scatter_nd.example.insert-four-scalars", FOUR, returns("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8])),
    case(
        "scatter_nd.example.insert-two-slices", SLICES, LARGE, note="Large arrays are given as what they are."
    ),
    case(
        "scatter_nd.rule.shape-positive.broken.1",
        {**FOUR, "shape": [0]},
        {"raises": "ValueError"},
        twin=FOUR,
    ),
    case(
        "scatter_nd.rule.shape-positive.kept.1",
        FOUR,
        returns("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8], "reference"),
    ),
    case("scatter_nd.rule.shape-positive.broken.2", {**FOUR, "shape": [-1]}, {"raises": True}, twin=FOUR),
    case(
        "scatter_nd.rule.updates-shape.broken.1",
        {**FOUR, "updates": {"int32": [9]}},
        {"raises": True},
        twin=FOUR,
    ),
    case(
        "scatter_nd.behaviour.index-out-of-bounds.1", OUTSIDE, {"observed": "no document of this device says"}
    ),
    case(
        "scatter_nd.law.zeros-then-add.1",
        FOUR,
        returns("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8], "reference"),
    ),
    case("gather_elements.example.two-by-two", PICK, returns("float32", [[1, 1], [4, 3]], [2, 2])),
    case(
        "gather_elements.behaviour.nan-payload.1",
        ODD,
        returns("float64", ["nan", "inf", "-inf"], [3], "reference"),
    ),
    case(
        "gather_elements.rule.hostile.broken.1",
        {HOSTILE: HOSTILE, "dim": None},
        {"raises": HOSTILE},
        note=HOSTILE,
    ),
]

MAPPINGS = [
    MappingRecord(REFERENCE, "reference.scatter_nd", "scatter_nd", False, "def scatter_nd(...):\n    ..."),
    MappingRecord(
        REFERENCE, "reference.gather_elements", "gather_elements", False, "def gather_elements(...): ..."
    ),
    MappingRecord(
        TORCH,
        "torch.Tensor.index_put_",
        "scatter_nd",
        True,
        "@api('torch.Tensor.index_put_', operation='scatter_nd', composed=True)\n"
        "def index_put(indices, updates, shape):\n"
        "    result = torch.zeros(shape, dtype=updates.dtype)\n"
        "    return result.index_put_(indices.unbind(-1), updates, accumulate=True)\n",
    ),
    MappingRecord(
        TORCH, "torch.gather", "gather_elements", False, "def gather(input, dim, index): # </script>\n    ..."
    ),
    MappingRecord(TORCH, "torch.take_along_dim", "gather_elements", False, "def take_along_dim(...): ..."),
    MappingRecord(TENSORFLOW, "tf.raw_ops.ScatterNd", "scatter_nd", False, "def raw_scatter_nd(...): ..."),
    MappingRecord(
        TENSORFLOW,
        "tf.scatter_nd",
        "scatter_nd",
        False,
        "def scatter_nd(...): ...",
        follows="tf.raw_ops.ScatterNd",
    ),
    MappingRecord(TENSORFLOW, "tf.gather", "gather_elements", True, "def gather(...): ..."),
    MappingRecord(MINDSPORE, "mindspore.ops.scatter_nd", "scatter_nd", False, "def scatter_nd(...): ..."),
    MappingRecord(
        MINDSPORE, "mindspore.ops.gather_elements", "gather_elements", False, "def gather_elements(...): ..."
    ),
]


def returned(dtype: str, values: Any, shape: list[int], **more: Any) -> dict[str, Any]:
    return {"status": "returned", "dtype": dtype, "shape": shape, "digest": "ab12", "values": values, **more}


def raised(kind: str, message: str, phase: str = "call", **more: Any) -> dict[str, Any]:
    return {"status": "raised", "error": {"type": kind, "message": message, "phase": phase}, **more}


TWIN = {"before": "returned", "after": "returned"}


def result(
    case_id: str, target: str, api: str, outcome: dict[str, Any], verdict: Any, **more: Any
) -> ResultRecord:
    standing = more.pop("standing", "portability")
    clause_id = ".".join(case_id.split(".")[:3])
    return ResultRecord(case_id, target, api, clause_id, outcome, verdict, standing, seconds=0.0042, **more)


def _conforming() -> list[ResultRecord]:
    """Every API that is mapped conforms to every example that prints numbers."""
    values = {
        "scatter_nd": ("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8]),
        "gather_elements": ("float32", [[1, 1], [4, 3]], [2, 2]),
    }
    cases = {
        "scatter_nd": ["scatter_nd.example.insert-four-scalars", "scatter_nd.rule.shape-positive.kept.1"],
        "gather_elements": ["gather_elements.example.two-by-two"],
    }
    return [
        result(one, mapping.target, mapping.api, returned(*values[mapping.operation]), "conforms")
        for mapping in MAPPINGS
        for one in cases[mapping.operation]
        if (one, mapping.api) != ("gather_elements.example.two-by-two", "torch.take_along_dim")
    ]


def _diverging() -> list[ResultRecord]:
    zeros = "scatter_nd.law.zeros-then-add.1"
    odd = "gather_elements.behaviour.nan-payload.1"
    empty, negative = "scatter_nd.rule.shape-positive.broken.1", "scatter_nd.rule.shape-positive.broken.2"
    updates = "scatter_nd.rule.updates-shape.broken.1"
    ms, tf, raw, put = (
        "mindspore.ops.scatter_nd",
        "tf.scatter_nd",
        "tf.raw_ops.ScatterNd",
        "torch.Tensor.index_put_",
    )
    returned_four = returned("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8])
    wrong = returned(
        "int32", [0, 11, 0, 10, 9, 0, 7, -12], [8], warnings=["FutureWarning: int32 indices (2 times)"]
    )
    differences = Differences(
        2,
        8,
        [{"index": [6], "expected": 0, "got": 7}, {"index": [7], "expected": 12, "got": -12}],
        {"index": [7], "expected": 12, "got": -12, "difference": 24},
    )
    long = "the shape of updates must be the batch axes of indices and the inner axes of the result; " * 40
    return [
        result(
            empty,
            MINDSPORE,
            ms,
            {**returned("int32", [], [0]), "twin": TWIN},
            "diverges",
            standing="own",
            divergence=["accepted"],
            explanation="ValueError is documented for a length below 1; the call returned an empty tensor.",
        ),
        result(
            negative,
            MINDSPORE,
            ms,
            raised("RuntimeError", "shape must be positive", twin=TWIN),
            "diverges",
            standing="own",
            divergence=["error-type"],
            explanation="ValueError is documented; RuntimeError was raised.",
            known="mindspore-shape-error-type",
        ),
        result(
            empty,
            TENSORFLOW,
            tf,
            raised("InvalidArgumentError", "shape[0] must be > 0", twin=TWIN),
            "conforms",
        ),
        result(
            negative,
            TENSORFLOW,
            tf,
            raised("InvalidArgumentError", "shape[0] must be > 0", twin=TWIN),
            "conforms",
        ),
        result(
            empty,
            TENSORFLOW,
            raw,
            {"status": "died", "signal": "SIGFPE", "stderr": "Floating point exception\n" + HOSTILE},
            "died",
            standing="own",
            explanation="The process was ended by SIGFPE.",
        ),
        result(
            negative,
            TENSORFLOW,
            raw,
            {"status": "died", "exit_code": 3, "stderr": ""},
            "died",
            explanation="The process exited with code 3.",
        ),
        result(
            updates,
            TORCH,
            put,
            {**returned_four, "twin": TWIN, "cast": {"indices": "int64"}},
            "diverges",
            divergence=["accepted"],
            explanation="An exception is documented elsewhere; the single update was broadcast.",
            behaviour="fills",
        ),
        result(
            updates,
            MINDSPORE,
            ms,
            raised("ValueError", long, "arguments", twin=TWIN),
            "conforms",
            standing="own",
        ),
        result(
            updates,
            TENSORFLOW,
            tf,
            {"status": "hung", "limit": 30, "stderr": "waiting for a lock"},
            "hung",
            explanation="No answer within 30 s.",
        ),
        result(
            updates,
            TENSORFLOW,
            raw,
            raised("InvalidArgumentError", "shapes differ", twin={"before": "raised", "after": "raised"}),
            "blocked",
            explanation="The mended twin raised too, so the exception proves nothing.",
        ),
        result(
            zeros,
            MINDSPORE,
            ms,
            wrong,
            "diverges",
            divergence=["value", "unstable"],
            explanation="2 of 8 elements differ.",
            differences=differences,
        ),
        result(
            zeros,
            TORCH,
            put,
            returned("int64", [[0, 11, 0, 10]], [1, 4]),
            "diverges",
            divergence=["shape", "dtype", "input-changed", "aliased", "contaminated"],
            explanation="int32 (8,) was expected; int64 (1, 4) was returned.",
        ),
        result(
            zeros,
            TENSORFLOW,
            tf,
            raised("UnimplementedError", "no kernel", "result"),
            "diverges",
            divergence=["rejected"],
            explanation="A value was expected; the call raised.",
        ),
        result(
            odd,
            TORCH,
            "torch.gather",
            returned("float64", ["nan", "9007199254740993", "-inf"], [3]),
            "diverges",
            standing="own",
            divergence=["value"],
            explanation="1 of 3 elements differ.",
            differences=Differences(1, 3, [{"index": [1], "expected": "inf", "got": 2**53 + 1}]),
        ),
        result(
            "gather_elements.example.two-by-two",
            TORCH,
            "torch.take_along_dim",
            returned("float32", [[1, 1], [3, 4]], [2, 2]),
            "diverges",
            divergence=["value"],
            explanation="2 of 4 elements differ.",
            differences=Differences(
                2, 4, [{"index": [1, 0], "expected": 4, "got": 3}, {"index": [1, 1], "expected": 3, "got": 4}]
            ),
        ),
    ]


def _unjudged() -> list[ResultRecord]:
    outside, slices = "scatter_nd.behaviour.index-out-of-bounds.1", "scatter_nd.example.insert-two-slices"
    hostile = "gather_elements.rule.hostile.broken.1"
    big = {"status": "returned", "dtype": "int32", "shape": [4, 4, 4], "digest": "cd34"}
    return [
        result(
            outside,
            TENSORFLOW,
            "tf.scatter_nd",
            raised("InvalidArgumentError", "index 8"),
            "observed",
            behaviour="raises",
        ),
        result(
            outside,
            MINDSPORE,
            "mindspore.ops.scatter_nd",
            returned("int32", [0] * 8, [8]),
            "observed",
            behaviour="ignores",
        ),
        result(
            outside,
            TORCH,
            "torch.Tensor.index_put_",
            raised("IndexError", "index 8"),
            "observed",
            behaviour="raises",
        ),
        result(slices, TENSORFLOW, "tf.scatter_nd", big, "conforms", standing="own"),
        result(
            slices,
            TORCH,
            "torch.Tensor.index_put_",
            {"status": "unsupported", "reason": "no slices here"},
            "unsupported",
        ),
        result(
            hostile,
            TORCH,
            "torch.gather",
            raised(HOSTILE, HOSTILE, HOSTILE, warnings=[HOSTILE]),
            "diverges",
            divergence=["error-type"],
            explanation=HOSTILE,
            known=HOSTILE,
        ),
        result(
            hostile,
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
    results = [*_conforming(), *_diverging(), *_unjudged()]
    end = EndRecord(complete, {}, reason) if complete or reason else None
    return Results(
        run=RunRecord("2026-01-09T08:07:06+00:00", "conformance run torch jax", 7, "f00dfeedbeef", "0.1.0"),
        targets=list(TARGETS),
        clauses={one.id: one for one in CLAUSES},
        cases={one.id: one for one in CASES},
        mappings=list(MAPPINGS),
        results=results if complete else results[:-3],
        end=end,
    )

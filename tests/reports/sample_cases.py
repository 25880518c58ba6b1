"""A results file made by hand: its targets, clauses, cases and mappings, hostile and non-finite things among them."""

from __future__ import annotations

from typing import Any

from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClauseRecord,
    MappingRecord,
    TargetRecord,
)

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
    name: str, family: Any, states: str, *citations: CitationRecord, requires: str | None = None
) -> ClauseRecord:
    operation = name.split(".", maxsplit=1)[0]
    return ClauseRecord(name, operation, family, states, list(citations), f"specs/{operation}.yaml:40", requires)


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
    clause("scatter_nd.behaviour.index-out-of-bounds", "behaviour", "An index lies outside the result.", TF_DOC),
    clause(
        "scatter_nd.relation.zeros-then-add",
        "relation",
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


def case(name: str, call: dict[str, Any], expectation: dict[str, Any], **more: Any) -> CaseRecord:
    clause_id = name.partition("/")[0]
    operation = clause_id.partition(".")[0]
    source = f"specs/{operation}.yaml:52"
    return CaseRecord(name, clause_id, operation, call, expectation, {}, "0" * 16, source, **more)


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
        "source": "spec",
        "text": "concat(0, full([1, 4, 4], 5), zeros([3, 4, 4]))",
    }
}

CASES = [
    case("scatter_nd.example.insert-four-scalars/as-printed", FOUR, returns("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8])),
    case(
        "scatter_nd.example.insert-two-slices/as-printed",
        SLICES,
        LARGE,
        note="Large arrays are given as what they are.",
    ),
    case(
        "scatter_nd.rule.shape-positive/broken.1",
        {**FOUR, "shape": [0]},
        {"raises": "ValueError"},
        control=FOUR,
    ),
    case(
        "scatter_nd.rule.shape-positive/kept.1",
        FOUR,
        returns("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8], "reference"),
    ),
    case("scatter_nd.rule.shape-positive/broken.2", {**FOUR, "shape": [-1]}, {"raises": True}, control=FOUR),
    case(
        "scatter_nd.rule.updates-shape/broken.1",
        {**FOUR, "updates": {"int32": [9]}},
        {"raises": True},
        control=FOUR,
    ),
    case("scatter_nd.behaviour.index-out-of-bounds/1", OUTSIDE, {"observed": "no document of this device says"}),
    case(
        "scatter_nd.relation.zeros-then-add/1",
        FOUR,
        returns("int32", [0, 11, 0, 10, 9, 0, 0, 12], [8], "reference"),
    ),
    case("gather_elements.example.two-by-two/as-printed", PICK, returns("float32", [[1, 1], [4, 3]], [2, 2])),
    case(
        "gather_elements.behaviour.nan-payload/1",
        ODD,
        returns("float64", ["nan", "inf", "-inf"], [3], "reference"),
    ),
    case(
        "gather_elements.rule.hostile/broken.1",
        {HOSTILE: HOSTILE, "dim": None},
        {"raises": HOSTILE},
        note=HOSTILE,
    ),
]

MAPPINGS = [
    MappingRecord(REFERENCE, "reference.scatter_nd", "scatter_nd", False, "def scatter_nd(...):\n    ..."),
    MappingRecord(REFERENCE, "reference.gather_elements", "gather_elements", False, "def gather_elements(...): ..."),
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

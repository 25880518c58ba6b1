"""index.json and raises.json: the exported cases with their sources and expectations."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from conformance.cases.model import Case
from conformance.cases.variation import InProgram, Passed, SharingMemory, Transformed
from conformance.cases.wire import views_of

SCHEMA = 1
Reason = Literal[
    "operator",
    "open",
    "relation",
    "several-results",
    "view",
    "passed",
    "program",
    "python",
    "transform",
    "device",
    "documentation",
    "dtype",
    "form",
    "model",
    "api",
    "follows",
    "not-asked",
]
REASONS: dict[Reason, str] = {
    "operator": "no operator of ONNX does the same",
    "documentation": "the schemas of ONNX do not say what happens",
    "view": "it differs from another case only in its memory layout, which a file does not have",
    "passed": "it differs from another case only in which arguments a mode compiles as constants",
    "program": "a program around the call belongs to it, which is in no operator",
    "python": "an index is a number or a list of Python, which only a function of Python takes",
    "transform": "it computes a derivative, or a batch of calls, and not the result of one",
    "relation": "the expectation is a relation between calls, not a result",
    "open": "the documents leave the outcome open",
    "several-results": "any of several results is right",
    "dtype": "the schemas of ONNX do not name the dtype",
    "form": "the operator has no such form",
    "model": "a model cannot hold the call",
    "device": "it is about one kind of device",
    "api": "it is about APIs whose own documentation says so alone, and others contradict it",
    "not-asked": "a tensor, such as the indices, has a dtype that --dtype does not name",
    "follows": "the documentation of the APIs that are followed does not promise it",
}
"""Why a case is not exported."""


def reason_of(case: Case) -> Reason | None:
    """Why a case is exported in no form, by how it varies the call of its clause; None if it may be."""
    match case.variation:
        case _ if isinstance(case.variation, Transformed):
            return "transform"
        case Passed():
            return "passed"
        case InProgram():
            return "program"
        case SharingMemory():
            return "view"
        case _ if case.call.has_python_index:
            return "python"
        case _:
            return "view" if views_of(case.call) else None


@dataclass(frozen=True)
class Citation:
    """A claim of ONNX's documentation that the expectation rests on."""

    document: str
    locator: str
    says: str
    """The claim in the suite's own words."""
    url: str | None


@dataclass(frozen=True)
class Result:
    """The expected result, which is in ``output_0.pb``."""

    dtype: str
    shape: list[int]
    source: Literal["printed", "spec", "reference", "relation"]
    """The origin of the values: the document, the spec, or the suite's reference."""
    atol: float
    """The largest allowed difference of an element; 0 if it must be equal. NaNs are equal."""


@dataclass(frozen=True)
class MustReturn:
    """The model must load and run, and return this."""

    returns: Result


@dataclass(frozen=True)
class MustFail:
    """Loading the model or running it must fail with an error that the program can handle."""

    raises: Literal[True]


@dataclass(frozen=True)
class ExportedCase:
    """A case in one opset."""

    folder: str
    """With model.onnx and test_data_set_0, relative to the index."""
    case: str
    clause: str
    states: str
    """What the clause says."""
    operator: str
    opset: int
    expectation: MustReturn | MustFail
    citations: list[Citation]
    control: str | None
    """For a case that must fail: the folder of the same call without the violation. If that fails as well, for example for
    lack of a kernel, the failure of the case proves nothing."""


@dataclass(frozen=True)
class Index:
    """The file."""

    schema: int
    suite_version: str
    spec_digest: str
    onnx: str
    """The version of the package that has the schemas, and wrote the files."""
    draws: int
    seed: int
    opsets: list[int]
    left_out: dict[Reason, int]
    """Number of selected cases that are exported for no opset, by reason."""
    cases: list[ExportedCase]


def index_json(index: Index) -> str:
    """Return the whole file, with one case on each line."""
    content = asdict(index)
    rows = (json.dumps(case, ensure_ascii=False) for case in content["cases"])
    head = json.dumps({**content, "cases": None}, ensure_ascii=False, indent=1).removesuffix("null\n}")
    return head + "[\n" + ",\n".join(rows) + "\n]}\n"

"""Cases as ONNX's backend tests: a folder for each case and opset, and two indexes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from conformance.cases.expectations import Returning, Returns
from conformance.cases.model import Case
from conformance.export.choosing import Variant, variants
from conformance.export.index import (
    SCHEMA,
    Citation,
    ExportedCase,
    Index,
    MustFail,
    MustReturn,
    Reason,
    Result,
    index_json,
)
from conformance.export.models import Lengths, model_of, tensor_of
from conformance.export.operators import Node, operators
from conformance.judging.compare import allowed_difference
from conformance.judging.standing import binds
from conformance.specification.applied import Applied
from conformance.specification.model import Catalogue, Raises
from conformance.version import __version__


class ExportError(Exception):
    """The cases cannot be exported; the message says why."""


@dataclass(frozen=True)
class Opsets:
    """The opsets to export for."""

    numbers: Sequence[int]
    each: bool
    """Every case is written for each of them, rather than once for each version of its operator."""


@dataclass(frozen=True)
class Drawn:
    """Random calls among the cases, which the indexes record."""

    draws: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Exported:
    """The indexes of what was written."""

    returns: Index
    raises: Index


@dataclass(frozen=True)
class _Choice:
    case: Case
    variants: list[Variant] | Reason


def export(
    folder: Path,
    catalogue: Catalogue,
    cases: Iterable[Case],
    opsets: Opsets,
    drawn: Drawn,
    dtypes: Collection[str] | None = None,
) -> Exported:
    """Write the cases to an empty folder, and last the indexes.

    dtypes: only cases all of whose tensors, and those of their controls, have one of these; None for all.
    """
    by_opset = [operators(number, catalogue.documents.values()) for number in opsets.numbers]
    choices = [
        _Choice(case, variants(case, by_opset, each=opsets.each) if _has_dtypes(case, dtypes) else "not-asked")
        for case in cases
    ]
    _check_names(choices)

    def index(kind: str, choices: list[_Choice]) -> Index:
        return Index(
            schema=SCHEMA,
            suite_version=__version__,
            spec_digest=catalogue.digest,
            onnx=onnx.__version__,
            draws=drawn.draws,
            seed=drawn.seed,
            opsets=list(opsets.numbers),
            left_out=_reasons(choices),
            cases=[_written(folder, kind, variant) for variant in _all_variants(choices)],
        )

    exported = Exported(
        index("returns", [choice for choice in choices if not isinstance(choice.case.expectation, Raises)]),
        index("raises", [choice for choice in choices if isinstance(choice.case.expectation, Raises)]),
    )
    (folder / "index.json").write_bytes(index_json(exported.returns).encode())
    (folder / "raises.json").write_bytes(index_json(exported.raises).encode())
    return exported


def _has_dtypes(case: Case, dtypes: Collection[str] | None) -> bool:
    calls = filter(None, [case.call, case.control])
    return dtypes is None or all(tensor.dtype in dtypes for call in calls for tensor in call.tensors.values())


def _reasons(choices: Iterable[_Choice]) -> dict[Reason, int]:
    return dict(Counter(choice.variants for choice in choices if isinstance(choice.variants, str)).most_common())


def _all_variants(choices: Iterable[_Choice]) -> Iterator[Variant]:
    for choice in choices:
        if not isinstance(choice.variants, str):
            yield from choice.variants


def _check_names(choices: Iterable[_Choice]) -> None:
    cases: dict[str, str] = {}
    for variant in _all_variants(choices):
        name, case = _name(variant), variant.case.id
        other = cases.setdefault(name, case)
        if other != case:
            raise ExportError(f"the cases {other} and {case} would have the same folder {name}; rename one of them")


def _name(variant: Variant) -> str:
    """The name of a folder, which can be that of a function in any language; ONNX's runner requires its beginning."""
    words = re.sub(r"[^a-z0-9]+", "_", variant.case.id.lower())
    return f"test_{words}_opset{variant.operator.opset}"


def _written(folder: Path, kind: str, variant: Variant) -> ExportedCase:
    """Write a case and its control, and return its entry in the index."""
    case, nodes, name = variant.case, variant.nodes, f"{kind}/{_name(variant)}"
    returns = case.expectation if isinstance(case.expectation, Returning) else None
    _write_test(folder / name, variant, nodes.case, returns.value.shape if returns is not None else _any_lengths(case))
    if returns is not None:
        _write_result(folder / name, nodes.case, returns)
    control = f"{name}/control" if nodes.control is not None else None
    if nodes.control is not None:
        _write_test(folder / name / "control", variant, nodes.control, _shape(case.control))
    return ExportedCase(
        folder=name,
        case=case.id,
        clause=case.clause.id,
        states=case.clause.states,
        operator=nodes.case.proto.op_type,
        opset=variant.operator.opset,
        expectation=MustFail(raises=True) if returns is None else MustReturn(_result(returns)),
        citations=_citations(variant),
        control=control,
    )


def _write_test(folder: Path, variant: Variant, node: Node, lengths: Lengths | None) -> None:
    case, tensors = variant.case, folder / "test_data_set_0"
    tensors.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model_of(node, variant.operator.opset, case.id, case.clause.states, lengths))
    for number, (name, array) in enumerate(zip(node.proto.input, node.inputs, strict=True)):
        (tensors / f"input_{number}.pb").write_bytes(tensor_of(name, array))


def _write_result(folder: Path, node: Node, returns: Returning) -> None:
    [output] = node.proto.output
    (folder / "test_data_set_0" / "output_0.pb").write_bytes(tensor_of(output, returns.value.array))
    tolerance = {"atol": _result(returns).atol, "rtol": 0.0}  # which ONNX's loader reads
    (folder / "data.json").write_text(json.dumps(tolerance), encoding="utf-8")


def _any_lengths(case: Case) -> list[None] | None:
    """The axes that a call which must fail would return, so that a model fails for what the case is about alone."""
    shape = _shape(case.call)
    return [None] * len(shape) if shape is not None else None


def _shape(call: Applied | None) -> tuple[int, ...] | None:
    """The shape of the result of a call; None if it is undefined."""
    if call is None:
        return None
    try:
        return tuple(call.result_shape)
    except Exception:  # whatever the expression raises for arguments that break a rule
        return None


def _result(returns: Returning) -> Result:
    value = returns.value
    source = returns.source if isinstance(returns, Returns) else "reference"
    return Result(value.dtype, list(value.shape), source, allowed_difference(returns) or 0.0)


def _citations(variant: Variant) -> list[Citation]:
    """The claims that bind the operator in the opset."""
    return [
        Citation(citation.document.id, citation.claim.locator, citation.claim.says, citation.document.url)
        for citation in variant.case.clause.citations
        if binds(citation, variant.operator.described)
    ]

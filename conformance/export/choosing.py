"""Which cases are exported: those that must return one result or must fail, according to ONNX's own documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.adapter import Unsupported
from conformance.cases.expectations import Agrees, ReturnsAnyWritten
from conformance.cases.model import Case
from conformance.cases.variation import InProgram, Passed, RareForm
from conformance.cases.wire import cast_indices
from conformance.export.index import Reason, reason_of
from conformance.export.operators import Node, Operator, version_of
from conformance.judging.dtype_claims import control_index_dtypes, dtype_claim, index_dtypes
from conformance.judging.standing import concerns, standing_of
from conformance.specification.applied import Applied
from conformance.specification.model import Observed, Raises


@dataclass(frozen=True)
class Nodes:
    """A case as a node, and its control, for a case that must fail."""

    case: Node
    control: Node | None


@dataclass(frozen=True)
class Variant:
    """A case in one opset."""

    case: Case
    operator: Operator
    nodes: Nodes


def variants(case: Case, opsets: Sequence[Mapping[str, Operator]], *, each: bool) -> list[Variant] | Reason:
    """A case in all opsets that have the operator in the form needed, or why there is none, in the newest.

    each: in each of the opsets; otherwise once for each version of the operator.
    """
    operators = [named[case.operation.name] for named in opsets if case.operation.name in named]
    if not operators:
        return "operator"
    reason = _left_out(case)
    if reason is not None:
        return reason
    nodes = [nodes_of(case, operator) for operator in operators]
    found = [
        Variant(case, operator, pair)
        for operator, pair in zip(operators, nodes, strict=True)
        if isinstance(pair, Nodes)
    ]
    if each or not found:
        return found or next(reason for reason in reversed(nodes) if not isinstance(reason, Nodes))
    by_version = {version_of(variant.nodes.case, variant.operator.opset): variant for variant in reversed(found)}
    return list(reversed(by_version.values()))


def _left_out(case: Case) -> Reason | None:
    """Why a case is exported for no opset, whatever its operator documents; None if it may be."""
    expectation = case.expectation
    if isinstance(expectation, Observed) or _is_open(case):
        return "open"
    if isinstance(expectation, Agrees):
        return "relation"
    if isinstance(expectation, ReturnsAnyWritten):
        return "several-results"
    return reason_of(case) or ("device" if case.device is not None else None)


def _is_open(case: Case) -> bool:
    return isinstance(case.variation, RareForm | InProgram | Passed) and case.variation.is_open


def nodes_of(case: Case, operator: Operator) -> Nodes | Reason:
    """A case in an opset, or why it is not exported for it."""
    standing = standing_of(case.clause, operator.described, composed=False, derived=case.variation.base is not None)
    if standing != "own" or not concerns(case, operator.described, composed=False):
        return "documentation"
    if case.dtypes_tested and not _is_promised(case, operator):
        return "dtype"

    def node(call: Applied, dtypes: Callable[..., Sequence[str]]) -> Node:
        taken = dtypes(case, operator.described, operator.index_dtypes, standing)
        return operator.node(cast_indices(call, taken)[0])

    control = case.control if isinstance(case.expectation, Raises) else None
    try:
        return Nodes(
            node(case.call, index_dtypes), node(control, control_index_dtypes) if control is not None else None
        )
    except Unsupported:
        return "form"
    except Exception:  # whatever Python, the adapter and onnx raise for arguments that a node cannot have
        return "model"


def _is_promised(case: Case, operator: Operator) -> bool:
    claim = dtype_claim(case, operator.described, composed=False, promised=operator.promised)
    return claim is not None and claim.promises

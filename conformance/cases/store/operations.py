"""Stores the built cases of the suite, a file for each operation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformance.cases.expectations import (
    Agrees,
    Choice,
    Returns,
    ReturnsAnyWritten,
    ReturnsBatch,
    ReturnsDerivative,
    ToDigits,
    Within,
    Writes,
)
from conformance.cases.model import Case, Entry, PolicyOutcome
from conformance.cases.store.codec import Codec, Damaged, Named
from conformance.cases.store.sealed import read_sealed, write_sealed
from conformance.cases.variants.dtypes import CasesInDtypes
from conformance.cases.variation import (
    AsView,
    Batched,
    Contradicting,
    Differentiated,
    DtypeTest,
    Found,
    InDtype,
    InProgram,
    NestedTransform,
    Passed,
    RareForm,
    SharingMemory,
    Turn,
    TwiceDifferentiated,
    Written,
)
from conformance.outcomes.model import Part
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import (
    Around,
    AsUsual,
    Batch,
    Call,
    Derivative,
    Nested,
    Observed,
    Operation,
    PassedAs,
    Raises,
    SecondDerivative,
    Sharing,
)
from conformance.specification.problems import Location
from conformance.specification.programs.language import (
    Assigned,
    Called,
    Change,
    Changed,
    Computed,
    Name,
    Negative,
    Number,
    Program,
    Shape,
    Slice,
    Sliced,
    Step,
    UnderTest,
)

CLASSES = (
    *(Tensor, Location, Call, Applied, AsUsual, PassedAs, Around, Sharing, Derivative, Batch, Nested, SecondDerivative),
    *(Case, Entry, PolicyOutcome, Raises, Observed, Agrees, ToDigits, Within),
    *(Returns, Writes, ReturnsAnyWritten, Choice, ReturnsDerivative, ReturnsBatch),
    *(
        Program,
        Assigned,
        Change,
        Name,
        Number,
        Shape,
        Negative,
        Computed,
        Slice,
        Sliced,
        Step,
        Called,
        UnderTest,
        Changed,
    ),
    *(
        Part,
        DtypeTest,
        Turn,
        Written,
        Found,
        InDtype,
        AsView,
        SharingMemory,
        RareForm,
        Contradicting,
        Passed,
        InProgram,
        Differentiated,
        Batched,
        NestedTransform,
        TwiceDifferentiated,
    ),
)
"""What cases consist of, besides the specs."""
FIELDS = {DtypeTest: 2}
"""The cases that are alike refer to each other, and are found again by ``CasesInDtypes``."""
_CODEC = Codec(CLASSES, fields_of=FIELDS)


def cases_file(folder: Path, operation: str) -> Path:
    return folder / f"{operation}.cases"


def read_cases(folder: Path, digest: bytes, operation: Operation) -> Sequence[Case] | None:
    """The stored cases of an operation, which refer to it; None if there are none with this digest, or they are damaged."""
    content = read_sealed(cases_file(folder, operation.name), digest)
    try:
        cases = _CODEC.unpacked(content, parts_of(operation)) if content is not None else None
    except Damaged:  # the checksum is right: another program wrote it
        return None
    if not isinstance(cases, list) or not all(isinstance(case, Case) for case in cases):
        return None
    in_dtype = CasesInDtypes()
    return [in_dtype.knowing_others(case) for case in cases]


def write_cases(folder: Path, digest: bytes, operation: Operation, cases: Sequence[Case]) -> None:
    """Store the cases of an operation; OSError if that fails."""
    content = _CODEC.packed([*cases], parts_of(operation))
    write_sealed(cases_file(folder, operation.name), digest, content)


def parts_of(operation: Operation) -> Named:
    """The objects of the specs that cases refer to."""
    parts: dict[tuple[str, ...], object] = {("operation",): operation}
    for clause in operation.clauses:
        parts["clause", clause.id] = clause
        parts["location", clause.id] = clause.location
        if clause.relation is not None:
            parts["relation", clause.id] = clause.relation
        if clause.rule is not None:
            parts["rule", clause.id] = clause.rule
            parts["broken", clause.id] = clause.rule.broken
    return parts

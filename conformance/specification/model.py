"""The model of specs: frozen values that passed the checks of their own file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from packaging.specifiers import SpecifierSet

from conformance.specification.errata import Erratum
from conformance.specification.expressions import EVALUATION_ERRORS, Expression
from conformance.specification.indexing import IndexGeometry, Indexing, geometry_of
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor
from conformance.specification.problems import Location, Path_
from conformance.specification.programs import NamedProgram
from conformance.specification.vocabulary import (
    BatchAxis,
    Capability,
    ClaimedSituation,
    Device,
    Differentiation,
    Family,
    Passing,
    Policy,
    Sentences,
    Transformation,
)

Kind = Literal["tensor", "vector", "scalar", "choice"]
Passed = Literal["constant", "argument"]
"""A tensor that is a constant of what is compiled, or a number or a shape that is an argument of it; usually it is the other."""
Provenance = Literal["written", "derived", "form", "generated", "found"]
"""The origin of a call: a spec, a call of a spec in another dtype or view, the rules, or a divergence of a target."""


@dataclass(frozen=True)
class Claim:
    """A statement of a document, paraphrased."""

    locator: str
    says: str
    versions: SpecifierSet | None
    """The releases whose documentation contains it; None for all releases of the document."""
    untestable: str | None
    """The reason why no case can test it; None for a testable claim."""
    location: Location
    dtypes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By argument, the dtypes or dtype families that the claim allows."""
    program: str | None = None
    """Python code with assertions that tests it in the framework; None if cases do."""
    device: Device | None = None
    """The kind of device that it is about; None for all."""
    rests: Sentences = field(default_factory=dict)
    """The sentences of the shipped documentation that make it; empty for a claim of a captured page."""
    refers: str | None = None
    """The object to whose documentation these sentences refer."""
    keeps: tuple[str, ...] = ()
    """Arguments that a call leaves as they were and shares no memory with, according to the claim."""
    history: bool = False
    """Only releases make it that no environment can install, so that it binds none."""
    derivative: Expression | None = None
    """A condition on the arguments, ``DISTINCT`` and ``ACCUMULATES`` without which the API has no right derivative in reverse mode."""
    situations: tuple[ClaimedSituation, ...] = ()
    """What it speaks of though no clause cites it."""
    broken: str | None = None
    """The framework breaks it: the type of the error that the program raises; None if the program holds."""
    transform: Transformation | None = None
    """All derivatives or batches by this transform are held to it; None if it says nothing of what one computes."""


DISTINCT = "distinct"
"""In a condition of a claim: no position occurs more than once among the indices."""
ACCUMULATES = "accumulates"
"""In a condition of a claim: values are added to what is there, or reduced with it."""


@dataclass(frozen=True)
class Untestable:
    """Sentences that no case can test."""

    name: str
    reason: str
    rests: Sentences


@dataclass(frozen=True)
class Document:
    """A captured documentation page of public APIs."""

    id: str
    title: str
    official: bool
    framework: str
    describes: tuple[str, ...]
    versions: SpecifierSet
    url: str | None
    editions: Mapping[str, str]
    """Differing captures of the page, each with a description."""
    claims: Mapping[str, Claim]
    errata: Mapping[str, Erratum]
    location: Location
    untestable: tuple[Untestable, ...] = ()


@dataclass(frozen=True)
class Citation:
    """A claim of a document that supports a clause."""

    document: Document
    claim: Claim

    def __str__(self) -> str:
        return f"{self.document.id}#{self.claim.locator}"


@dataclass(frozen=True)
class ArgumentSpec:
    """The allowed values of an argument."""

    name: str
    kinds: tuple[Kind, ...]
    index: bool
    """It is an integer tensor, or a mask."""
    choices: tuple[str, ...]
    optional: bool
    indexing: Indexing | None = None
    """The meaning of its elements if they index another argument."""
    number: bool = False
    """A scalar may be any number, not only an integer."""


@dataclass(frozen=True)
class Derivative:
    """The derivative of a call, computed instead of its result."""

    kind: Differentiation
    of: str
    """The argument with respect to which the derivative is taken."""
    seed: Tensor
    """What the derivative is multiplied by: in reverse mode a cotangent, like the result; in forward mode a tangent, like the
    argument."""

    @property
    def name_of_seed(self) -> str:
        """What the seed is called."""
        return "cotangent" if self.kind == "vjp" else "tangent"


@dataclass(frozen=True)
class Batch:
    """Several calls that are made as one; the arguments of the call are those of the first of them."""

    stacks: Mapping[str, Tensor]
    """The arguments that differ, each of all calls along one more axis."""
    axis: BatchAxis
    """The position of that axis."""
    kind: Literal["vmap"] = "vmap"

    @property
    def of(self) -> str:
        """The names of the arguments that differ, and the axis if it is the last, as in the id of a case."""
        names = "+".join(self.stacks)
        return names if self.axis == "first" else f"{names}.{self.axis}"


Transform = Derivative | Batch
"""What is computed of a call instead of its result."""


@dataclass(frozen=True, eq=False)
class Call:
    """A concrete call of an operation, compared by identity."""

    arguments: Mapping[str, Argument]
    passed: Mapping[str, Passed] = field(default_factory=dict)
    """The arguments that are not passed to what a mode compiles as usual."""
    program: str | None = None
    """The text of a program around the call, whose arguments these are; see ``conformance.specification.programs``."""
    transform: Transform | None = None
    """What is computed instead of the result; see ``conformance.cases.transforms``."""

    @property
    def transformation(self) -> Transformation | None:
        """The kind of its transform; None without one."""
        return self.transform.kind if self.transform is not None else None

    @property
    def tensors(self) -> dict[str, Tensor]:
        """By name, its tensors: those of a batch are the stacks, and a derivative has its cotangent or tangent among them."""
        tensors = {name: value for name, value in self.arguments.items() if isinstance(value, Tensor)}
        if isinstance(self.transform, Batch):
            return tensors | {name: one.cast(tensors[name].dtype) for name, one in self.transform.stacks.items()}
        return tensors | ({self.transform.name_of_seed: self.transform.seed} if self.transform is not None else {})

    @property
    def needs(self) -> frozenset[Capability]:
        """What a target must be able to do with it."""
        return needed_for(self.passed, self.program, self.transformation)

    def with_arguments(self, changed: Mapping[str, Argument]) -> Call:
        return replace(self, arguments={**self.arguments, **changed})


def needed_for(
    passed: Mapping[str, Passed], program: str | None, transformation: Transformation | None
) -> frozenset[Capability]:
    """What a target must be able to do with a call. passed, program: as in ``Call``; transformation: that of its transform."""
    ways: dict[Passed, Passing] = {"constant": "constants", "argument": "numbers"}
    around: list[Capability] = ["programs"] if program is not None else []
    computed: list[Capability] = [transformation] if transformation is not None else []
    return frozenset((*(ways[way] for way in passed.values()), *around, *computed))


def constants_of(passed: Mapping[str, Passed]) -> frozenset[str]:
    """The arguments that are constants of what is compiled."""
    return frozenset(name for name, way in passed.items() if way == "constant")


@dataclass(frozen=True)
class Printed:
    """An expected result as nested lists or a constructor; its dtype is the result dtype of the operation."""

    written: object
    digits: int | None
    """Decimal places that the document prints; None if every bit counts."""
    within: float | Literal["rounding"] | None = None
    """The largest allowed difference due to rounding, or ``rounding`` for what it can cause in any order of addition;
    None if no difference is allowed."""


@dataclass(frozen=True)
class Raises:
    """An error is expected, of any type if ``error`` is None."""

    error: str | None = None


@dataclass(frozen=True)
class Observed:
    """The outcome is recorded but not judged."""

    reason: str


@dataclass(frozen=True)
class Behaves:
    """The result of a policy for out-of-bounds indices is expected."""

    policy: Policy


@dataclass(frozen=True)
class OneRemains:
    """Any one of several updates to the same position is expected to remain."""


Expected = Printed | Raises | Observed | Behaves | OneRemains | None
"""None stands for the result of the reference."""


@dataclass(frozen=True)
class WrittenCall:
    """A call with an expectation that tests a clause."""

    name: str
    call: Call
    expected: Expected
    fixed: Call | None
    """For a call that should raise: the control, the same call without the violation."""
    note: str | None
    location: Location
    device: Device | None = None
    """The kind of device that the expectation applies to; None for all."""
    about_dtype: tuple[str, ...] = ()
    """Arguments whose dtype the call tests, if the document of the clause does not mention it."""
    breaks: bool = False
    """It is meant to break the rule of the clause."""
    provenance: Provenance = "written"
    printed: bool = False
    """Its numbers are printed in the document."""
    path: Path_ = ()
    """Its keys in the file."""


@dataclass(frozen=True)
class Rule:
    """A condition on calls (``require``) or on results (``ensure``)."""

    name: str
    require: Expression | None
    ensure: Expression | None
    broken: Raises | Observed
    implies: tuple[str, ...]
    """Other rules that a call necessarily breaks if it breaks this one."""
    only_documented: bool = False
    """It binds only APIs whose own documentation makes a claim that its clause cites."""

    def is_broken(self, values: Mapping[str, object]) -> bool:
        """Whether a call with these values breaks it."""
        return self.require is not None and not self.require.holds(values)


@dataclass(frozen=True)
class MetamorphicRelation:
    """Two expressions over calls of operations that should be equal; see ``conformance.specification.relations``."""

    left: Expression
    right: Expression
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """The operations that either side calls; empty until all operations are loaded."""


@dataclass(frozen=True)
class Clause:
    """A testable statement about an operation."""

    id: str
    name: str
    """Unique among the clauses of its operation and family."""
    operation: str
    family: Family
    states: str
    citations: tuple[Citation, ...]
    written_calls: tuple[WrittenCall, ...]
    rule: Rule | None
    location: Location
    relation: MetamorphicRelation | None = None
    path: Path_ = ()
    """Its keys in the file."""
    only_documented: bool = False
    """Only APIs whose own documentation makes a cited claim are called."""
    require: Expression | None = None
    """For a behaviour that is an error: the condition that its calls violate."""
    decided_by: str | None = None
    """The id of a clause that judges what this one only observes, on APIs whose own documentation makes its claims."""


class NotATuple(tuple[int, ...]):
    """The lengths of a shape that a call passes in another form, such as a list."""


@dataclass(frozen=True)
class Operation:
    """The common specification of several APIs."""

    name: str
    summary: str
    arguments: Mapping[str, ArgumentSpec]
    result_shape: Expression
    result_dtype: Expression
    result_accumulates: Expression
    """Whether elements are added or multiplied, rather than only copied."""
    clauses: tuple[Clause, ...]
    location: Location
    layout: Layout | None = None
    """How calls are drawn; None if the spec does not define it."""
    programs: tuple[NamedProgram, ...] = ()
    """The programs around its calls."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """By earlier id, the ids of clauses and written calls that were renamed."""

    def earlier_ids(self, case: str) -> tuple[str, ...]:
        """The ids that a case had in the last release, if it, its clause or what it is derived from was renamed."""
        return tuple(
            earlier + case.removeprefix(now)
            for earlier, now in self.renamed.items()
            if case == now or (case.startswith(now) and case[len(now)] in "./")
        )

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that bind every API."""
        rules = (clause.rule for clause in self.clauses)
        return tuple(rule for rule in rules if rule is not None and not rule.only_documented)

    def values(self, call: Call) -> dict[str, object]:
        """The arguments of a call as values for expressions.

        An omitted optional argument is None; a shape passed as a list or a tensor is a ``NotATuple`` of its lengths.
        """
        values: dict[str, object] = {**dict.fromkeys(self.arguments), **call.arguments}
        for name, spec in self.arguments.items():
            value = values[name]
            if "vector" in spec.kinds and isinstance(value, list | Tensor):
                values[name] = NotATuple(value.array.tolist() if isinstance(value, Tensor) else value)
        return values

    def geometries(self, call: Call) -> dict[str, IndexGeometry]:
        """By index argument, the positions that it means; undefined ones are omitted."""
        values = self.values(call)
        declared = {name: spec.indexing for name, spec in self.arguments.items() if spec.indexing}
        geometries = {name: geometry_of(indexing, name, values) for name, indexing in declared.items()}
        return {name: geometry for name, geometry in geometries.items() if geometry}

    def lacks_elements(self, call: Call) -> bool:
        """Whether an argument has no element, or an index argument no index; a vector of indices may have no element.

        A mask without a true element has no index.
        """
        in_key = self.masks_in_key(call)
        for name, value in call.arguments.items():
            if isinstance(value, Tensor):
                indexing = self.arguments[name].indexing
                if 0 in (value.shape[:-1] if indexing is not None and indexing.by_vectors else value.shape):
                    return True
                is_mask = name in in_key or (indexing is not None and indexing.mask)
                if is_mask and not value.array.any():
                    return True
        return False

    def masks_in_key(self, call: Call) -> set[str]:
        """The index arguments that are masks in a key."""
        indices = {name: spec.indexing for name, spec in self.arguments.items() if spec.indexing}
        keyed = {
            name for name, indexing in indices.items() if isinstance(call.arguments.get(indexing.along or ""), str)
        }
        values = ((name, call.arguments.get(name)) for name in keyed)
        return {name for name, value in values if isinstance(value, Tensor) and value.kind == "bool"}

    def only_first_lacks_elements(self, call: Call, control: Call) -> bool:
        """Whether an implementation that refuses all tensors without elements refuses a call, and not its control."""
        return self.lacks_elements(call) and not self.lacks_elements(control)

    def broken_rules(self, call: Call) -> tuple[str, ...]:
        """The names of the rules for every API that a call breaks."""
        values = self.values(call)
        return tuple(rule.name for rule in self.rules if rule.is_broken(values))

    def broken_promises(self, call: Call) -> tuple[Clause, ...]:
        """The clauses of the rules that a call breaks of those that only some APIs document."""
        values = self.values(call) if any(clause.only_documented for clause in self.clauses) else {}
        return tuple(
            clause
            for clause in self.clauses
            if clause.rule is not None and clause.rule.only_documented and clause.rule.is_broken(values)
        )

    def errors(self, call: Call) -> tuple[Clause, ...]:
        """The clauses by which a call is an error: those of rules, and behaviours."""
        rules = self.broken(call).clauses
        errors = (clause for clause in rules if clause.rule is not None and isinstance(clause.rule.broken, Raises))
        return *errors, *self.violated(call)

    def violated(self, call: Call) -> tuple[Clause, ...]:
        """The behaviours by which a call is an error on the APIs that document them."""
        behaviours = [clause for clause in self.clauses if clause.require is not None]
        values = self.values(call) if behaviours else {}
        return tuple(clause for clause in behaviours if clause.require is not None and clause.require.fails(values))

    def broken(self, call: Call) -> BrokenRules:
        """The clauses of the rules for every API that a call breaks, apart from those that make no sense for it."""
        values = self.values(call)
        clauses: list[Clause] = []
        senseless: set[str] = set()
        for clause in self.clauses:
            rule = clause.rule
            if rule is None or rule.require is None or rule.only_documented or not rule.is_broken(values):
                continue
            try:
                rule.require.value(values)
            except EVALUATION_ERRORS:
                senseless.add(rule.name)
            else:
                clauses.append(clause)
        return BrokenRules(tuple(clauses), frozenset(senseless))


@dataclass(frozen=True)
class BrokenRules:
    """The rules that do not hold for a call."""

    clauses: tuple[Clause, ...]
    """Those that it breaks."""
    senseless: frozenset[str]
    """Those that cannot be evaluated, such as one on an axis that an argument lacks."""


@dataclass(frozen=True)
class Gaps:
    """Ids of what is missing or incomplete because it could not be read; no check requires it."""

    operations: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()
    """Operations whose result is unknown."""
    clauses: frozenset[str] = frozenset()
    files: bool = False
    """Operations with unknown names, or documents, are missing."""

    def __or__(self, other: Gaps) -> Gaps:
        return Gaps(
            self.operations | other.operations,
            self.results | other.results,
            self.clauses | other.clauses,
            self.files or other.files,
        )


@dataclass(frozen=True)
class Catalogue:
    """All operations and documents of the specs, and a digest of their text."""

    operations: Mapping[str, Operation]
    documents: Mapping[str, Document]
    digest: str
    whole: bool = True
    """All operations that belong to the documents are loaded, not a single file."""
    reference: Path | None = None
    """An adapter file beside the specs that computes expected results, like the reference of the suite."""
    gaps: Gaps = Gaps()
    epoch: int | None = None
    """Of the suite's specs; None if some are a user's."""

"""The model of specs: frozen values that passed the checks of their own file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from packaging.specifiers import SpecifierSet

from conformance.specification.errata import Erratum
from conformance.specification.expressions import Expression
from conformance.specification.indices.kinds import Indexing
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor
from conformance.specification.problems import Location, Path_
from conformance.specification.programs.file import NamedProgram
from conformance.specification.programs.language import Apis, Program
from conformance.specification.vocabulary import (
    HOOKS,
    BatchAxis,
    Capability,
    ClaimedSituation,
    Device,
    Differentiation,
    Family,
    Hook,
    Nesting,
    Passing,
    Policy,
    SecondOrder,
    Sentences,
)

Kind = Literal["tensor", "vector", "scalar", "choice", "key"]
Way = Literal["constant", "argument"]
"""A tensor that is a constant of what is compiled, or a number or a shape that is an argument of it; usually it is the other."""


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
    transform: Hook | None = None
    """All derivatives or batches by this transform are held to it; None if it says nothing of what one computes."""
    also: tuple[str, ...] = ()
    """Other APIs of which no derivative is expected either where the condition does not hold."""


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
    """The words of a choice, or the keys that draws and rare forms have."""
    optional: bool
    indexing: Indexing | None = None
    """The meaning of its elements if they index another argument."""
    number: bool = False
    """A scalar may be any number, not only an integer."""
    repeats: str | None = None
    """Another argument that says something that this one says too, so that both can contradict each other."""


@dataclass(frozen=True)
class AsUsual:
    """Tensors are arguments of what a mode compiles, and numbers and shapes are constants of it."""

    needs: ClassVar[frozenset[Capability]] = frozenset()


@dataclass(frozen=True)
class PassedAs:
    """Some arguments are passed in the other way to what a mode compiles."""

    ways: Mapping[str, Way]

    @property
    def needs(self) -> frozenset[Capability]:
        return frozenset(_PASSING[way] for way in self.ways.values())

    @property
    def constants(self) -> frozenset[str]:
        """The tensors that are constants of what is compiled."""
        return frozenset(name for name, way in self.ways.items() if way == "constant")


_PASSING: Mapping[Way, Passing] = {"constant": "constants", "argument": "numbers"}


@dataclass(frozen=True)
class Around:
    """A program around the call, whose arguments the call has; see ``conformance.specification.programs``."""

    program: Program
    apis: Apis = "any"
    """Those that get the call."""
    changes: str | None = None
    """The argument that the APIs change, if these are about changes in place only."""
    passed: PassedAs = field(default_factory=lambda: PassedAs({}))
    """The arguments that are passed in the other way to what a mode compiles."""

    @property
    def needs(self) -> frozenset[Capability]:
        return self.passed.needs | {"programs"}

    def takes(self, in_place: str | None) -> bool:
        """Whether an API that changes this argument, or none, gets the call."""
        match self.apis:
            case "any":
                return True
            case "returning":
                return in_place is None
            case "changing":
                return in_place is not None and in_place == self.changes


@dataclass(frozen=True)
class Sharing:
    """Two arguments are parts of one buffer, each without gaps, that have elements in common."""

    needs: ClassVar[frozenset[Capability]] = frozenset({"shared"})
    changed: str
    """The one that the API changes."""
    other: str
    shift: int
    """The number of elements by which the other one begins behind it; negative if it begins before it."""

    def takes(self, in_place: str | None) -> bool:
        """Whether an API that changes this argument, or none, gets the call."""
        return in_place == self.changed


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

    @property
    def needs(self) -> frozenset[Capability]:
        return frozenset({self.kind})

    @property
    def steps(self) -> Sequence[tuple[Hook, str]]:
        """The hooks that compute it, the outer one first, and what each is given of the arguments."""
        return ((self.kind, self.of),)


@dataclass(frozen=True)
class Batch:
    """Several calls that are made as one; the arguments of the call are those of the first of them."""

    needs: ClassVar[frozenset[Capability]] = frozenset({"vmap"})
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

    @property
    def steps(self) -> Sequence[tuple[Hook, str]]:
        """As of a derivative."""
        return ((self.kind, self.of),)


@dataclass(frozen=True)
class Nested:
    """The derivative of each call of a batch, or the derivative of a batch."""

    kind: Nesting
    derivative: Derivative
    """Its seed has a cotangent for the result of each call, along a first axis."""
    batch: Batch
    around: Around | None = None
    """The program around each call."""

    @property
    def of(self) -> str:
        """The argument of the derivative, and what differs within the batch, as in the id of a case."""
        return f"{self.derivative.of}.{self.batch.of}"

    @property
    def needs(self) -> frozenset[Capability]:
        return frozenset(HOOKS[self.kind]) | (self.around.needs if self.around is not None else frozenset())

    @property
    def steps(self) -> Sequence[tuple[Hook, str]]:
        """As of a derivative."""
        steps = [*self.batch.steps, *self.derivative.steps]
        return steps if self.kind == "vmap-vjp" else steps[::-1]

    @property
    def is_of_each(self) -> bool:
        """Whether there is a derivative for each call; otherwise those of a shared argument are added up."""
        return self.kind == "vmap-vjp" or self.derivative.of in self.batch.stacks

    @property
    def axis(self) -> int:
        """The position of the axis along which these are stacked."""
        is_of_stack = self.kind == "vjp-vmap" and self.derivative.of in self.batch.stacks
        return -1 if is_of_stack and self.batch.axis == "last" else 0


@dataclass(frozen=True)
class SecondDerivative:
    """The derivative of a derivative in reverse mode."""

    kind: SecondOrder
    first: Derivative
    second: Derivative
    """Of the first. Its seed is like that in reverse mode, and like its own argument in forward mode."""

    @property
    def of(self) -> str:
        """The argument of the first derivative, and that of the second, as in the id of a case."""
        return f"{self.first.of}.{self.second.of}"

    @property
    def name_of_second_seed(self) -> str:
        """What the seed of the second derivative is called: other than that of the first."""
        return f"second_{self.second.name_of_seed}" if self.kind == "vjp-vjp" else self.second.name_of_seed

    @property
    def needs(self) -> frozenset[Capability]:
        return frozenset(HOOKS[self.kind])

    @property
    def steps(self) -> Sequence[tuple[Hook, str]]:
        """As of a derivative."""
        return [*self.second.steps, *self.first.steps]


Transform = Derivative | Batch | Nested | SecondDerivative
"""What is computed of a call instead of its result; see ``conformance.cases.variants``."""
Manner = AsUsual | PassedAs | Around | Sharing | Transform
"""How a call is made; ``needs`` is what a target must be able to do."""


def around_of(manner: Manner) -> Around | None:
    """The program around a call, also around each of a batch; None if there is none."""
    match manner:
        case Around():
            return manner
        case Nested(around=around):
            return around
        case _:
            return None


@dataclass(frozen=True, eq=False)
class Call:
    """The arguments of a call, and how it is made. Compared by identity."""

    arguments: Mapping[str, Argument]
    manner: Manner = AsUsual()

    @property
    def tensors(self) -> dict[str, Tensor]:
        """By name, its tensors: those of a batch are the stacks, and a derivative has its cotangent or tangent among them."""
        tensors = {name: value for name, value in self.arguments.items() if isinstance(value, Tensor)}
        match self.manner:
            case Batch(stacks):
                return tensors | {name: one.cast(tensors[name].dtype) for name, one in stacks.items()}
            case Derivative(seed=seed):
                return {**tensors, self.manner.name_of_seed: seed}
            case Nested(derivative=derivative, batch=batch):
                return replace(self, manner=batch).tensors | {derivative.name_of_seed: derivative.seed}
            case SecondDerivative(first=first, second=second):
                seeds = {first.name_of_seed: first.seed, self.manner.name_of_second_seed: second.seed}
                return tensors | seeds
            case _:
                return tensors

    @property
    def constants(self) -> frozenset[str]:
        """The tensors that are constants of what is compiled."""
        match self.manner:
            case PassedAs():
                return self.manner.constants
            case Around(passed=passed):
                return passed.constants
            case _:
                return frozenset()

    def with_arguments(self, changed: Mapping[str, Argument]) -> Call:
        return replace(self, arguments={**self.arguments, **changed})


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
    found: bool = False
    """A run found it on a target, by minimizing a drawn call."""
    printed: bool = False
    """Its numbers are printed in the document."""
    path: Path_ = ()
    """Its keys in the file."""


@dataclass(frozen=True)
class KeptProgram:
    """A program on which a target was wrong, around a call that tests a clause."""

    name: str
    call: Call
    """Its arguments are those of the program."""
    location: Location


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
    programs: tuple[KeptProgram, ...] = ()
    """Those that runs found, beside the programs that each operation has."""


class NotATuple(tuple[int, ...]):
    """The lengths of a shape that a call passes in another form, such as a list."""


@dataclass(frozen=True)
class Operation:
    """The common specification of several APIs."""

    name: str
    summary: str
    arguments: Mapping[str, ArgumentSpec]
    result_shape: Expression
    result_dtype: Expression | None
    """None if no document says which dtype a result has."""
    result_accumulates: Expression
    """Whether elements are added or multiplied, rather than only copied."""
    clauses: tuple[Clause, ...]
    location: Location
    layout: Layout | None = None
    """How calls are drawn; None if the spec does not define it."""
    programs: tuple[NamedProgram, ...] = ()
    """The programs around its calls."""
    shares: frozenset[str] = frozenset()
    """Arguments of which the result may be a view."""
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
    def main_argument(self) -> str:
        """The argument that the operation reads or writes: its first tensor that is no index, or without any its first argument."""
        tensors = (name for name, spec in self.arguments.items() if "tensor" in spec.kinds and not spec.index)
        return next(tensors, next(iter(self.arguments)))

    @property
    def written_argument(self) -> str | None:
        """The tensor that it returns with other elements, which an API may change in place; None if it makes a new one."""
        tensors = (name for name, spec in self.arguments.items() if "tensor" in spec.kinds and not spec.index)
        return next((name for name in tensors if self.result_shape.text == f"{name}.shape"), None)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that bind every API."""
        rules = (clause.rule for clause in self.clauses)
        return tuple(rule for rule in rules if rule is not None and not rule.only_documented)


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

    def only(self, names: Collection[str]) -> Catalogue:
        """The same with these operations alone."""
        return replace(self, operations={name: one for name, one in self.operations.items() if name in names})

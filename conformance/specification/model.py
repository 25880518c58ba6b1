"""Specs as the rest of the program sees them: frozen values, already checked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from packaging.specifiers import SpecifierSet

from conformance.specification.errata import Erratum
from conformance.specification.expressions import Expression
from conformance.specification.indexing import IndexGeometry, Indexing, geometry_of
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor
from conformance.specification.problems import Location, Path_
from conformance.specification.vocabulary import Device, Policy

Family = Literal["example", "rule", "behaviour", "relation"]
Kind = Literal["tensor", "vector", "scalar", "choice"]
Provenance = Literal["written", "derived", "generated", "found"]
"""Where a call comes from: a spec, a spec's call in other dtypes or views, the rules, or a target on which it diverged."""


@dataclass(frozen=True)
class Claim:
    """One thing that a document says, in the project's own words."""

    locator: str
    says: str
    versions: SpecifierSet | None
    """The framework's releases whose text says it, where that is not all that the document speaks of."""
    untestable: str | None
    """Why no case can test it; None for one that clauses cite."""
    location: Location
    dtypes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Argument to the dtypes, or families of dtypes, that it says the argument may have."""


@dataclass(frozen=True)
class Document:
    """A captured page about public APIs."""

    id: str
    title: str
    official: bool
    framework: str
    describes: tuple[str, ...]
    versions: SpecifierSet
    url: str | None
    editions: Mapping[str, str]
    """The captures of the page that differ, each with what sets it apart."""
    claims: Mapping[str, Claim]
    errata: Mapping[str, Erratum]
    location: Location


@dataclass(frozen=True)
class Citation:
    """A claim of a document that a clause rests on."""

    document: Document
    claim: Claim

    def __str__(self) -> str:
        return f"{self.document.id}#{self.claim.locator}"


@dataclass(frozen=True)
class ArgumentSpec:
    """What an argument may be; an integer tensor is an index argument."""

    name: str
    kinds: tuple[Kind, ...]
    index: bool
    choices: tuple[str, ...]
    optional: bool
    indexing: Indexing | None = None
    """What its elements mean, where they are indices into another argument."""
    number: bool = False
    """A scalar may be any number, rather than an integer."""


@dataclass(frozen=True, eq=False)
class Call:
    """One concrete call of an operation; each is equal to itself alone."""

    arguments: Mapping[str, Argument]

    def with_arguments(self, changed: Mapping[str, Argument]) -> Call:
        return Call({**self.arguments, **changed})


@dataclass(frozen=True)
class Printed:
    """A result as a spec writes it: nested lists or a constructor; its dtype is the operation's result dtype."""

    written: object
    digits: int | None
    """Decimal places that the document prints; None when every bit counts."""
    within: float | None = None
    """The greatest difference that rounding may make; None where there is none."""


@dataclass(frozen=True)
class Raises:
    """An error is expected; of this type, where the document names one."""

    error: str | None = None


@dataclass(frozen=True)
class Observed:
    """Nobody says what should happen."""

    reason: str


@dataclass(frozen=True)
class Behaves:
    """What this policy towards indices that point outside gives is expected."""

    policy: Policy


@dataclass(frozen=True)
class OneRemains:
    """Of several updates to one place one is expected to remain, whichever it is."""


Expected = Printed | Raises | Observed | Behaves | OneRemains | None
"""None: whatever the reference gives."""


@dataclass(frozen=True)
class WrittenCall:
    """A call that a spec writes down to try a clause."""

    name: str
    call: Call
    expected: Expected
    fixed: Call | None
    """For a call that should raise: the same without the violation."""
    note: str | None
    location: Location
    device: Device | None = None
    """The kind of device that the expectation is about; None for all."""
    about_dtype: tuple[str, ...] = ()
    """Arguments whose dtype it is about, where it is not one that the clause's document mentions."""
    breaks: bool = False
    """It is meant to break the clause's rule."""
    provenance: Provenance = "written"
    printed: bool = False
    """Its numbers are those that the document prints."""
    path: Path_ = ()
    """Where it stands in its file."""


@dataclass(frozen=True)
class Rule:
    """A condition on calls (``require``) or on results (``ensure``)."""

    name: str
    require: Expression | None
    ensure: Expression | None
    broken: Raises | Observed
    implies: tuple[str, ...]
    """Other rules that cannot be kept once this one is broken."""


@dataclass(frozen=True)
class MetamorphicRelation:
    """Two expressions over calls of operations that should give the same; see ``conformance.specification.relations``."""

    left: Expression
    right: Expression
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """Those that either side calls; none until every operation is loaded."""


@dataclass(frozen=True)
class Clause:
    """One testable statement about an operation."""

    id: str
    name: str
    """What sets it apart from other clauses of its operation and family."""
    operation: str
    family: Family
    states: str
    citations: tuple[Citation, ...]
    written_calls: tuple[WrittenCall, ...]
    rule: Rule | None
    location: Location
    relation: MetamorphicRelation | None = None
    path: Path_ = ()
    """Where it stands in its file."""


class NotATuple(tuple[int, ...]):
    """The lengths of a shape that a call gives as something else than a tuple."""


@dataclass(frozen=True)
class Operation:
    """What several APIs have in common."""

    name: str
    summary: str
    arguments: Mapping[str, ArgumentSpec]
    result_shape: Expression
    result_dtype: Expression
    result_accumulates: Expression
    """Whether elements are added or multiplied on the way, rather than only moved."""
    clauses: tuple[Clause, ...]
    location: Location
    layout: Layout | None = None
    """How calls are drawn; None where the spec does not say."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(clause.rule for clause in self.clauses if clause.rule is not None)

    def values(self, call: Call) -> dict[str, object]:
        """A call's arguments as expressions see them.

        An optional one that is not given is None; a ``shape`` given as a list or a tensor reads as its lengths.
        """
        values: dict[str, object] = {**dict.fromkeys(self.arguments), **call.arguments}
        for name, spec in self.arguments.items():
            value = values[name]
            if "vector" in spec.kinds and isinstance(value, list | Tensor):
                values[name] = NotATuple(value.array.tolist() if isinstance(value, Tensor) else value)
        return values

    def geometries(self, call: Call) -> dict[str, IndexGeometry]:
        """Where each index argument of a call points, as far as that can be said."""
        values = self.values(call)
        declared = {name: spec.indexing for name, spec in self.arguments.items() if spec.indexing}
        found = {name: geometry_of(indexing, name, values) for name, indexing in declared.items()}
        return {name: geometry for name, geometry in found.items() if geometry}

    def broken_rules(self, call: Call) -> tuple[str, ...]:
        """Names of the rules on calls that a call does not keep."""
        values = self.values(call)
        return tuple(rule.name for rule in self.rules if rule.require is not None and not rule.require.holds(values))


@dataclass(frozen=True)
class Gaps:
    """What specs lack because it could not be read, by id: what is not there is not asked for."""

    operations: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()
    """Operations of which it is not known what they give."""
    clauses: frozenset[str] = frozenset()
    files: bool = False
    """Operations that are not known by name, or documents."""

    def __or__(self, other: Gaps) -> Gaps:
        return Gaps(
            self.operations | other.operations,
            self.results | other.results,
            self.clauses | other.clauses,
            self.files or other.files,
        )


@dataclass(frozen=True)
class Catalogue:
    """Everything the specs say, and a digest of their text."""

    operations: Mapping[str, Operation]
    documents: Mapping[str, Document]
    digest: str
    whole: bool = True
    """All operations that the documents were listed for are loaded, not one file of them."""
    reference: Path | None = None
    """An adapter file beside the specs that gives results for their operations, as the suite's reference does for its."""
    gaps: Gaps = Gaps()

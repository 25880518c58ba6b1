"""How the cases of a results file vary the calls of the specs, and the words for that.

One record for each kind of ``conformance.cases.variation``. Readers ask the kind; nobody infers it from other fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.results.literals import CallLiterals
from conformance.specification.model import PassedAs, Sharing, Way
from conformance.specification.programs.forms import form_of
from conformance.specification.programs.language import Apis, Program
from conformance.specification.programs.reading import NotAProgram, read_program
from conformance.specification.vocabulary import (
    HOOKS,
    BatchAxis,
    Capability,
    Contradiction,
    Differentiation,
    LeftOut,
    Nesting,
    SecondOrder,
    Transformation,
)

IF_ANY = {"written": "if any"}
"""Metadata of sparse fields, which are omitted from the file if they have their default."""


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """The call is written in a spec."""

    breaks: bool = field(default=False, metadata=IF_ANY)
    """It is meant to break the rule of its clause."""
    kind: Literal["written"] = "written"


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A run found the call by minimizing a drawn one."""

    breaks: bool = field(default=False, metadata=IF_ANY)
    """It breaks the rule of its clause."""
    kind: Literal["found"] = "found"


@dataclass(frozen=True, slots=True)
class DrawnRecord:
    """The call is drawn from the rules."""

    breaks: bool = field(default=False, metadata=IF_ANY)
    """It breaks the rule of its clause."""
    kind: Literal["drawn"] = "drawn"


@dataclass(frozen=True, slots=True)
class InDtypeRecord:
    """Data or indices have another dtype."""

    base: str
    """The id of the case that it was derived from."""
    kind: Literal["dtype"] = "dtype"


@dataclass(frozen=True, slots=True)
class AsViewRecord:
    """Tensors are views of larger buffers."""

    base: str
    """The id of the case that it was derived from."""
    view: str
    """The kind of view."""
    kind: Literal["view"] = "view"


@dataclass(frozen=True, slots=True)
class SharingMemoryRecord:
    """What the call reads lies in the memory that it writes. Only targets whose tensors are parts of a buffer make the call."""

    changed: str
    """The argument that the call changes."""
    read: str
    """The argument in its memory."""
    shift: int
    """The number of elements by which that begins behind the other; negative if it begins before it."""
    kind: Literal["shared"] = "shared"


@dataclass(frozen=True, slots=True)
class RareFormRecord:
    """The call has a rare form."""

    breaks: bool = field(default=False, metadata=IF_ANY)
    """It breaks the rule of its clause."""
    form: str = field(default="", metadata=IF_ANY)
    """The kind of form, such as ``neighbours``; empty in files of earlier versions."""
    kind: Literal["form"] = "form"


@dataclass(frozen=True, slots=True)
class ContradictingRecord:
    """An argument contradicts another one that says the same."""

    argument: str
    way: Contradiction
    breaks: bool = field(default=False, metadata=IF_ANY)
    """It breaks the rule of its clause; otherwise no document says what follows."""
    kind: Literal["contradiction"] = "contradiction"


@dataclass(frozen=True, slots=True)
class PassedRecord:
    """Arguments are passed in another way to what a mode compiles. Only modes that can do so make the call."""

    base: str
    """The id of the case that it was derived from."""
    arguments: dict[str, Way]
    """Tensors that are constants of what is compiled, and numbers and shapes that are arguments of it."""
    breaks: bool = field(default=False, metadata=IF_ANY)
    """As of the call that is passed."""
    kind: Literal["passed"] = "passed"


@dataclass(frozen=True, slots=True)
class InProgramRecord:
    """The call stands in a program that a mode compiles with it; the arguments of the case are those of the program."""

    program: str
    """Its text."""
    apis: Apis = field(default="any", metadata=IF_ANY)
    """Those that it is about: all, those that return a new tensor, or those that change their target in place."""
    arguments: dict[str, Way] = field(default_factory=dict, metadata=IF_ANY)
    """Tensors that are constants of what is compiled."""
    kind: Literal["program"] = "program"


@dataclass(frozen=True, slots=True)
class DrawnProgramRecord:
    """A drawn program around the call, or a smaller one that a run found; the arguments of the case are those of the program."""

    program: str
    """Its text."""
    apis: Apis = field(default="returning", metadata=IF_ANY)
    """Those that it is about: those that return a new tensor, or those that change their target in place."""
    kind: Literal["drawn-program"] = "drawn-program"

    @property
    def text(self) -> str | None:
        """The program as this version writes it; None if this version cannot read it."""
        program = self._read
        return None if program is None else program.text

    @property
    def form(self) -> str | None:
        """The same for programs that differ in names, numbers and lengths alone; None if this version cannot read it."""
        program = self._read
        return None if program is None else form_of(program, is_changing=self.apis == "changing")

    @property
    def _read(self) -> Program | None:
        try:
            return read_program(self.program)
        except NotAProgram:
            return None


class _WithRespectTo:
    """Of a derivative, of one call or of several: what is computed, and the argument with respect to which."""

    __slots__ = ()
    mode: Transformation
    of: str

    @property
    def transformation(self) -> Transformation:
        return self.mode

    @property
    def arguments(self) -> tuple[str, ...]:
        """Those that the transform is about."""
        return (self.of,)


@dataclass(frozen=True, slots=True)
class DerivativeRecord(_WithRespectTo):
    """The derivative of the call is computed instead of its result; the expectation is about that."""

    base: str
    """The id of the case that it was derived from."""
    mode: Differentiation
    of: str
    """The argument with respect to which the derivative is taken."""
    seed: CallLiterals
    """The cotangent or the tangent that the derivative is multiplied by, as a literal."""
    kind: Literal["derivative"] = "derivative"

    @property
    def axis(self) -> BatchAxis | None:
        return None


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """Several calls are made as one, of which that of the case is the first; the expectation has the results of all."""

    base: str
    """The id of the case that it was derived from."""
    stacks: CallLiterals
    """Each argument that differs between the calls: those of all calls along one more axis, as a literal."""
    axis: BatchAxis
    """The position of that axis."""
    kind: Literal["batch"] = "batch"

    @property
    def transformation(self) -> Transformation:
        return "vmap"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Those that the transform is about."""
        return tuple(self.stacks)


@dataclass(frozen=True, slots=True)
class NestedRecord(_WithRespectTo):
    """The derivative of each of several calls, or of all of them as one, of which that of the case is the first."""

    base: str
    """The id of the case that it was derived from."""
    mode: Nesting
    of: str
    """The argument with respect to which the derivative is taken."""
    seed: CallLiterals
    """The cotangents of the results of all calls along a first axis, as a literal."""
    stacks: CallLiterals
    """As of a batch."""
    axis: BatchAxis
    """As of a batch."""
    program: str | None = field(default=None, metadata=IF_ANY)
    """The text of the program around each call."""
    kind: Literal["nested"] = "nested"


@dataclass(frozen=True, slots=True)
class SecondDerivativeRecord:
    """The derivative of a derivative of the call is computed."""

    base: str
    """The id of the case that it was derived from."""
    mode: SecondOrder
    of: str
    """The argument with respect to which the first derivative is taken."""
    by: str
    """The argument with respect to which the derivative of that is taken."""
    seed: CallLiterals
    """The cotangent of the first derivative, as a literal."""
    second_seed: CallLiterals
    """The cotangent or the tangent of the second."""
    kind: Literal["second"] = "second"

    @property
    def transformation(self) -> Transformation:
        return self.mode

    @property
    def arguments(self) -> tuple[str, ...]:
        """Those that the transform is about."""
        return self.of, self.by

    @property
    def axis(self) -> BatchAxis | None:
        return None


TransformedRecord = DerivativeRecord | BatchRecord | NestedRecord | SecondDerivativeRecord
"""A target's own transform is applied to the call."""
DerivedRecord = InDtypeRecord | AsViewRecord | PassedRecord | TransformedRecord
"""The case was derived from another one, whose id is ``base``."""
MeantToBreak = WrittenRecord | FoundRecord | DrawnRecord | RareFormRecord | ContradictingRecord | PassedRecord
AroundRecord = InProgramRecord | DrawnProgramRecord
"""The call stands in a program."""
VariationRecord = (
    WrittenRecord
    | FoundRecord
    | DrawnRecord
    | SharingMemoryRecord
    | RareFormRecord
    | ContradictingRecord
    | AroundRecord
    | DerivedRecord
)


def base_of(variation: VariationRecord) -> str | None:
    """The id of the case that it was derived from; None for any other."""
    return variation.base if isinstance(variation, DerivedRecord) else None


def is_meant_to_break(variation: VariationRecord) -> bool:
    """Whether the call is meant to break the rule of its clause."""
    return isinstance(variation, MeantToBreak) and variation.breaks


def needs_of(variation: VariationRecord) -> frozenset[Capability]:
    """What a target must be able to do with the call."""
    match variation:
        case PassedRecord(arguments=ways):
            return PassedAs(ways).needs
        case InProgramRecord(arguments=ways):
            return PassedAs(ways).needs | {"programs"}
        case DrawnProgramRecord():
            return frozenset({"programs"})
        case SharingMemoryRecord():
            return Sharing.needs
        case NestedRecord(program=program):
            return frozenset(HOOKS[variation.transformation]) | ({"programs"} if program is not None else frozenset())
        case DerivativeRecord() | BatchRecord() | SecondDerivativeRecord():
            return frozenset(HOOKS[variation.transformation])
        case _:
            return frozenset()


def constants_of(variation: VariationRecord) -> frozenset[str]:
    """The tensors that are constants of what is compiled."""
    if not isinstance(variation, PassedRecord | InProgramRecord):
        return frozenset()
    return PassedAs(variation.arguments).constants


def transformation_of(variation: VariationRecord) -> Transformation | None:
    """What is computed instead of the result; None if that is."""
    return variation.transformation if isinstance(variation, TransformedRecord) else None


ORIGINS: Mapping[str, str] = {
    "written": "written",
    "dtype": "in other dtypes",
    "view": "as views",
    "shared": "with arguments that share memory",
    "form": "in rare forms",
    "contradiction": "with arguments that contradict each other",
    "program": "in programs",
    "passed": "with constants or numbers as arguments",
    "derivative": "derivatives",
    "batch": "batches",
    "nested": "nested transforms",
    "second": "derivatives of derivatives",
    "found": "found on targets",
    "drawn": "drawn",
    "drawn-program": "drawn programs",
}
"""By kind, how many cases of it are called: ``5 in other dtypes``."""


@dataclass(frozen=True)
class Words:
    """How cases are called of which a mode runs a part."""

    one: str
    """The noun of one of them, without an article."""
    behind: str = ""
    """What follows the noun, however many there are."""
    is_for_cost: bool = True
    """They are left out because the mode is expensive; otherwise every mode runs a sample."""

    def counted(self, number: int) -> str:
        """``3 draws``."""
        return f"{number} {self.one}{'s' if number != 1 else ''}{self.behind}"


LEFT_OUT: Mapping[LeftOut, Words] = {
    "draws": Words("draw"),
    "forms": Words("call", " in rare forms, with contradictions or in programs"),
    "dtypes": Words("call", " in other dtypes"),
    "views": Words("call", " with views or shared memory"),
    "passing": Words("call", " with constant tensors or changing numbers"),
    "transforms": Words("transformed call", " like others", is_for_cost=False),
}


def upgraded(case: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object of a case of schema 1, which had a field for each kind of variation, as one of schema 2.

    What it lacks, or has of the wrong type, is left to the validation of the record.
    """
    fields = ("provenance", "breaks", "derived_from", "passed", "program", "transform")
    content = {name: value for name, value in case.items() if name not in fields}
    return {**content, "variation": _variation(case)}


def _variation(case: Mapping[str, Any]) -> dict[str, Any]:
    base = {"base": case.get("derived_from")}
    breaks = {"breaks": case.get("breaks", False)}
    if (transform := case.get("transform")) is not None:
        return {**base, **_transform(transform if isinstance(transform, Mapping) else {})}
    if case.get("passed"):
        return {"kind": "passed", **base, "arguments": case["passed"], **breaks}
    if case.get("program") is not None:
        return {"kind": "program", "program": case["program"]}
    match case.get("provenance", "written"):
        case "derived":
            return {**base, **_view_or_dtype(case)}
        case "form":
            return {"kind": "form", **breaks}
        case "generated":
            return {"kind": "drawn", **breaks}
        case provenance:
            return {"kind": provenance, **breaks}


def _transform(transform: Mapping[str, Any]) -> dict[str, Any]:
    is_batch = transform.get("kind") == "vmap"
    names = {"stacks": "stacks", "axis": "axis"} if is_batch else {"kind": "mode", "of": "of", "seed": "seed"}
    parts = {now: transform[name] for name, now in names.items() if name in transform}
    return {"kind": "batch" if is_batch else "derivative", **parts}


def _view_or_dtype(case: Mapping[str, Any]) -> dict[str, Any]:
    """A call in another dtype may have the view of the call that it was derived from, so the id decides."""
    call = case.get("call")
    arguments = call.values() if isinstance(call, Mapping) else ()
    views = [value["view"] for value in arguments if isinstance(value, Mapping) and "view" in value]
    view = next((view for view in views if case.get("id") == f"{case.get('derived_from')}.{view}"), None)
    return {"kind": "dtype"} if view is None else {"kind": "view", "view": view}

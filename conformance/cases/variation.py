"""How a case varies the call that its clause is about: as it is written, in another dtype, in a program, and so on.

A closed union: each kind has what belongs to it, the id of the case that it was derived from (``base``), and which part of its
cases an expensive mode makes on each API (``is_left_out``). ``kind`` is that of its record in ``conformance.results.variations``. ``conformance.cases.variants`` and ``conformance.cases.forms`` derive them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Generic, Protocol, TypeVar
from zlib import crc32

from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import (
    Around,
    Batch,
    Derivative,
    Nested,
    Operation,
    PassedAs,
    Rule,
    SecondDerivative,
    Sharing,
)
from conformance.specification.vocabulary import Contradiction, LeftOut, Nesting

Made = TypeVar("Made")

EXPENSIVE = 0.01
"""Seconds per call of a new shape from which a mode is expensive."""
SLOW = 0.5
"""Seconds per call of a new shape from which an expensive mode is slow: such as torch.compile, which generates and compiles C++."""
SAMPLE = 3
"""Of this many rare forms, one is in the sample: an expensive mode makes it on an API, or it has derivatives."""
SLOW_SAMPLE = SAMPLE * SAMPLE
"""Of this many rare forms, a slow mode makes one on an API."""
SECONDS_OF_DRAWS = 0.5
"""Time for the forms of the draws of one clause on one API in an expensive mode."""
DTYPES = frozenset({"float32", "int64"})
"""Dtypes of the cases in another dtype that all run in an expensive mode."""


def is_expensive(cost: float) -> bool:
    """Whether a mode is expensive whose calls of a new shape take ``cost`` seconds."""
    return cost >= EXPENSIVE


def most_forms(cost: float) -> int:
    """Maximum number of forms of the draws of a clause in an expensive mode, which compiles each."""
    return max(1, int(SECONDS_OF_DRAWS / cost))


class OtherCase(Protocol):
    """A case, as far as the variation of another one knows it: its model knows variations."""

    @property
    def id(self) -> str: ...
    @property
    def variation(self) -> Variation: ...


@dataclass(frozen=True, eq=False)
class DtypeTest:
    """A test of dtypes that the document of the clause may not mention: a refusal is judged only if an API promises them."""

    arguments: tuple[str, ...]
    """Those whose dtype is tested."""
    original: OtherCase | None = field(default=None, repr=False)
    """The call in its ordinary dtype, which differs in nothing else but its values; its expectation is not known."""
    alike: Sequence[OtherCase] = field(default=(), repr=False)
    """All cases of the operation that are derived in the same dtypes. Whether an API takes a dtype at all is asked once, by
    the first of them whose original call returns."""


@dataclass(frozen=True)
class Turn:
    """The place of a case among those like it, of which an expensive mode makes one on each API: on the next API another one."""

    number: int
    of: int | None = None
    """How many are like it; None for a rare form, of which it makes every third, or fewer."""
    is_extra: bool = False
    """Only a run of all transforms makes the call, since the sample has others like it."""

    def is_left_out(self, cost: float, api: int) -> bool:
        """Whether a mode of this cost leaves it out on an API. api: its place among those of the operation."""
        if not is_expensive(cost):
            return self.is_extra
        most = SLOW_SAMPLE if cost >= SLOW else SAMPLE
        return self.is_extra or not is_sampled(self.number + api, most if self.of is None else self.of)


class _OfEveryMode:
    """Every mode runs all cases of the kind."""

    left_out: ClassVar[None] = None

    def is_left_out(self, cost: float, api: int) -> bool:  # noqa: ARG002 - as for the others
        return False


class _TakingTurns:
    """An expensive mode makes those on an API whose turn it is there."""

    turn: Turn

    def is_left_out(self, cost: float, api: int) -> bool:
        return self.turn.is_left_out(cost, api)


@dataclass(frozen=True)
class Written(_OfEveryMode):
    """The call is written in a spec."""

    kind: ClassVar = "written"
    base: ClassVar[None] = None
    dtype_test: DtypeTest | None = None
    breaks: bool = False
    """The call is meant to break the rule of its clause."""


@dataclass(frozen=True)
class Found(_OfEveryMode):
    """A run found the call by minimizing a drawn one."""

    kind: ClassVar = "found"
    base: ClassVar[None] = None
    dtype_test: DtypeTest | None = None
    breaks: bool = False
    """The call is meant to break the rule of its clause."""


@dataclass(frozen=True)
class Drawn:
    """The call is drawn from the rules."""

    kind: ClassVar = "drawn"
    base: ClassVar[None] = None
    left_out: ClassVar[LeftOut] = "draws"
    dtype_test: ClassVar[None] = None
    rule: Rule | None
    """The rule that it breaks; None for a valid call."""
    number: int
    """The number among the draws of its clause, from 1."""
    form_number: int
    """The number of its form (shapes, dtypes and other arguments) among the draws of its clause, from 1."""
    choices: Sequence[int] = field(repr=False)
    """The choices, as in ``conformance.strategies.drawn_calls``, from which smaller calls can be drawn."""
    reference: Callable[[Applied], Tensor] = field(repr=False)
    """As ``conformance.cases.reference.Reference``."""

    def is_left_out(self, cost: float, api: int) -> bool:  # noqa: ARG002 - as for the others
        return is_expensive(cost) and self.form_number > most_forms(cost)


@dataclass(frozen=True, eq=False)
class InDtype:
    """Data or indices have another dtype."""

    kind: ClassVar = "dtype"
    left_out: ClassVar[LeftOut] = "dtypes"
    base: str
    dtype_test: DtypeTest
    dtype: str
    of_indices: bool
    """The dtype is that of indices."""

    def is_left_out(self, cost: float, api: int) -> bool:  # noqa: ARG002 - as for the others
        """All run in usual dtypes.

        In others the first of the operation runs and, as narrow indices go wrong more easily, the last in that of indices.
        """
        alike = self.dtype_test.alike
        ends = (*alike[:1], *alike[-1:]) if self.of_indices else alike[:1]
        return is_expensive(cost) and self.dtype not in DTYPES and all(end.variation is not self for end in ends)


@dataclass(frozen=True)
class AsView(_TakingTurns):
    """Tensors are views of larger buffers."""

    kind: ClassVar = "view"
    left_out: ClassVar[LeftOut] = "views"
    dtype_test: ClassVar[None] = None
    base: str
    view: str
    turn: Turn


@dataclass(frozen=True)
class SharingMemory(_TakingTurns):
    """What the call reads lies in the memory that it writes."""

    kind: ClassVar = "shared"
    base: ClassVar[None] = None
    left_out: ClassVar[LeftOut] = "views"
    dtype_test: ClassVar[None] = None
    manner: Sharing
    turn: Turn


@dataclass(frozen=True)
class RareForm(_TakingTurns):
    """The call has a rare form that is derived from the layout; see ``conformance.cases.forms``."""

    kind: ClassVar = "form"
    base: ClassVar[None] = None
    left_out: ClassVar[LeftOut] = "forms"
    is_open: bool
    """No rule says whether an API takes the form: a refusal is not judged, but what it returns is."""
    turn: Turn
    dtype_test: DtypeTest | None = None
    breaks: bool = False
    """The call breaks the rule of its clause."""
    form: str = ""
    """The kind of form: a key of ``FORMS`` or ``LATER`` in ``conformance.cases.forms.source``, ``outside``, ``chunks`` or ``large``."""


@dataclass(frozen=True)
class Contradicting(_TakingTurns):
    """An argument contradicts another one that says the same."""

    kind: ClassVar = "contradiction"
    base: ClassVar[None] = None
    left_out: ClassVar[LeftOut] = "forms"
    dtype_test: ClassVar[None] = None
    argument: str
    way: Contradiction
    turn: Turn
    breaks: bool
    """The call breaks the rule of its clause; otherwise no document says what follows."""


@dataclass(frozen=True)
class Passed(_TakingTurns):
    """Arguments are passed in another way to what a mode compiles."""

    kind: ClassVar = "passed"
    left_out: ClassVar[LeftOut] = "passing"
    base: str
    manner: PassedAs
    turn: Turn
    is_open: bool
    """As of the form that is passed."""
    dtype_test: DtypeTest | None = None
    breaks: bool = False
    """As of the call that is passed."""


@dataclass(frozen=True)
class InProgram(_TakingTurns):
    """The call stands in a program that a mode compiles with it."""

    kind: ClassVar = "program"
    base: ClassVar[None] = None
    left_out: ClassVar[LeftOut] = "forms"
    dtype_test: ClassVar[None] = None
    manner: Around
    is_open: bool
    """As of a rare form."""
    turn: Turn
    transforms: tuple[Nesting, ...] = ()
    """The nested transforms that are made of it too."""


@dataclass(frozen=True)
class DrawnProgram(_OfEveryMode):
    """The call stands in a drawn program, or in a smaller one that a run found.

    It is made on one API of each target.
    """

    kind: ClassVar = "drawn-program"
    base: ClassVar[None] = None
    dtype_test: ClassVar[None] = None
    manner: Around
    number: int
    """The number among the programs of its operation, from 1; an API has it by turns."""
    operations: Mapping[str, Operation] = field(repr=False)
    """Those that it may call."""
    reference: Callable[[Applied], Tensor] = field(repr=False)
    """As ``conformance.cases.reference.Reference``."""


@dataclass(frozen=True)
class Differentiated(_TakingTurns):
    """The derivative of the call is computed instead of its result."""

    kind: ClassVar = "derivative"
    left_out: ClassVar[LeftOut] = "transforms"
    dtype_test: ClassVar[None] = None
    base: str
    manner: Derivative
    turn: Turn
    is_beyond_documents: bool
    """No document promises a result of the call itself."""


@dataclass(frozen=True)
class Batched(_TakingTurns):
    """Several calls are made as one."""

    kind: ClassVar = "batch"
    left_out: ClassVar[LeftOut] = "transforms"
    dtype_test: ClassVar[None] = None
    base: str
    manner: Batch
    turn: Turn
    is_beyond_documents: bool
    """As of a derivative."""


@dataclass(frozen=True)
class NestedTransform(_TakingTurns):
    """The derivative of each of several calls is computed, or that of all of them as one."""

    kind: ClassVar = "nested"
    left_out: ClassVar[LeftOut] = "transforms"
    dtype_test: ClassVar[None] = None
    base: str
    manner: Nested
    turn: Turn
    is_beyond_documents: bool
    """As of a derivative."""


@dataclass(frozen=True)
class TwiceDifferentiated(_TakingTurns):
    """The derivative of a derivative of the call is computed."""

    kind: ClassVar = "second"
    left_out: ClassVar[LeftOut] = "transforms"
    dtype_test: ClassVar[None] = None
    base: str
    manner: SecondDerivative
    turn: Turn
    is_beyond_documents: bool
    """As of a derivative."""


Transformed = Differentiated | Batched | NestedTransform | TwiceDifferentiated
"""A target's own transform is applied to the call."""
Variation = (
    Written
    | Found
    | Drawn
    | InDtype
    | AsView
    | SharingMemory
    | RareForm
    | Contradicting
    | Passed
    | InProgram
    | DrawnProgram
    | Transformed
)


Turning = AsView | SharingMemory | RareForm | Contradicting | Passed | InProgram | Transformed
"""The kinds whose cases take turns."""


def without_sample(variation: Variation) -> Variation:
    """The same, as of a run that makes the calls of all transforms."""
    if isinstance(variation, Turning) and variation.turn.is_extra:
        return replace(variation, turn=replace(variation.turn, is_extra=False))
    return variation


class Turns:
    """Numbers cases of an operation, those of each kind apart, so that a sample has some of each kind.

    The number of the first case depends on the operation and the kind. Where each operation has one case of a kind, some of
    them are in the sample.
    """

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._counts: Counter[tuple[str, ...]] = Counter()

    def next(self, *kind: str) -> int:
        """The turn of the next case of a kind."""
        turn = first_turn(self._operation, *kind) + self._counts[kind]
        self._counts[kind] += 1
        return turn


@dataclass(frozen=True)
class Alike(Generic[Made]):
    """A case to make, and what it is like."""

    series: tuple[str, ...]
    """The same for cases of which an expensive mode makes one on each API."""
    make: Callable[[Turn], Made]
    """Makes the case with its turn."""
    is_extra: bool = False
    """As of a turn; these are alike among themselves."""


def taking_turns(operation: str, cases: Iterable[Alike[Made]]) -> Iterator[Made]:
    """The cases of an operation in their order, each with its turn."""
    found = list(cases)
    sizes = Counter((one.series, one.is_extra) for one in found)
    turns = Turns(operation)
    for one in found:
        number = turns.next(*one.series, str(one.is_extra))
        yield one.make(Turn(number, sizes[one.series, one.is_extra], one.is_extra))


def first_turn(operation: str, *kind: str) -> int:
    """The turn of the first case of a kind."""
    return crc32(repr((operation, kind)).encode()) % SAMPLE


def is_sampled(turn: int, of: int = SAMPLE) -> bool:
    """Whether a case with this turn is in the sample that has one of so many."""
    return turn % of == 0

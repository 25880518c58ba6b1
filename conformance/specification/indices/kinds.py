"""The kinds of index arguments: what each element means, how a spec declares it, and the layout that it needs.

docs/indices.md has a section on each kind, with an example.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from conformance.specification.file_format import ArgumentPart
from conformance.specification.groups import Groups, LayoutError, Part, Parts
from conformance.specification.indices.keys import Filled, Keyed, key_of
from conformance.specification.literals import Tensor
from conformance.specification.problems import Path_
from conformance.specification.vocabulary import Order

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
RESULT = "result"
"""The target of indices that point into the result of a call, whose length follows from them."""

_NOT_BATCHED = "contradicts the rest: only index vectors, and indices with selects: slices, may be batched"


@dataclass(frozen=True)
class Declaration:
    """An index argument as a spec file has it, beside the other arguments."""

    name: str
    part: ArgumentPart
    arguments: Mapping[str, ArgumentPart]

    def named(self, key: str) -> ArgumentPart | None:
        """The argument that one of its keys names; None without the key, or if there is no such argument."""
        return self.arguments.get(getattr(self.part, key) or "")

    def problem(self, key: str, message: str) -> tuple[Path_, str]:
        """What is wrong with one of its keys."""
        return ("arguments", self.name, key), message


Problems = Iterator[tuple[Path_, str]]
"""By path in the spec file, what is wrong there."""


@dataclass(frozen=True)
class _Kind:
    """What all kinds of indices have; where they differ, this is what most of them do.

    Each has ``problems`` of its own, what is wrong with a declaration that is read as this kind, and ``agree``, which raises a
    LayoutError if the layout contradicts it. The layout has the index argument and its target.
    """

    into: str
    """The argument that is the target, or the shape of the target; of labels see ``Labels``."""

    family: ClassVar[Literal["integer", "bool"]] = "integer"
    """The family of the dtype of the index."""
    holds_positions: ClassVar[bool] = True
    """Its elements are positions, which can be out of bounds."""
    counts_from_data: ClassVar[bool] = False
    """How many positions it selects follows from its elements, rather than from its shape."""
    is_aligned: ClassVar[bool] = False
    """An element lies at its own position on the axes of the target that it does not point along."""
    may_be_left_out: ClassVar[bool] = False
    """An index out of bounds may mean that nothing is written, so that it is not always an error."""

    @property
    def axis(self) -> str | None:
        """The argument that is the number of the axis along which it points."""
        return None

    @property
    def paired_by(self) -> str | None:
        """The argument that is the number of first axes which the index and the target share."""
        return None

    @property
    def is_ordered(self) -> bool:
        """Whether the indices of a valid call are in ascending order."""
        return False

    @property
    def places(self) -> frozenset[str]:
        """The arguments that say where it points."""
        return frozenset(filter(None, (self.into, self.axis)))

    def lacks_indices(self, index: Array) -> bool:
        """Whether an index argument has no index."""
        return index.size == 0

    def longer(self, target: Shape) -> Shape:
        """The shape of a target that is longer where its lengths are arguments."""
        return tuple(length + 1 for length in target)


@dataclass(frozen=True)
class Vectors(_Kind):
    """The last axis holds vectors, whose column k is an index along axis k of the target. Each selects an element or a slice."""

    batched: str | None = None
    """The argument that says how many first axes of the index and the target pair: a vector refers to the part of the target at
    its own position along them."""

    @property
    def paired_by(self) -> str | None:
        return self.batched

    def lacks_indices(self, index: Array) -> bool:
        """A vector may have no element; it means the whole target."""
        return 0 in index.shape[:-1]

    @staticmethod
    def problems(declaration: Declaration) -> Problems:
        yield from _number_of_pairs(declaration)

    def agree(self, name: str, groups: Groups) -> None:
        _, index, target = _unpaired(self, name, groups)
        last = index[-1] if index else None
        if last is None or not last.rank or any(part.rank for part in index[:-1]):
            raise LayoutError(
                f"{name} has into, so its last axis holds vectors: it must end in rank(GROUP), and {self.into} must begin with "
                f"GROUP...; if {name} indexes a single axis, add along under arguments, and if it counts all elements, selects: flat"
            )
        if target[:1] != (Part(last.group, rank=False),):
            raise LayoutError(
                f"column k of {name} indexes axis k of {self.into}, so {self.into} must begin with {last.group}..."
            )


@dataclass(frozen=True)
class Elements(_Kind):
    """An element is an index along one axis, and selects the element at its own position on the other axes of the target."""

    along: str
    """The argument that is the number of the axis."""

    is_aligned: ClassVar[bool] = True

    @property
    def axis(self) -> str:
        return self.along

    @staticmethod
    def problems(declaration: Declaration) -> Problems:
        if declaration.part.batched is not None:
            yield declaration.problem("batched", _NOT_BATCHED)

    def agree(self, name: str, groups: Groups) -> None:
        index, target = groups.arguments[name], groups.arguments[self.into]
        _agree_along(self, target, (), groups)
        _are_single(name, "has along", index)
        if not _has_an_element_for(groups, index, target):
            raise LayoutError(
                f"{name} has along and selects elements, so it needs as many axes as {self.into}, and on the other "
                "axes the same groups or groups that are at most as long; if each index selects a whole slice, add "
                "selects: slices under arguments"
            )


@dataclass(frozen=True)
class Along(_Kind):
    """An element is an index along one axis, and selects the whole slice there."""

    along: str
    """The argument that is the number of the axis."""
    batched: str | None = None
    """The argument that says how many first axes of the index and the target pair: an element refers to the part of the target at
    its own position along them."""

    @property
    def axis(self) -> str:
        return self.along

    @property
    def paired_by(self) -> str | None:
        return self.batched

    @staticmethod
    def problems(declaration: Declaration) -> Problems:
        yield from _number_of_pairs(declaration)

    def agree(self, name: str, groups: Groups) -> None:
        pairs, index, target = _unpaired(self, name, groups)
        _agree_along(self, target, pairs, groups)
        _are_single(name, "has along", index)


@dataclass(frozen=True)
class InKey(_Kind):
    """An element is an index along the axis at which the index stands in a key, such as ``i, :, j``.

    All indices in a key are broadcast against each other and select together. A mask that stands there in the place of an index means
    the indices of its true elements.
    """

    key: str
    """The argument that is the key, in which the indices stand by their names."""
    words: tuple[str, ...] = ()
    """The keys that a spec lists; a call may have another one."""

    @property
    def places(self) -> frozenset[str]:
        return frozenset({self.into, self.key})

    def lacks_indices(self, index: Array) -> bool:
        return not index.any() if index.dtype == bool else index.size == 0

    def keyed(self, target: Shape, values: Mapping[str, object]) -> Keyed | None:
        """The key with its indices; None if there is none, an index is missing, or the key or a mask does not fit the axes."""
        written = values.get(self.key)
        if not isinstance(written, str):
            return None
        try:
            indices = [one for name in key_of(written).names if isinstance(one := values.get(name), Tensor)]
            filled = Filled(written, [one for one in indices if one.kind in ("integer", "bool")])
            fits = filled.key.rank <= len(target) and filled.masks_fit(target)
        except (ValueError, LookupError):
            return None
        return Keyed(filled.key, filled.arrays(), target) if fits else None

    @staticmethod
    def problems(declaration: Declaration) -> Problems:
        if declaration.part.selects != "slices" or declaration.part.batched is not None:
            yield declaration.problem(
                "along", f"is a key, so that {declaration.name} selects: slices, and is not batched"
            )
        along = declaration.part.along
        together = {name: each.optional for name, each in declaration.arguments.items() if each.along == along}
        needed = sorted(name for name, is_optional in together.items() if not is_optional)
        for number, word in enumerate(words_of(declaration)):
            try:
                names = key_of(word).names
            except ValueError:
                continue  # which is told of the key itself
            if len({*names}) < len(names) or not {*needed} <= {*names} <= together.keys():
                each = f"each of {', '.join(needed)} once" if needed else f"no index twice, of {', '.join(together)}"
                yield ("arguments", str(along), "key", number), f"{word!r} needs {each}"

    def agree(self, name: str, groups: Groups) -> None:
        _are_single(name, "has along", groups.arguments[name])


@dataclass(frozen=True)
class Flat(_Kind):
    """An element numbers all elements of the target in row-major order, and selects one."""

    @staticmethod
    def problems(declaration: Declaration) -> Problems:
        if declaration.part.along is not None:
            yield declaration.problem(
                "along", "is an axis, but flat indices count the elements of all axes; remove one"
            )
        if declaration.part.batched is not None:
            yield declaration.problem("batched", _NOT_BATCHED)

    def agree(self, name: str, groups: Groups) -> None:
        index, target = groups.arguments[name], groups.arguments[self.into]
        _are_single(name, "selects flat", index)
        if len(target) != 1 or target[0].rank:
            raise LayoutError(
                f"{name} selects flat, so its indices number all elements of {self.into}, which must be GROUP..."
            )


@dataclass(frozen=True)
class Mask(_Kind):
    """It has the first axes of the target, and means the index vectors of its true elements, in row-major order."""

    family: ClassVar[Literal["integer", "bool"]] = "bool"
    holds_positions: ClassVar[bool] = False
    counts_from_data: ClassVar[bool] = True

    def lacks_indices(self, index: Array) -> bool:
        return not index.any()

    @staticmethod
    def problems(declaration: Declaration) -> Problems:
        for key in ("along", "selects", "labels", "order", "batched"):
            if getattr(declaration.part, key) is not None:
                yield declaration.problem(key, "is for indices; a mask has the first axes of what it selects from")
        target = declaration.named("into")
        if target is not None and target.tensor is None:
            yield declaration.problem("into", f"of a mask names a tensor, and {declaration.part.into} is none")

    def agree(self, name: str, groups: Groups) -> None:
        mask, target = groups.arguments[name], groups.arguments[self.into]
        if len(mask) != 1 or mask[0].rank or target[:1] != mask:
            raise LayoutError(
                f"{name} is a mask of the first axes of {self.into}, so it must be GROUP..., and {self.into} must begin with it"
            )


@dataclass(frozen=True)
class Labels(_Kind):
    """An element is the place along the first axis of the target of what the data have at its position.

    That is a slice, or an element if the data have no more axes. ``into`` is the length of that axis, or ``RESULT``: then the axis
    ends at the largest label.
    """

    data: str
    """The data whose slices the elements label; the target has the axes of such a slice behind its first."""
    order: Order | None = None
    """The order of the labels of a valid call; None for any."""

    may_be_left_out: ClassVar[bool] = True

    @property
    def is_ordered(self) -> bool:
        return self.order is not None

    def longer(self, target: Shape) -> Shape:
        """Only the length of its first axis is an argument."""
        return (target[0] + 1, *target[1:])

    @staticmethod
    def problems(declaration: Declaration) -> Problems:
        part, target, data = declaration.part, declaration.named("into"), declaration.named("labels")
        for key in ("along", "selects"):
            if getattr(part, key) is not None:
                yield declaration.problem(
                    "labels", f"contradicts {key}: labels are places along the first axis of the result"
                )
        if part.batched is not None:
            yield declaration.problem("batched", _NOT_BATCHED)
        if target is not None and (target.scalar != "integer" or target.tensor):
            yield declaration.problem(
                "into", f"with labels it names a number, and {part.into} is not {{scalar: integer}}"
            )
        if data is not None and data.tensor != "any":
            yield declaration.problem("labels", f"names the data, and {part.labels} is not {{tensor: any}}")

    def agree(self, name: str, groups: Groups) -> None:
        index, target, data = groups.arguments[name], groups.arguments[self.into], groups.arguments.get(self.data)
        if self.into == RESULT:
            if data is not None and target[1:] != data[len(index) :]:
                raise LayoutError(
                    f"points into {RESULT}, which must have one group of its own, and then the groups of the data behind those of the index"
                )
            target = target[:1]
        if len(target) != 1 or not groups.is_one_axis(target[0]):
            raise LayoutError(
                f"has labels, so {self.into} is the length of one axis; write {self.into}: GROUP... of one axis"
            )
        if data is not None and (data[: len(index)] != index or any(part.rank for part in data)):
            raise LayoutError(f"labels slices of {self.data}, so {self.data} must begin with the groups of the index")


def shape_of(target: object) -> Shape | None:
    """The shape of a tensor, or a tuple of integers itself; None for anything else."""
    if isinstance(target, Tensor):
        return target.shape
    return target if isinstance(target, tuple) and all(type(length) is int for length in target) else None


def from_the_front(axis: object, rank: int) -> int | None:
    """An axis, which may be counted from the end; None if a target of this rank lacks it."""
    return axis % rank if isinstance(axis, int) and -rank <= axis < rank else None


def words_of(declaration: Declaration) -> tuple[str, ...]:
    """The keys of the argument along which an index is declared to point; without any, that is a number."""
    along = declaration.named("along")
    return tuple(along.key) if along is not None else ()


def _number_of_pairs(declaration: Declaration) -> Problems:
    count = declaration.named("batched")
    if count is not None and (count.scalar != "integer" or count.tensor):
        yield declaration.problem(
            "batched", f"names a number, and {declaration.part.batched} is not {{scalar: integer}}"
        )


def _unpaired(indexing: Vectors | Along, name: str, groups: Groups) -> tuple[Parts, Parts, Parts]:
    """The part of the number of axes that pair, and the index and its target without these; no part if none pair."""
    index, target, batched = groups.arguments[name], groups.arguments[indexing.into], indexing.batched
    if batched is None:
        return (), index, target
    number = groups.arguments.get(batched, ())
    if len(number) != 1 or not number[0].rank:
        raise LayoutError(f"is batched by {batched}, which is missing in the layout; write {batched}: rank(GROUP)")
    shared = (Part(number[0].group, rank=False),)
    if index[:1] != shared or target[:1] != shared:
        raise LayoutError(
            f"is batched by {batched}, so {name} and {indexing.into} must begin with {number[0].group}..."
        )
    return number, index[1:], target[1:]


def _are_single(name: str, why: str, index: Parts) -> None:
    if any(part.rank for part in index):
        raise LayoutError(f"has rank(GROUP), but {name} {why}, so it holds single indices and not vectors")


def _agree_along(indexing: Elements | Along, target: Parts, pairs: Parts, groups: Groups) -> None:
    """The number of the axis counts the groups before it. target: without the axes that pair."""
    along, into, number = indexing.along, indexing.into, groups.arguments.get(indexing.along, ())
    if number[: len(pairs)] != pairs or len(number) != len(pairs) + 1 or not number[-1].rank:
        written = " ".join([*(f"rank({part.group})" for part in pairs), "rank(GROUP)"])
        raise LayoutError(f"indexes along {along}, which is missing in the layout; write {along}: {written}")
    first, indexed = (*target, None, None)[:2]
    if first is None or indexed is None or first.rank or groups.count(first) != groups.count(number[-1]):
        raise LayoutError(
            f"indexes along {along}, so {into} must begin with the group of {along}, followed by the indexed axis"
        )
    if not groups.is_one_axis(indexed):
        raise LayoutError(f"indexes along {along}, so {into} must have exactly one axis after {first.group}...")


def _has_an_element_for(groups: Groups, index: Parts, target: Parts) -> bool:
    pairs = list(zip(index, target, strict=False))
    parallel = [pair for axis, pair in enumerate(pairs) if axis != 1]
    return (
        len(index) == len(target)
        and groups.count(index[1]) == 1
        and all(not full.rank and groups.is_within(part.group, full.group) for part, full in parallel)
    )


Indexing = Vectors | Elements | Along | InKey | Flat | Mask | Labels
"""The meaning of an index argument."""

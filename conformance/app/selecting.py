"""What words name: targets and cases. Mistakes in them are found before anything is imported that takes long."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.app.errors import ConformanceError
from conformance.cases.selection import Item, KeywordError, NothingSelected, Selection, UnknownId
from conformance.data_folders import suite_operations
from conformance.environments.errors import TargetError
from conformance.environments.name import is_version
from conformance.environments.name_checks import Outline, check_names
from conformance.environments.packages import outlines
from conformance.results.exit_status import NOTHING_SELECTED
from conformance.specification.problems import closest

if TYPE_CHECKING:
    pass


def split_ids(words: Sequence[str], operations: Collection[str]) -> tuple[list[str], list[str]]:
    """Split words of the command line into ids of cases of these operations and all others, in their order.

    An id begins with the name of an operation and a dot.
    """
    ids = [word for word in words if operation_in(word) in operations]
    return ids, [word for word in words if word not in ids]


def operation_in(word: str) -> str:
    """The name of the operation if the word is an id."""
    return word.partition(".")[0]


def choose(selection: Selection, cases: Sequence[Item]) -> list[Item]:
    """The selected cases; ConformanceError if there are none, or for an id that no case has."""
    try:
        return selection.choose(cases)
    except (KeywordError, UnknownId) as error:
        raise ConformanceError(str(error)) from None
    except NothingSelected as error:
        raise ConformanceError(str(error), NOTHING_SELECTED) from None


def operations_of(selection: Selection, cases: Sequence[Item], *, are_all: bool) -> frozenset[str]:
    """The operations whose cases have to be read; ConformanceError for an invalid expression."""
    try:
        return selection.operations_of(cases, are_all=are_all)
    except KeywordError as error:
        raise ConformanceError(str(error)) from None


def check_targets(names: Iterable[str]) -> None:
    """Fail for the first name that is not a target."""
    frameworks = _frameworks()
    try:
        for name in names:
            check_names(name, frameworks)
    except TargetError as error:
        raise ConformanceError(str(error)) from None


def target_words(words: Iterable[str]) -> list[str]:
    """The words that name a framework of the suite or the path of an adapter file, and no operation of the suite."""
    frameworks, operations = _frameworks(), suite_operations()
    names = []
    for word in words:
        if word.partition(".")[0] not in operations:
            with contextlib.suppress(TargetError):
                check_names(word, frameworks)
                names.append(word)
    return names


def check_words(words: Iterable[str], specs: Path | None) -> None:
    """Fail for the first word that is neither a target nor, as far as is known without the specs, an id of a case."""
    operations = suite_operations()
    frameworks = _frameworks()
    before = None
    for word in words:
        if before is not None and is_version(word):
            raise ConformanceError(f"{word!r} is a version, not a target; did you mean '{before}=={word}'?")
        before = word if word in frameworks else None
        first = word.partition(".")[0]
        # The operations of a user's specs are known once they are read.
        if first in operations or (specs is not None and first.isidentifier() and not word.endswith(".py")):
            continue
        operation = closest(first, [*operations, *frameworks])
        if operation in operations:
            raise ConformanceError(f"{word!r} is neither a target nor the id of a case; did you mean {operation!r}?")
        check_targets([word])


def _frameworks() -> dict[str, Outline]:
    """The targets that exist by name; ConformanceError if two have the same."""
    try:
        return outlines()
    except TargetError as error:
        raise ConformanceError(str(error)) from None

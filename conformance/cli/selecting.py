"""The options by which commands select cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformance.cases.selection import Item, KeywordError, NothingSelected, Selection
from conformance.cli.failures import NOTHING_SELECTED, USAGE, Failure

if TYPE_CHECKING:
    from conformance.specification.model import Catalogue


def split_ids(words: Sequence[str], catalogue: Catalogue) -> tuple[list[str], list[str]]:
    """Split words of the command line into ids of cases and all others, in their order.

    An id begins with the name of an operation and a dot.
    """
    ids = [word for word in words if operation_in(word) in catalogue.operations]
    return ids, [word for word in words if word not in ids]


def operation_in(word: str) -> str:
    """The name of the operation if the word is an id."""
    return word.partition(".")[0]


def choose(selection: Selection, cases: Sequence[Item]) -> list[Item]:
    """The selected cases; Failure if there are none."""
    try:
        return selection.choose(cases)
    except KeywordError as error:
        raise Failure(USAGE, str(error)) from None
    except NothingSelected as error:
        raise Failure(NOTHING_SELECTED, str(error)) from None

"""The options by which commands select cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cases.selection import Item, KeywordError, NothingSelected, Selection
from conformance.cli.failures import NOTHING_SELECTED, USAGE, Failure

if TYPE_CHECKING:
    from conformance.specification.model import Catalogue

Decorated = Callable[..., Any]


def selecting(function: Decorated) -> Decorated:
    """Add ``--operation``, ``-k`` and ``--specs``."""
    for option in (
        click.option(
            "--operation", "operations", multiple=True, metavar="NAME", help="Only this operation; repeatable."
        ),
        click.option(
            "-k", "keyword", metavar="EXPR", help="Only ids that match, as in pytest: 'gather and not float'."
        ),
        click.option(
            "--specs",
            "specs",
            type=click.Path(path_type=Path),
            metavar="PATH",
            help="A spec of your own, or a folder of them, instead of the suite's.",
        ),
    ):
        function = option(function)
    return function


def split_ids(words: Sequence[str], catalogue: Catalogue) -> tuple[list[str], list[str]]:
    """Words of the command line that are ids of cases, and the others, in their order.

    An id begins with the name of an operation and a dot.
    """
    ids = [word for word in words if operation_in(word) in catalogue.operations]
    return ids, [word for word in words if word not in ids]


def operation_in(word: str) -> str:
    """The name of the operation that a word of the command line would be about, were it an id."""
    return word.partition(".")[0]


def choose(selection: Selection, cases: Sequence[Item]) -> list[Item]:
    """The cases that a selection leaves."""
    try:
        return selection.choose(cases)
    except KeywordError as error:
        raise Failure(USAGE, str(error)) from None
    except NothingSelected as error:
        raise Failure(NOTHING_SELECTED, str(error)) from None

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

specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Your own spec file or folder, instead of the suite's.",
)


def selection_options(function: Decorated) -> Decorated:
    """Add ``--operation``, ``-k`` and ``--specs``."""
    operation = click.option(
        "--operation", "operations", multiple=True, metavar="NAME", help="Only this operation; may be repeated."
    )
    keyword = click.option(
        "-k", "keyword", metavar="EXPR", help="Only cases whose ids match, as in pytest: 'gather and not float'."
    )
    return operation(keyword(specs_option(function)))


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

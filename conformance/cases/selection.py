"""Which cases a run is about: ids or beginnings of ids, operations, and pytest's keyword expressions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from conformance.specification.problems import did_you_mean

_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")


class KeywordError(Exception):
    """An expression after -k that is none."""


class NothingSelected(Exception):
    """No case is left; the message names the nearest id."""


class Selectable(Protocol):
    """A case as far as a selection asks about it."""

    @property
    def id(self) -> str: ...
    @property
    def clause_id(self) -> str: ...
    @property
    def operation_name(self) -> str: ...


Item = TypeVar("Item", bound=Selectable)


@dataclass(frozen=True)
class Selection:
    """What the user asked for; an empty selection is everything."""

    ids: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    keyword: str | None = None
    only: frozenset[str] | None = None
    """Case ids of an earlier run, to be run again."""

    def choose(self, cases: Sequence[Item]) -> list[Item]:
        """The cases that are selected, in their order; NothingSelected where none is."""
        for wanted in self.ids:
            if not any(_begins(case.id, wanted) for case in cases):
                raise NothingSelected(f"no case has the id {wanted!r}{_near(wanted, cases)}")
        matches = keyword(self.keyword) if self.keyword else _anything
        chosen = [case for case in cases if self._is_named(case) and matches(case.id)]
        if not chosen:
            wanted = self.keyword or " ".join(self.operations) or "the selection"
            raise NothingSelected(f"{wanted!r} matches none of {len(cases)} cases{_near(wanted, cases)}")
        return chosen

    def _is_named(self, case: Selectable) -> bool:
        return (
            (not self.ids or any(_begins(case.id, wanted) for wanted in self.ids))
            and (not self.operations or case.operation_name in self.operations)
            and (self.only is None or case.id in self.only)
        )


def keyword(expression: str) -> Callable[[str], bool]:
    """A test of ids from an expression such as ``scatter and not (float32 or int64)``; words match anywhere in an id."""
    words: list[str] = []
    python = []
    for token in _TOKEN.findall(expression):
        if token in ("and", "or", "not", "(", ")"):
            python.append(token)
        else:
            python.append(f"w{len(words)}")
            words.append(token.lower())
    try:
        tree = ast.parse(" ".join(python), mode="eval").body
    except SyntaxError:
        raise KeywordError(
            f"-k {expression!r} is no expression; write words joined by and, or, not and parentheses"
        ) from None
    return lambda case: _holds(tree, words, case.lower())


def _holds(node: ast.expr, words: Sequence[str], case: str) -> bool:
    if isinstance(node, ast.BoolOp):
        test = all if isinstance(node.op, ast.And) else any
        return test(_holds(value, words, case) for value in node.values)
    if isinstance(node, ast.UnaryOp):
        return not _holds(node.operand, words, case)
    if isinstance(node, ast.Name):
        return words[int(node.id[1:])] in case
    raise KeywordError("-k takes words joined by and, or, not and parentheses; two words need an operator between them")


def _begins(case: str, wanted: str) -> bool:
    return case == wanted or (case.startswith(wanted) and case[len(wanted)] in "./")


def _near(wanted: str, cases: Iterable[Selectable]) -> str:
    """A hint at the case, clause or operation that was meant."""
    names = {name for case in cases for name in (case.id, case.clause_id, case.operation_name)}
    return did_you_mean(wanted, names) or "; `conformance list cases` shows them all"


def _anything(_: str) -> bool:
    return True

"""Selects cases by id, id prefix, operation or a keyword expression as in pytest."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, get_args

from conformance.specification.problems import did_you_mean
from conformance.specification.vocabulary import Family

_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")
_OPERATORS = ("and", "or", "not", "(", ")")
_NAME = re.compile("[./]")
_WORD = re.compile("[-_]")
_DEEPEST = 100
"""Levels of a -k expression; Python evaluates some hundred calls within each other."""


class KeywordError(Exception):
    """An invalid -k expression."""


class UnknownId(Exception):
    """No case has an id, or begins with it; the message suggests a similar one."""


class NothingSelected(Exception):
    """No case is selected; the message suggests a similar id."""


class Selectable(Protocol):
    """The attributes of a case that a selection uses."""

    @property
    def id(self) -> str: ...
    @property
    def clause_id(self) -> str: ...
    @property
    def operation_name(self) -> str: ...


Item = TypeVar("Item", bound=Selectable)


@dataclass(frozen=True)
class Selection:
    """The requested cases; an empty selection matches all."""

    ids: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    keyword: str | None = None
    only: frozenset[str] | None = None
    """Case ids of an earlier run, to run again."""

    def choose(self, cases: Sequence[Item]) -> list[Item]:
        """The selected cases in their original order; NothingSelected if there are none, UnknownId for an id that no case has."""
        for prefix in self.ids:
            if not any(_has_prefix(case.id, prefix) for case in cases):
                raise UnknownId(
                    f"no operation, clause or case with id {prefix!r}{_suggestion(prefix, _like(prefix, cases))}"
                )
        matches = keyword(self.keyword) if self.keyword else _anything
        chosen = [case for case in cases if self._is_named(case) and matches(case.id)]
        if not chosen:
            text = self.keyword or " ".join(self.operations) or "the selection"
            hint = _unknown_words(text, cases) if self.keyword else _suggestion(text, _names(cases))
            raise NothingSelected(f"no case matches {text!r} (of {len(cases)}){hint}")
        return chosen

    def operations_of(self, cases: Sequence[Item], *, are_all: bool) -> frozenset[str]:
        """The operations of the selected cases and of the requested ids.

        All operations, if there are none or one is unknown: a similar id may be in any of them.
        are_all: there will be no other cases of these operations, with ids that a keyword may match.
        """
        matches = keyword(self.keyword) if self.keyword and are_all else _anything
        every = frozenset(case.operation_name for case in cases)
        selected = {name.partition(".")[0] for name in (*self.ids, *(self.only or ()))}
        for case in cases:
            if case.operation_name not in selected and self._is_named(case) and matches(case.id):
                selected.add(case.operation_name)
        return frozenset(selected) if selected and selected <= every else every

    def _is_named(self, case: Selectable) -> bool:
        return (
            (not self.ids or any(_has_prefix(case.id, prefix) for prefix in self.ids))
            and (not self.operations or case.operation_name in self.operations)
            and (self.only is None or case.id in self.only)
        )


def keyword(expression: str) -> Callable[[str], bool]:
    """A test of ids from an expression such as ``scatter and not (float32 or int64)``; words match anywhere in an id."""
    words: list[str] = []
    python = []
    for token in _TOKEN.findall(expression):
        if token in _OPERATORS:
            python.append(token)
        else:
            python.append(f"w{len(words)}")
            words.append(token.lower())
    try:
        tree = ast.parse(" ".join(python), mode="eval").body
    except SyntaxError:
        raise KeywordError(
            f"invalid -k expression {expression!r}; use words joined by and, or, not and parentheses"
        ) from None
    except (MemoryError, RecursionError):  # what Python raises for a deep expression, depending on its version
        raise KeywordError("the -k expression is nested too deeply") from None
    if _depth(tree) > _DEEPEST:
        raise KeywordError("the -k expression is nested too deeply")
    return lambda case: _holds(tree, words, case.lower())


def _depth(tree: ast.expr) -> int:
    """How deep an expression is nested."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return depth


def _holds(node: ast.expr, words: Sequence[str], case: str) -> bool:
    if isinstance(node, ast.BoolOp):
        test = all if isinstance(node.op, ast.And) else any
        return test(_holds(value, words, case) for value in node.values)
    if isinstance(node, ast.UnaryOp):
        return not _holds(node.operand, words, case)
    if isinstance(node, ast.Name):
        return words[int(node.id[1:])] in case
    raise KeywordError("invalid -k expression: two words need and, or or not between them")


def _has_prefix(case: str, prefix: str) -> bool:
    return case == prefix or (case.startswith(prefix) and case[len(prefix)] in "./")


def _names(cases: Iterable[Selectable]) -> set[str]:
    """The names of cases, clauses and operations."""
    return {name for case in cases for name in (case.id, case.clause_id, case.operation_name)}


def _like(prefix: str, cases: Iterable[Selectable]) -> set[str]:
    """Ids of the same kind: of cases, or of clauses and of all clauses of a family; otherwise all names."""
    if "/" in prefix:
        return {case.id for case in cases}
    if "." not in prefix:
        return _names(cases)
    families = {f"{case.operation_name}.{family}" for case in cases for family in get_args(Family)}
    return families | {case.clause_id for case in cases}


def _unknown_words(expression: str, cases: Sequence[Selectable]) -> str:
    """A hint at each word of an expression that is in no id, with the most similar part of an id."""
    ids = {case.id.lower() for case in cases}
    unknown = [word for word in _words(expression) if not any(word in case for case in ids)]
    parts = {part for case in ids for name in _NAME.split(case) for part in (name, *_WORD.split(name))} | _names(cases)
    hints = [f"no id contains {word!r}{did_you_mean(word, parts)}" for word in unknown]
    return f"; {', '.join(hints)}" if hints else "; `conformance list cases -k WORD` lists those with one word"


def _words(expression: str) -> list[str]:
    return [token.lower() for token in _TOKEN.findall(expression) if token not in _OPERATORS]


def _suggestion(text: str, names: Iterable[str]) -> str:
    """A hint at a similar name."""
    return did_you_mean(text, names) or "; `conformance list cases` lists all cases"


def _anything(_: str) -> bool:
    return True

"""Facts are in fields: nothing is read back from an id, a message or the JSON form of an outcome."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import conformance
from conformance.data_folders import adapters_folder, data_folder

PACKAGE = Path(conformance.__file__).parent
SCRIPTS = PACKAGE / "reports" / "site" / "assets"

READS_JSON = ("outcomes/reply.py", "worker/", "results/file.py")
"""Where the JSON form of an outcome is what there is."""

TEXTS = {"id", "case", "clause", "explanation", "message", "says", "reason"}
"""Fields, and variables that hold one, whose text is for people or is only compared as a whole."""
NAMES = TEXTS | {f"{name}_id" for name in ("case", "clause", "target")}
TAKES_APART = {
    *("partition", "rpartition", "split", "rsplit", "splitlines", "startswith", "endswith"),
    *("removeprefix", "removesuffix", "find", "rfind", "index", "rindex"),
}
MATCHES = {"match", "search", "fullmatch", "findall", "finditer", "sub", "split"}
KEEPS = {"lower", "upper", "casefold", "strip", "lstrip", "rstrip", "replace"}
"""Methods that give nearly the same text."""

SHORTER = "A shorter label, below the clause or operation that is shown above it."
WRITTEN = "The id is what the user wrote in a case file, which has nothing else."
ALLOWED = {
    ("cases/selection.py", "case.startswith(prefix)"): "The user names cases by the beginning of their ids.",
    (
        "cases/selection.py",
        "_NAME.split(case)",
    ): "Words of ids, as a hint at a misspelled one.",
    (
        "specification/model.py",
        "case.startswith(now)",
    ): "A spec names renamed clauses and cases by the beginning of their ids.",
    ("specification/model.py", "case.removeprefix(now)"): "What follows it is the same in both ids.",
    ("cases/selection.py", "node.id[1:]"): "The identifier of a Python expression, no id of the suite.",
    ("known/model.py", "self._expression.match(case)"): "A ledger names cases by patterns of their ids.",
    (
        "cases/store/listing.py",
        "case.id.removeprefix(case.clause_id)",
    ): "What all cases of a clause begin with is written once, and put back.",
    ("export/backend_tests.py", "re.sub('[^a-z0-9]+', '_', variant.case.id.lower())"): "The id as a name of a folder.",
    ("outcomes/faults.py", "_BOUND.findall(error.message)"): "Only a framework's message has the number that it read.",
    ("judging/messages.py", "error.message.splitlines()"): "Lines of a framework's message are chosen to be shown.",
    ("repro/batch.py", "record.id.removeprefix(f'{clause.id}/')"): "The same id is made again, of clause and name.",
    ("specification/case_files.py", "clause.partition('.')"): WRITTEN,
    ("specification/case_files.py", "clause_id.partition('.')"): WRITTEN,
}
"""File and code, and the reason why no fact is read back there."""
ALLOWED_IN_SCRIPTS: dict[tuple[str, str], str] = {}


def _is_text(node: ast.expr) -> bool:
    """Whether an expression is an id or a message, or nearly one."""
    match node:
        case ast.Attribute(attr=name):
            return name in NAMES
        case ast.Name(id=name):
            return name in NAMES
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in KEEPS:
            return _is_text(value)
        case ast.Call(func=ast.Name(id="str" | "one_line" | "visible"), args=arguments):
            return any(map(_is_text, arguments))
        case ast.BoolOp(values=values):
            return any(map(_is_text, values))
    return False


def _takes_apart(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=method), args=arguments):
            matched = method in MATCHES and any(map(_is_text, arguments))
            collapses_spaces = method == "split" and not arguments
            return matched or (method in TAKES_APART and not collapses_spaces and _is_text(value))
        case ast.Compare(left=ast.Constant(value=str()) | ast.JoinedStr(), ops=[ast.In() | ast.NotIn()]):
            return _is_text(node.comparators[0])
        case ast.Subscript(value=ast.Attribute(attr="id" | "case" | "clause"), slice=ast.Slice()):
            return True
    return False


def _reads_outcome(node: ast.AST) -> bool:
    """``outcome["status"]``, ``outcomes[n]["status"]`` and ``result.outcome.get("status")``."""
    match node:
        case ast.Subscript(value=value, slice=ast.Constant(value=str())):
            return _is_outcome(value)
        case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[ast.Constant(value=str()), *_]):
            return _is_outcome(value)
    return False


def _is_outcome(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name == "outcome"
        case ast.Subscript(value=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name == "outcomes"
    return False


@cache
def _code() -> Sequence[tuple[str, ast.AST]]:
    """The nodes of each file of the package and of the adapters, which are inside the package only if it was installed."""
    installed = PACKAGE / "data"
    files = {path: PACKAGE for path in PACKAGE.rglob("*.py") if installed not in path.parents}
    files |= dict.fromkeys(adapters_folder().rglob("*.py"), data_folder())
    return [
        (path.relative_to(files[path]).as_posix(), node)
        for path in sorted(files)
        for node in ast.walk(ast.parse(path.read_text()))
    ]


def _taken_apart() -> dict[tuple[str, str], int]:
    return {(file, ast.unparse(node)): getattr(node, "lineno", 0) for file, node in _code() if _takes_apart(node)}


def test_no_id_and_no_message_is_taken_apart() -> None:
    found = _taken_apart()
    assert {place: line for place, line in found.items() if place not in ALLOWED} == {}


def test_what_is_allowed_is_still_there() -> None:
    assert ALLOWED.keys() - _taken_apart().keys() == set()


def test_no_outcome_is_read_by_key() -> None:
    found = [
        (file, ast.unparse(node)) for file, node in _code() if _reads_outcome(node) and not file.startswith(READS_JSON)
    ]
    assert found == []


SCRIPT = re.compile(
    r"\b(?:id|case|clause|explanation|reason|says|name)\s*(?:\?\.|\.)"
    r"(?:split|startsWith|endsWith|indexOf|lastIndexOf|includes|match|matchAll|replace|search|slice|substring|at)\([^\n]*"
)


def test_no_script_of_the_page_takes_an_id_apart() -> None:
    found = {
        (path.name, text.strip()) for path in sorted(SCRIPTS.glob("*.js")) for text in SCRIPT.findall(path.read_text())
    }
    assert found == ALLOWED_IN_SCRIPTS.keys()


@pytest.mark.parametrize(
    "code",
    [
        "result.case.partition('/')[0]",
        "str(result.explanation).startswith('right')",
        "(error.message or '').lower().split(':')",
        "re.match('a', one.id)",
        "PATTERN.search(result.explanation)",
        "'/draw.' in case.id",
        "f'{clause}/' not in case_id",
        "case.id[len(clause.id) :]",
    ],
)
def test_taking_a_text_apart_is_noticed(code: str) -> None:
    assert any(map(_takes_apart, ast.walk(ast.parse(code))))


@pytest.mark.parametrize(
    "code", ["result.case == case.id", "case.id in cases", "path.name.partition('.')", "' '.join(one.reason.split())"]
)
def test_using_a_text_as_a_whole_is_not(code: str) -> None:
    assert not any(map(_takes_apart, ast.walk(ast.parse(code))))


@pytest.mark.parametrize("code", ["result.outcome['status']", "outcomes[0]['status']", "outcome.get('error', {})"])
def test_reading_an_outcome_by_key_is_noticed(code: str) -> None:
    assert any(map(_reads_outcome, ast.walk(ast.parse(code))))

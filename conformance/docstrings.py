"""The docstrings of the fields of classes, from which schemas for editors and the page on the keys of specs are made."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from itertools import pairwise

from pydantic import BaseModel

_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")


def of_fields(model: type[BaseModel]) -> dict[str, str]:
    """By field of a model, the text behind it in the source of its class or of one that it inherits from, as Markdown."""
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if issubclass(each, BaseModel) and each is not BaseModel:
            [definition] = ast.parse(textwrap.dedent(inspect.getsource(each))).body
            assert isinstance(definition, ast.ClassDef)
            for field, text in pairwise(definition.body):
                match field, text:
                    case ast.AnnAssign(target=ast.Name(name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                        found[name] = markdown(docstring)
    return found


def of_class(model: type[BaseModel]) -> str:
    """The docstring of a model, as Markdown."""
    return markdown(model.__doc__ or "")


def markdown(docstring: str) -> str:
    """Paragraphs, each in one line; a link in a docstring is one of Markdown."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).replace("``", "`")


def plain(text: str) -> str:
    """Markdown without links, for a reader who cannot follow them."""
    return _LINK.sub(r"\1", text)

"""A YAML file against its format: one pass, every problem with its line and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from conformance.specification.problems import Lines, Path_, Problem, SpecError, nearest
from conformance.specification.yaml_file import read_yaml

File = TypeVar("File", bound=BaseModel)

RENAMED = {"like": "extends", "mend": "fix", "entails": "implies", "sums": "accumulates", "laws": "relations"}
"""Keys of specs by the names that they had before version 0.1."""
REPLACED = {
    "values": (
        "distinct",
        "the bounds of indices follow from into and along under arguments; write distinct: {ARGUMENT: true}, or an "
        "expression for true, where no duplicates are drawn",
    )
}
"""Keys that are no more, each with the one that stands where it stood, and what to do."""


def parse(path: Path, form: type[File]) -> tuple[File, Lines]:
    """The typed content of a file and its lines; SpecError with every problem found."""
    data, lines = read_yaml(path)
    try:
        return form.model_validate(data), lines
    except ValidationError as error:
        raise SpecError(_problem(detail, form, data, lines) for detail in error.errors()) from None


def _problem(detail: ErrorDetails, form: type[BaseModel], data: Any, lines: Lines) -> Problem:
    path = _existing(detail["loc"], data)
    where = ".".join(map(str, path)) or "the file"
    if detail["type"] == "extra_forbidden":
        key, allowed = str(path[-1]), _fields_at(form, path[:-1])
        message = f"unknown key {key!r} in {'.'.join(map(str, path[:-1])) or 'the file'}"
        if RENAMED.get(key) in allowed:
            return Problem(lines.place(path), f"{message}; it is called {RENAMED[key]!r} now")
        instead, what = REPLACED.get(key, ("", ""))
        return Problem(
            lines.place(path), f"{message}; {what}" if instead in allowed else message + nearest(key, allowed)
        )
    if detail["type"] == "missing":
        return Problem(lines.place(path), f"{where}: key {detail['loc'][-1]!r} is missing")
    found = repr(detail["input"])
    shortened = found if len(found) <= 80 else found[:77] + "..."
    message = detail["msg"][0].lower() + detail["msg"][1:]
    return Problem(lines.place(path), f"{where}: {message}; found {shortened}")


def _existing(location: tuple[int | str, ...], data: Any) -> Path_:
    """The part of a location that the file has: pydantic adds names of its own for unions and keys."""
    path: list[int | str] = []
    for step in location:
        if not isinstance(data, dict | list):
            break
        try:
            data = data[step]  # type: ignore[index] # a wrong kind of step is not there either
        except (LookupError, TypeError):
            continue
        path.append(step)
    return tuple(path)


def _fields_at(form: type[BaseModel], path: Path_) -> list[str]:
    """Keys that the mapping at a path may have."""
    current: Any = form
    for step in path:
        current = _child(current, step)
    return _keys(current)


def _child(current: Any, step: int | str) -> Any:
    if isinstance(current, type) and issubclass(current, BaseModel):
        for name, field in current.model_fields.items():
            if step in (name, field.alias):
                return field.annotation
        return None
    arguments = get_args(current)
    models = [one for one in arguments if isinstance(one, type) and issubclass(one, BaseModel)]
    return models[-1] if models else None


def _keys(current: Any) -> list[str]:
    if isinstance(current, type) and issubclass(current, BaseModel):
        return [field.alias or name for name, field in current.model_fields.items()]
    models = [one for one in get_args(current) if isinstance(one, type) and issubclass(one, BaseModel)]
    return _keys(models[0]) if models else []

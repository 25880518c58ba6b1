"""Validates a YAML file against its format and reports every problem with its line and the allowed values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from conformance.specification.problems import Lines, Path_, Problem, SpecError, nearest
from conformance.specification.yaml_file import read_sound_yaml

File = TypeVar("File", bound=BaseModel)

RENAMED = {"like": "extends", "mend": "fix", "entails": "implies", "sums": "accumulates", "laws": "relations"}
"""Old names of spec keys, used before version 0.1, and the new ones."""
REPLACED = {
    "values": (
        "distinct",
        "the bounds of indices follow from into and along under arguments; write distinct: {ARGUMENT: true}, or an "
        "expression instead of true, to draw no duplicates",
    )
}
"""Removed keys, each with its replacement and what to write instead."""


ENTRIES = frozenset(
    {
        *("examples", "rules", "behaviours", "relations", "keep", "break", "cases"),
        *("documents", "claims", "errata", "untestable"),
    }
)
"""Keys of mappings whose entries are independent: an invalid entry does not affect the others."""
_LAYOUT = frozenset({"axes", "layout", "values", "drawn"})
"""Keys that only have a meaning together."""


@dataclass(frozen=True)
class Parsed(Generic[File]):
    """The valid part of a file, and the problems of the rest."""

    content: File | None
    """None if the file as a whole is invalid."""
    lines: Lines
    problems: list[Problem]
    omitted: frozenset[Path_]
    """Paths of invalid parts, which are not in the content."""


def parse(path: Path, form: type[File]) -> tuple[File, Lines]:
    """The typed content of a file and its lines; SpecError with all problems."""
    parsed = parse_sound(path, form)
    if parsed.problems or parsed.content is None:
        raise SpecError(parsed.problems)
    return parsed.content, parsed.lines


def parse_sound(path: Path, form: type[File]) -> Parsed[File]:
    """The valid part of a file and the problems of the rest; SpecError if the file cannot be read."""
    data, lines, problems = read_sound_yaml(path)
    omitted: set[Path_] = set()
    unreadable = {problem.location for problem in problems}
    while True:
        try:
            content = form.model_validate(data, context="incomplete" if omitted else None)
        except ValidationError as error:
            details = error.errors()
            # Errors of a second pass are caused by what was omitted.
            if not omitted:
                more = [_problem(detail, form, data, lines) for detail in details]
                problems += [problem for problem in more if problem.location not in unreadable]
            invalid = {_to_omit(detail, _existing(detail["loc"], data)) for detail in details}
            omitted |= (removed := {path for path in invalid if path and _remove(data, path)})
            if None in invalid or not removed:
                return Parsed(None, lines, problems, frozenset())
        else:
            return Parsed(content, lines, problems, frozenset(omitted))


def _to_omit(detail: ErrorDetails, path: Path_) -> Path_ | None:
    """The path to omit so that the rest can be read: an unknown key, an entry or the layout; None for the whole file."""
    length = 0
    while length + 1 < len(path) and path[length] in ENTRIES:
        length += 2
    if detail["type"] == "extra_forbidden" and path and (not length or len(path) == length + 1):
        return path
    if length:
        return path[:length]
    return path[:1] if path and path[0] in _LAYOUT else None


def _remove(data: Any, path: Path_) -> bool:
    """Remove a path; whether it existed."""
    if path[0] in _LAYOUT:
        for key in _LAYOUT:
            data.pop(key, None)
        return True
    for step in path[:-1]:
        data = data.get(step) if isinstance(data, dict) else None
    return isinstance(data, dict) and data.pop(path[-1], data) is not data


def _problem(detail: ErrorDetails, form: type[BaseModel], data: Any, lines: Lines) -> Problem:
    path = _existing(detail["loc"], data)
    name = _name(path)
    if detail["type"] == "extra_forbidden":
        key, allowed = str(path[-1]), _fields_at(form, path[:-1])
        message = f"unknown key {key!r} in {_name(path[:-1])}"
        if RENAMED.get(key) in allowed:
            return Problem(lines.location(path), f"{message}; it is now called {RENAMED[key]!r}")
        replacement, advice = REPLACED.get(key, ("", ""))
        return Problem(
            lines.location(path), f"{message}; {advice}" if replacement in allowed else message + nearest(key, allowed)
        )
    if detail["type"] == "missing":
        return Problem(lines.location(path), f"{name}: key {detail['loc'][-1]!r} is missing")
    value = repr(detail["input"])
    shortened = value if len(value) <= 80 else value[:77] + "..."
    return Problem(lines.location(path), f"{name}: {_message(detail)}; found {shortened}")


def _name(path: Path_) -> str:
    return ".".join(map(str, path)) or "the file"


def _message(detail: ErrorDetails) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    message = detail["msg"][0].lower() + detail["msg"][1:]
    if detail["type"] == "string_type" and isinstance(detail["input"], dict):
        return f"{message}, in quotes if it has a colon or braces"
    return message


def _existing(location: tuple[int | str, ...], data: Any) -> Path_:
    """The steps of a pydantic location that exist in the data; pydantic adds its own for unions and keys."""
    path: list[int | str] = []
    for step in location:
        if not isinstance(data, dict | list):
            break
        try:
            data = data[step]  # type: ignore[index] # a step of the wrong type does not exist either
        except (LookupError, TypeError):
            continue
        path.append(step)
    return tuple(path)


def _fields_at(form: type[BaseModel], path: Path_) -> list[str]:
    """The allowed keys of the mapping at a path."""
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
    models = [part for part in arguments if isinstance(part, type) and issubclass(part, BaseModel)]
    return models[-1] if models else None


def _keys(current: Any) -> list[str]:
    if isinstance(current, type) and issubclass(current, BaseModel):
        return [field.alias or name for name, field in current.model_fields.items()]
    models = [part for part in get_args(current) if isinstance(part, type) and issubclass(part, BaseModel)]
    return _keys(models[0]) if models else []

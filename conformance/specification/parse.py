"""A YAML file against its format: one pass, every problem with its line and what is allowed."""

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
"""Keys of specs by the names that they had before version 0.1."""
REPLACED = {
    "values": (
        "distinct",
        "the bounds of indices follow from into and along under arguments; write distinct: {ARGUMENT: true}, or an "
        "expression for true, where no duplicates are drawn",
    )
}
"""Keys that are no more, each with the one that stands where it stood, and what to do."""


ENTRIES = frozenset(
    {"examples", "rules", "behaviours", "relations", "keep", "break", "cases", "documents", "claims", "errata"}
)
"""Keys of mappings whose entries stand for themselves: of one that is wrong the others can be read."""
_LAYOUT = frozenset({"axes", "layout", "values", "drawn"})
"""Keys that have a meaning together alone."""


@dataclass(frozen=True)
class Parsed(Generic[File]):
    """What of a file has the form that it should."""

    content: File | None
    """None where too little has."""
    lines: Lines
    problems: list[Problem]
    left_out: frozenset[Path_]
    """What has not, and is not part of the content."""


def parse(path: Path, form: type[File]) -> tuple[File, Lines]:
    """The typed content of a file and its lines; SpecError with every problem found."""
    parsed = parse_sound(path, form)
    if parsed.problems or parsed.content is None:
        raise SpecError(parsed.problems)
    return parsed.content, parsed.lines


def parse_sound(path: Path, form: type[File]) -> Parsed[File]:
    """As much of a file as has its form, and every problem of the rest; SpecError where the file cannot be read."""
    data, lines, problems = read_sound_yaml(path)
    left_out: set[Path_] = set()
    unreadable = {problem.location for problem in problems}
    while True:
        try:
            content = form.model_validate(data, context="the rest was left out" if left_out else None)
        except ValidationError as error:
            details = error.errors()
            # What is wrong in what is left is wrong because something was left out.
            if not left_out:
                more = [_problem(detail, form, data, lines) for detail in details]
                problems += [problem for problem in more if problem.location not in unreadable]
            wrong = {_to_leave_out(detail, _existing(detail["loc"], data)) for detail in details}
            left_out |= (removed := {at for at in wrong if at and _remove(data, at)})
            if None in wrong or not removed:
                return Parsed(None, lines, problems, frozenset())
        else:
            return Parsed(content, lines, problems, frozenset(left_out))


def _to_leave_out(detail: ErrorDetails, path: Path_) -> Path_ | None:
    """What to leave out so that the rest can be read: an unknown key, a named entry, the layout; None for the file."""
    length = 0
    while length + 1 < len(path) and path[length] in ENTRIES:
        length += 2
    if detail["type"] == "extra_forbidden" and path and (not length or len(path) == length + 1):
        return path
    if length:
        return path[:length]
    return path[:1] if path and path[0] in _LAYOUT else None


def _remove(data: Any, path: Path_) -> bool:
    """Whether something was there to be removed."""
    if path[0] in _LAYOUT:
        for key in _LAYOUT:
            data.pop(key, None)
        return True
    for step in path[:-1]:
        data = data.get(step) if isinstance(data, dict) else None
    return isinstance(data, dict) and data.pop(path[-1], data) is not data


def _problem(detail: ErrorDetails, form: type[BaseModel], data: Any, lines: Lines) -> Problem:
    path = _existing(detail["loc"], data)
    where = ".".join(map(str, path)) or "the file"
    if detail["type"] == "extra_forbidden":
        key, allowed = str(path[-1]), _fields_at(form, path[:-1])
        message = f"unknown key {key!r} in {'.'.join(map(str, path[:-1])) or 'the file'}"
        if RENAMED.get(key) in allowed:
            return Problem(lines.location(path), f"{message}; it is called {RENAMED[key]!r} now")
        instead, what = REPLACED.get(key, ("", ""))
        return Problem(
            lines.location(path), f"{message}; {what}" if instead in allowed else message + nearest(key, allowed)
        )
    if detail["type"] == "missing":
        return Problem(lines.location(path), f"{where}: key {detail['loc'][-1]!r} is missing")
    found = repr(detail["input"])
    shortened = found if len(found) <= 80 else found[:77] + "..."
    return Problem(lines.location(path), f"{where}: {_message(detail)}; found {shortened}")


def _message(detail: ErrorDetails) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    message = detail["msg"][0].lower() + detail["msg"][1:]
    if detail["type"] == "string_type" and isinstance(detail["input"], dict):
        return f"{message}, in quotes if it has a colon or braces"
    return message


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

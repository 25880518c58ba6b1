"""Validates a YAML file against its format and reports every problem with its line and the allowed values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from conformance.specification.file_format import PATTERNS
from conformance.specification.problems import Lines, Path_, Problem, SpecError, nearest
from conformance.specification.yaml_file import read_sound_yaml

File = TypeVar("File", bound=BaseModel)

ENTRIES = frozenset(
    {
        *("examples", "rules", "behaviours", "relations", "keep", "break", "cases"),
        *("documents", "claims", "errata", "untestable"),
    }
)
"""Keys of mappings whose entries are independent: an invalid entry does not affect the others."""
MOST_PROBLEMS = 100
"""The maximum number of problems of the form of a file that are described."""
_LAYOUT = frozenset({"axes", "layout", "drawn"})
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
                more = _first(_problems(details, form, data, lines), lines)
                problems += [problem for problem in more if problem.location not in unreadable]
            invalid = {_to_omit(detail, _existing(detail["loc"], data)) for detail in details}
            omitted |= (removed := {path for path in invalid if path and _remove(data, path)})
            if None in invalid or not removed:
                return Parsed(None, lines, problems, frozenset())
        else:
            return Parsed(content, lines, problems, frozenset(omitted))


def _first(problems: Iterator[Problem], lines: Lines) -> Iterator[Problem]:
    """The first of many problems, since each takes a while to describe."""
    yield from islice(problems, MOST_PROBLEMS)
    if next(problems, None) is not None:
        yield Problem(lines.location(()), "more problems of this file are not listed")


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


def _problems(details: Sequence[ErrorDetails], form: type[BaseModel], data: Any, lines: Lines) -> Iterator[Problem]:
    """A problem for each value: a value of a union fails in each member of it."""
    by_path: dict[Path_, list[ErrorDetails]] = {}
    for detail in details:
        by_path.setdefault(_existing(detail["loc"], data), []).append(detail)
    around = {path[:length] for path in by_path for length in range(len(path))}
    for path, of_value in by_path.items():
        unlike = [detail for detail in of_value if detail["type"] not in _OF_KEYS]
        # A mapping is not told to be text if it was taken for one of the union's mappings, with problems of its own.
        if (len(unlike) < len(of_value) or path in around) and isinstance(of_value[0]["input"], dict):
            unlike = [detail for detail in unlike if detail["type"] not in _WORDS]
        for detail in of_value:
            if detail["type"] in _OF_KEYS:
                yield _of_key(detail, path, form, lines)
        if unlike:
            yield Problem(lines.location(path), f"{_name(path)}: {_unlike(unlike, path, form)}")


_OF_KEYS = ("extra_forbidden", "missing")
"""Types of errors about the keys of a mapping."""


def _of_key(detail: ErrorDetails, path: Path_, form: type[BaseModel], lines: Lines) -> Problem:
    """The problem of a key that is missing or unknown."""
    if detail["type"] == "missing":
        return Problem(lines.location(path), f"{_name(path)}: key {detail['loc'][-1]!r} is missing")
    key = str(path[-1])
    hint = nearest(key, _fields_at(form, path[:-1]))
    return Problem(lines.location(path), f"unknown key {key!r} in {_name(path[:-1])}{hint}")


def _unlike(details: Sequence[ErrorDetails], path: Path_, form: type[BaseModel]) -> str:
    """What a value is not: of a union, all that it could be."""
    subject = details[0]["input"]
    value = repr(len(subject) if details[0]["type"] in ("too_short", "too_long") else subject)
    found = f"found {value if len(value) <= 80 else value[:77] + '...'}"
    expected = [_expected(detail, path, form) for detail in details]
    if any(words is None for words in expected):
        return f"{_message(details[0])}; {found}"
    *most, last = dict.fromkeys(word for words in expected if words is not None for word in words)
    alternatives = f"{', '.join(most)} or {last}" if most else last
    return f"expected {alternatives}{_advice(details[0])}; {found}"


_WORDS = {
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_too_short": "text that is not empty",
    "greater_than": "a number greater than {gt:g}",
    "greater_than_equal": "a number that is at least {ge}",
    "less_than_equal": "a number that is at most {le}",
    "too_short": "{min_length} or more entries",
    "too_long": "at most {max_length} entries",
}
"""By type of error, what was expected."""


def _expected(detail: ErrorDetails, path: Path_, form: type[BaseModel]) -> list[str] | None:
    """What a value could be; None if only the error's own message says it."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "model_type":
        keys = _fields_at(form, path)
        return [
            f"a mapping with the key {keys[0]}"
            if len(keys) == 1
            else f"a mapping with some of the keys {', '.join(keys)}"
        ]
    if kind == "literal_error":
        return [{"True": "true"}.get(word, word) for word in re.split(", | or ", context["expected"])]
    if kind == "string_pattern_mismatch":
        return [PATTERNS[context["pattern"]]] if context["pattern"] in PATTERNS else None
    return [_WORDS[kind].format(**context)] if kind in _WORDS else None


def _advice(detail: ErrorDetails) -> str:
    """What to write instead, if that is known."""
    value = detail["input"]
    if detail["type"] == "list_type" and isinstance(value, str | int | float):
        return f"; write [{value}]"
    if detail["type"] == "string_type" and isinstance(value, dict):
        return ", in quotes if it has a colon or braces"
    if detail["type"] == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        return ", which for a number needs quotes"
    if detail["type"] == "string_pattern_mismatch" and not re.search("[a-z][A-Z]", value):
        for joint in "-_":
            written = re.sub("[^a-z0-9]+", joint, value.lower()).strip(joint)
            if re.search(detail["ctx"]["pattern"], written):
                return f"; write {written}"
    return ""


def _name(path: Path_) -> str:
    return ".".join(map(str, path)) or "the file"


def _message(detail: ErrorDetails) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    return detail["msg"][0].lower() + detail["msg"][1:]


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
    """The type of a value in a value of this type; None if it has none there."""
    if isinstance(current, type) and issubclass(current, BaseModel):
        fields = current.model_fields.items()
        return next((field.annotation for name, field in fields if step in (name, field.alias)), None)
    arguments = get_args(current)
    if get_origin(current) in (dict, list):
        return arguments[-1]
    return next((child for part in arguments if (child := _child(part, step)) is not None), None)


def _keys(current: Any) -> list[str]:
    """The keys of the mappings with fixed keys among the members of a type."""
    if isinstance(current, type) and issubclass(current, BaseModel):
        return [field.alias or name for name, field in current.model_fields.items()]
    if get_origin(current) in (dict, list):
        return []
    return next((keys for part in get_args(current) if (keys := _keys(part))), [])

"""The variants.yaml beside an adapter: which names belong to the families that it maps, and why some of them are not mapped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from conformance.specification.parse import parse
from conformance.specification.problems import Location, Problem, SpecError, display_path

NAME = "variants.yaml"

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Excuse(_Part):
    reason: _Text
    names: list[_Text] = Field(min_length=1)


class VariantsFile(_Part):
    """The content of a variants.yaml."""

    words: list[_Text] = Field(min_length=1)
    reached: dict[str, list[_Text]] = {}
    excused: list[_Excuse] = []


@dataclass(frozen=True)
class Pattern:
    """A name; in place of ``{name}``, it may have any one identifier."""

    text: str
    location: Location

    def reads(self, name: str) -> str | None:
        """What stands in place of ``{name}``, empty if nothing does; None for another name."""
        expression = re.escape(self.text).replace(re.escape("{name}"), r"(?P<name>\w+)", 1)
        found = re.fullmatch(expression, name)
        return None if found is None else found.groupdict().get("name", "")


@dataclass(frozen=True)
class Reached:
    """Variants that calls of one of these APIs run."""

    pattern: Pattern
    apis: tuple[str, ...]

    def by(self, name: str) -> list[str]:
        """The APIs that reach a variant; empty for one that the pattern does not match."""
        part = self.pattern.reads(name)
        return [] if part is None else [api.replace("{name}", part) for api in self.apis]


@dataclass(frozen=True)
class Excused:
    """Variants that no API of the adapter is, and why."""

    pattern: Pattern
    reason: str


@dataclass(frozen=True)
class Variants:
    """What the file beside an adapter says."""

    file: Path
    words: tuple[str, ...]
    reached: tuple[Reached, ...]
    excused: tuple[Excused, ...]


@dataclass(frozen=True)
class Accounts:
    """What became of the variants that a framework has."""

    unmapped: Mapping[str, str]
    """By name the reason why it is not mapped."""
    new: tuple[str, ...]
    """Those that are neither mapped nor excused."""
    idle: tuple[Pattern, ...]
    """What the file says of names that the framework does not have, or that need no word."""


def variants_beside(adapter: Path) -> Variants | None:
    """What the file beside an adapter says, None if there is no such file; SpecError with all problems."""
    file = adapter.parent / NAME
    if not file.is_file():
        return None
    content, lines = parse(file, VariantsFile)
    return Variants(
        file,
        tuple(content.words),
        tuple(
            Reached(Pattern(name, lines.location(("reached", name))), tuple(apis))
            for name, apis in content.reached.items()
        ),
        tuple(
            Excused(Pattern(name, lines.location(("excused", number, "names", at))), excuse.reason)
            for number, excuse in enumerate(content.excused)
            for at, name in enumerate(excuse.names)
        ),
    )


def file_problems(adapter: Path) -> list[Problem]:
    """The problems of the form of the file beside an adapter, if it has one."""
    try:
        variants_beside(adapter)
    except SpecError as error:
        return error.problems
    return []


def accounts(said: Variants, found: Collection[str], mapped: Collection[str]) -> Accounts:
    """What became of the variants that were found. mapped: the names of the adapter's APIs."""
    covered = {form for api in mapped for form in _covers(api)}
    left = [name for name in found if name not in covered]
    reached = {name for name in left for each in said.reached if not covered.isdisjoint(each.by(name))}
    unmapped = {
        name: each.reason for name in left if name not in reached for each in said.excused if _is_of(each, name)
    }
    patterns = (*(each.pattern for each in said.excused), *(each.pattern for each in said.reached))
    used = {
        *(each.pattern for each in said.excused if any(_is_of(each, name) for name in unmapped)),
        *(each.pattern for each in said.reached if any(not covered.isdisjoint(each.by(name)) for name in left)),
    }
    new = tuple(name for name in left if name not in reached and name not in unmapped)
    return Accounts(unmapped, new, tuple(pattern for pattern in patterns if pattern not in used))


def variant_problems(said: Variants, accounted: Accounts, target: str) -> list[Problem]:
    """A problem for each variant that is neither mapped nor excused, and for each line about none."""
    start = Location(display_path(said.file))
    return [
        *(
            Problem(start, f"{name}: {target} has it, and the adapter neither maps it nor excuses it here")
            for name in accounted.new
        ),
        *(
            Problem(each.location, f"{each.text}: {target} has no such name that is not mapped; remove the line")
            for each in accounted.idle
        ),
    ]


def _is_of(excused: Excused, name: str) -> bool:
    return excused.pattern.reads(name) is not None


_CALLED = re.compile(r"(?P<name>.*?)\((?P<given>.*)\)")
_KEYWORD = re.compile(r"(\w+)=")


def _covers(api: str) -> Iterator[str]:
    """The names and keyword forms that an API is a call of."""
    yield api
    called = _CALLED.fullmatch(api)
    if called is not None:
        yield called["name"]
        yield from (f"{called['name']}({keyword}=)" for keyword in _KEYWORD.findall(called["given"]))

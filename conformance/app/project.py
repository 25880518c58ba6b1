"""The settings of a project: ``[tool.conformance]`` in the nearest pyproject.toml, as defaults of options."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.app.errors import ConformanceError
from conformance.app.options import DEFAULT_TARGETS, OPTIONS, QUICK_TARGETS, Option, check
from conformance.files import read_toml

FILE = "pyproject.toml"
_OPTIONS = {option.key: (name, option) for name, option in OPTIONS.items() if option.in_project}
"""By key, the field and the option that it sets."""
KEYS = (*_OPTIONS, "targets", "ledgers")


@dataclass(frozen=True)
class Project:
    """The settings; paths are relative to the file."""

    targets: tuple[str, ...] = ()
    """The targets to run if none is named."""
    ledgers: Mapping[str, Path] = field(default_factory=dict)
    """By target, a file of known divergences in addition to the one beside its adapter."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """By field of ``RunOptions``, what is set."""


def project(folder: Path | None = None) -> Project:
    """The settings of the project that a folder is in, by default the current one; ConformanceError if they are wrong.

    Folders above it belong to the project as long as they have the same owner: with ``specs``, a project names code to execute.
    """
    start = (folder or Path.cwd()).absolute()
    owner = start.stat().st_uid
    folders = itertools.takewhile(lambda path: path.stat().st_uid == owner, (start, *start.parents))
    # Also a link to nowhere, or what is no file: reading it says so, and no setting is left out in silence.
    file = next((path / FILE for path in folders if os.path.lexists(path / FILE)), None)
    if file is None:
        return Project()
    return _read(file)


def project_defaults() -> dict[str, Any]:
    """By command, the defaults of its options; of a group, by each of its commands."""
    defaults: dict[str, Any] = {}
    for name, value in project().options.items():
        for command in OPTIONS[name].in_project:
            of_command = defaults
            for word in command.split():
                of_command = of_command.setdefault(word, {})
            of_command[name] = value
    return defaults


def default_targets(*, quick: bool) -> tuple[str, ...]:
    """What is run if no target is named, by a quick run or any other."""
    return QUICK_TARGETS if quick else project().targets or DEFAULT_TARGETS


def _read(file: Path) -> Project:
    try:
        content = read_toml(file)
    except OSError as error:
        raise ConformanceError(f"{file}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ConformanceError(f"{file}: not TOML: {error}") from None
    tool = content.get("tool")
    table = tool.get("conformance", {}) if isinstance(tool, dict) else {}
    return _Table(file, table).project()


@dataclass(frozen=True)
class _Table:
    file: Path
    content: Any

    def project(self) -> Project:
        if not isinstance(self.content, dict):
            raise ConformanceError(f"{self.file}: tool.conformance is not a table")
        for key in self.content:
            if key not in KEYS:
                raise ConformanceError(f"{self.file}: tool.conformance.{key}: unknown key; allowed: {', '.join(KEYS)}")
        return Project(
            targets=tuple(self._target(text) for text in self._get("targets", list, "a list of strings", [])),
            ledgers={name: self._ledger(path) for name, path in self._get("ledgers", dict, "a table", {}).items()},
            options={
                name: self._value(name, option, self.content[key])
                for key, (name, option) in _OPTIONS.items()
                if key in self.content
            },
        )

    def _get(self, key: str, kind: type, words: str, default: Any) -> Any:
        value = self.content.get(key, default)
        if not isinstance(value, kind):
            raise ConformanceError(f"{self.file}: tool.conformance.{key} is {value!r}; expected {words}")
        return value

    def _value(self, name: str, option: Option, value: Any) -> Any:
        check(name, value, f"{self.file}: tool.conformance.{option.key} = {value!r}")
        return self.file.parent / self._name(value) if option.kind is Path else value

    def _name(self, text: str) -> str:
        if "\0" in text:
            raise ConformanceError(f"{self.file}: tool.conformance has the path {text!r}; a path has no null character")
        return text

    def _ledger(self, text: object) -> Path:
        path = self.file.parent / self._name(str(text))
        if not path.is_file():
            raise ConformanceError(f"{self.file}: tool.conformance.ledgers: {path} not found")
        return path

    def _target(self, text: object) -> str:
        """A target as on the command line; the path of an adapter relative to the file."""
        if not isinstance(text, str):
            raise ConformanceError(f"{self.file}: tool.conformance.targets: {text!r} is not a string")
        return str(self.file.parent / self._name(text)) if text.startswith(("./", "../")) else text

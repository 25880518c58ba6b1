"""The settings of a project: ``[tool.conformance]`` in the nearest pyproject.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from conformance.app.errors import ConformanceError
from conformance.app.options import DEFAULT_TARGETS

FILE = "pyproject.toml"
KEYS = ("specs", "targets", "ledgers", "draws", "fail-on", "at-least")
_WITH_SPECS = ("run", "list", "show", "repro", "matrix")
_WITH_DRAWS = ("run", "matrix")
_WITH_FAIL_ON = ("run", "matrix", "diff")


@dataclass(frozen=True)
class Project:
    """The settings; paths are relative to the file."""

    specs: Path | None = None
    targets: tuple[str, ...] = ()
    """The targets to run if none is named."""
    ledgers: Mapping[str, Path] = field(default_factory=dict)
    """By target, a file of known divergences in addition to the one beside its adapter."""
    draws: int | None = None
    fail_on: str | None = None
    at_least: int | None = None


def project(folder: Path | None = None) -> Project:
    """The settings of the project that a folder is in, by default the current one; ConformanceError if they are wrong."""
    start = (folder or Path.cwd()).absolute()
    file = next((path / FILE for path in (start, *start.parents) if (path / FILE).is_file()), None)
    if file is None:
        return Project()
    return _read(file)


def _read(file: Path) -> Project:
    import tomllib

    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Project()  # other tools report it
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
        ledgers = self._get("ledgers", dict, {})
        return Project(
            specs=self._path(self._get("specs", str, None)),
            targets=tuple(self._target(text) for text in self._get("targets", list, [])),
            ledgers={name: self._ledger(path) for name, path in ledgers.items()},
            draws=self._get("draws", int, None),
            fail_on=self._fail_on(self._get("fail-on", str, None)),
            at_least=self._get("at-least", int, None),
        )

    def _get(self, key: str, kind: type, default: Any) -> Any:
        value = self.content.get(key, default)
        if value is not default and (not isinstance(value, kind) or isinstance(value, bool)):
            names = {str: "a string", list: "a list of strings", int: "a number", dict: "a table"}
            raise ConformanceError(f"{self.file}: tool.conformance.{key} is {value!r}; expected {names[kind]}")
        return value

    def _fail_on(self, value: str | None) -> str | None:
        from conformance.results.exit_status import FailOn

        if value is not None and value not in get_args(FailOn):
            allowed = ", ".join(get_args(FailOn))
            raise ConformanceError(f"{self.file}: tool.conformance.fail-on is {value!r}; allowed: {allowed}")
        return value

    def _path(self, text: Any) -> Path | None:
        return None if text is None else self.file.parent / text

    def _ledger(self, text: object) -> Path:
        path = self.file.parent / str(text)
        if not path.is_file():
            raise ConformanceError(f"{self.file}: tool.conformance.ledgers: {path} not found")
        return path

    def _target(self, text: object) -> str:
        """A target as on the command line; the path of an adapter relative to the file."""
        if not isinstance(text, str):
            raise ConformanceError(f"{self.file}: tool.conformance.targets: {text!r} is not a string")
        return str(self.file.parent / text) if text.startswith(("./", "../")) else text


def project_defaults() -> dict[str, dict[str, Any]]:
    """By command, the defaults of its options."""
    settings = project()
    values = [
        ("specs", settings.specs, _WITH_SPECS),
        ("draws", settings.draws, _WITH_DRAWS),
        ("fail_on", settings.fail_on, _WITH_FAIL_ON),
        ("at_least", settings.at_least, ("run",)),
    ]
    defaults: dict[str, dict[str, Any]] = {}
    for option, value, commands in values:
        for command in commands if value is not None else ():
            defaults.setdefault(command, {})[option] = value
    return defaults


def default_targets() -> tuple[str, ...]:
    """What is run if no target is named."""
    return project().targets or DEFAULT_TARGETS

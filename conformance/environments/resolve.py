"""Resolve the target names of a command line without starting a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.environments.definition import Definition, load_definition
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.name import TargetName, exact_version, parse_target
from conformance.environments.name_checks import (
    FILE_DEVICE,
    FILE_MODE,
    check_adapter_file,
    check_device,
    check_mode,
    framework_of,
)
from conformance.environments.recipe import recipe_for
from conformance.environments.target_toml import FILE_NAME
from conformance.version import __version__


@dataclass(frozen=True)
class Target:
    """An implementation to test, as requested."""

    asked: str
    name: str
    """The framework, or the path of the user's adapter file as written."""
    framework: str
    """The adapter's folder in adapters/, or the stem of a user's adapter file."""
    title: str
    adapter: Path
    definition: Definition | None = field(compare=False, repr=False)
    """None for a user's adapter file without a target.toml beside it."""
    specifier: SpecifierSet | None
    """The accepted versions: as requested, or the tested default; None accepts any version."""
    mode: str
    device: str
    gpu: bool
    is_file: bool = False
    """Whether it is a user's adapter file."""
    interpreter: Path | None = None
    """The user's Python; None for an environment of the target's own."""
    is_here: bool = False
    """Whether that is the interpreter of the command, by ``--here``."""

    @property
    def file(self) -> str | None:
        """The path of the user's adapter file, or of a target.toml, as written; None for a framework."""
        return self.name if self.is_file else None

    @property
    def device_kind(self) -> str:
        """The device without its number."""
        return self.device.partition(":")[0]


def resolve(
    names: Sequence[str],
    definitions: Mapping[str, Definition],
    *,
    python: Path | None = None,
    here: bool = False,
) -> list[Target]:
    """Return the targets for names, in order and without duplicates; raise TargetError for the first invalid name.

    python, here: the interpreter for all targets, instead of an environment for each.
    """
    interpreter = chosen_interpreter(python, here=here)
    targets: dict[object, Target] = {}
    for text in names:
        target = replace(_target(text, definitions, interpreter), is_here=here)
        targets.setdefault((target.adapter, target.framework, target.specifier, target.mode, target.device), target)
    return list(targets.values())


def canonical_id(target: Target, version: str | None) -> str:
    """Return a target's name with its actual version, such as ``torch==2.13.0[compile]@cuda:0``.

    A local version such as +cpu is included only if it was requested, and a mode only if it is not the default.
    """
    specifier = "" if target.is_file or version is None else f"=={_public(target, version)}"
    default = target.definition.default_mode if target.definition else FILE_MODE
    mode = "" if target.mode == default else f"[{target.mode}]"
    return f"{target.name}{specifier}{mode}@{target.device}"


def check_version(target: Target, version: str) -> None:
    """Raise TargetBlocked if the installed version is not the requested one."""
    if target.specifier is None or _contains(target.specifier, version):
        return
    if target.is_file and target.definition is not None and target.definition.package is None:
        return  # the user's file has a version of its own, not the suite's
    location = f" in {target.interpreter}" if target.interpreter else ""
    raise TargetBlocked(
        f"{target.asked}: installed version{location} is {version}, which does not match {target.specifier}; "
        f"request {version} or no version"
    )


def _contains(specifier: SpecifierSet, version: str) -> bool:
    try:
        return specifier.contains(version, prereleases=True)
    except InvalidVersion:
        return False


def _public(target: Target, version: str) -> str:
    try:
        parsed = Version(version)
    except InvalidVersion:
        return version
    requested = exact_version(target.specifier) if target.specifier is not None else None
    return str(parsed) if requested and "+" in requested else parsed.public


def chosen_interpreter(python: Path | None, *, here: bool) -> Path | None:
    """Return the interpreter that the options select, or None; raise TargetError if it does not exist."""
    if here and python is not None:
        raise TargetError("--here and --python cannot be combined")
    if here:
        return Path(sys.executable)
    if python is None:
        return None
    path = python.expanduser().absolute()
    if path.is_dir():
        inside = path / "bin" / "python"
        hint = f", such as {inside}" if inside.exists() else ""
        raise TargetError(f"--python {python}: is a folder; expected a Python interpreter{hint}")
    if not path.exists():
        raise TargetError(f"--python {python}: file not found; expected a Python interpreter")
    if not os.access(path, os.X_OK):
        raise TargetError(
            f"--python {python}: not a Python interpreter, since it cannot be executed; expected one such as "
            f"{sys.executable}"
        )
    return path


def _target(text: str, definitions: Mapping[str, Definition], interpreter: Path | None) -> Target:
    name = parse_target(text)
    if name.path is not None:
        definition = _definition_beside(name.path)
        adapter, framework = name.path.expanduser().absolute(), name.path.stem
        if definition is not None and name.path.name == FILE_NAME:
            adapter, framework = definition.adapter, definition.name
    else:
        definition = framework_of(name, definitions)
        adapter, framework = definition.adapter, definition.name
        if not adapter.is_file():
            raise TargetError(f"{text}: adapter {adapter} is missing")
    target = Target(
        asked=text,
        name=name.name,
        framework=framework,
        title=definition.title if definition else framework,
        adapter=adapter,
        definition=definition,
        specifier=_specifier(text, name, definition, interpreter),
        mode=_mode(text, name, definition),
        device=name.device or (definition.default_device if definition else FILE_DEVICE),
        gpu=_gpu(text, name, definition),
        is_file=name.path is not None,
        interpreter=interpreter,
    )
    _check_installable(target)
    return target


def _definition_beside(path: Path) -> Definition | None:
    check_adapter_file(path)
    beside = path.expanduser().absolute().parent / FILE_NAME
    name = None if path.name == FILE_NAME else path.stem
    return load_definition(beside, name) if beside.is_file() else None


def _specifier(
    text: str, name: TargetName, definition: Definition | None, interpreter: Path | None
) -> SpecifierSet | None:
    if definition is None:
        return None
    if definition.package is None:
        if name.specifier is not None and not name.specifier.contains(__version__, prereleases=True):
            raise TargetError(
                f"{text}: {definition.title} is part of this suite; its version is the suite's, {__version__}"
            )
        return SpecifierSet(f"=={__version__}")
    if name.specifier is not None or interpreter is not None:
        return name.specifier
    return SpecifierSet(f"=={definition.tested}")


def _mode(text: str, name: TargetName, definition: Definition | None) -> str:
    check_mode(text, name, definition)
    return name.mode or (definition.default_mode if definition else FILE_MODE)


def _gpu(text: str, name: TargetName, definition: Definition | None) -> bool:
    check_device(text, name, definition)
    kind = (name.device or (definition.default_device if definition else FILE_DEVICE)).partition(":")[0]
    return definition.devices[kind].gpu if definition else kind != FILE_DEVICE


def _check_installable(target: Target) -> None:
    """Raise TargetError early if target.toml does not cover an exact version."""
    if target.definition is None or target.specifier is None or target.interpreter is not None:
        return
    version = exact_version(target.specifier)
    if version is not None:
        recipe_for(target.definition, version, target.device_kind, target.mode, own=target.is_file)

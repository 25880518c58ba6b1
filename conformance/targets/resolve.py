"""From the names of a command line to targets, as far as it can be decided without starting a process."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance import __version__
from conformance.specification.problems import closest, did_you_mean
from conformance.targets.definition import FILE_NAME, Definition, load_definition
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.name import TargetName, exact_version, parse_target
from conformance.targets.recipe import recipe_for

_FILE_DEVICE = "cpu"
_FILE_MODE = "eager"


@dataclass(frozen=True)
class Target:
    """One implementation to test, as it was asked for."""

    asked: str
    name: str
    """The framework, or the path of the user's adapter file as it was written."""
    framework: str
    """The adapter's folder in adapters/, or the stem of a user's adapter file."""
    title: str
    adapter: Path
    definition: Definition | None = field(compare=False, repr=False)
    """None for a user's adapter file that has no target.toml beside it."""
    specifier: SpecifierSet | None
    """The versions that will do: as asked, else the tested default; None where nothing was asked for."""
    mode: str
    device: str
    gpu: bool
    is_file: bool = False
    """Whether it is a user's adapter file rather than one of the suite's frameworks."""
    interpreter: Path | None = None
    """A Python of the user's; None for an environment of the target's own."""

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
    """Turn names into targets, in their order; TargetError for the first that cannot be one.

    A name that means the same as an earlier one is dropped: testing it twice would tell nothing new.
    python, here: the interpreter for all of them, instead of an environment for each.
    """
    interpreter = chosen_interpreter(python, here=here)
    targets: dict[object, Target] = {}
    for text in names:
        target = _target(text, definitions, interpreter)
        targets.setdefault((target.adapter, target.specifier, target.mode, target.device), target)
    return list(targets.values())


def canonical_id(target: Target, version: str | None) -> str:
    """Write a target with the version it turned out to have, as ``torch==2.13.0[compile]@cuda:0``.

    A local version such as +cpu shows only where it was asked for, a mode only where it is not the default.
    """
    shown = "" if target.is_file or version is None else f"=={_public(target, version)}"
    default = target.definition.default_mode if target.definition else _FILE_MODE
    mode = "" if target.mode == default else f"[{target.mode}]"
    return f"{target.name}{shown}{mode}@{target.device}"


def check_version(target: Target, version: str) -> None:
    """Raise TargetBlocked where the version that was found is not one that was asked for."""
    if target.specifier is None or target.specifier.contains(version, prereleases=True):
        return
    if target.is_file and target.definition is not None and target.definition.package is None:
        return  # a file of the user's with a version of its own, not the suite's
    where = f" in {target.interpreter}" if target.interpreter else ""
    raise TargetBlocked(
        f"{target.asked}: the version{where} is {version}, which is not {target.specifier}; "
        "ask for that version, or for none"
    )


def _public(target: Target, version: str) -> str:
    try:
        parsed = Version(version)
    except InvalidVersion:
        return version
    asked = exact_version(target.specifier) if target.specifier is not None else None
    return str(parsed) if asked and "+" in asked else parsed.public


def chosen_interpreter(python: Path | None, *, here: bool) -> Path | None:
    """Check the interpreter that a command line names; None where it names none. TargetError where it is none."""
    if here and python is not None:
        raise TargetError("--here and --python exclude each other: give one of the two")
    if here:
        return Path(sys.executable)
    if python is None:
        return None
    path = python.expanduser().absolute()
    if path.is_dir():
        inside = path / "bin" / "python"
        hint = f"; name the interpreter in it: {inside}" if inside.exists() else ""
        raise TargetError(f"--python {python}: that is a folder, where a Python interpreter belongs{hint}")
    if not path.exists():
        raise TargetError(f"--python {python}: there is no such file; name a Python interpreter")
    return path


def _target(text: str, definitions: Mapping[str, Definition], interpreter: Path | None) -> Target:
    name = parse_target(text)
    if name.path is not None:
        definition = _definition_beside(name.path)
        adapter, framework = name.path.expanduser().absolute(), name.path.stem
    else:
        definition = _known(name, definitions)
        adapter, framework = definition.adapter, definition.name
        if not adapter.is_file():
            raise TargetError(f"{text}: {adapter} is missing, which maps {definition.title}'s APIs")
    target = Target(
        asked=text,
        name=name.name,
        framework=framework,
        title=definition.title if definition else framework,
        adapter=adapter,
        definition=definition,
        specifier=_specifier(text, name, definition, interpreter),
        mode=_mode(text, name, definition),
        device=name.device or (definition.default_device if definition else _FILE_DEVICE),
        gpu=_gpu(text, name, definition),
        is_file=name.path is not None,
        interpreter=interpreter,
    )
    _check_installable(target)
    return target


def _definition_beside(path: Path) -> Definition | None:
    if not path.expanduser().is_file():
        what = "a folder" if path.expanduser().is_dir() else "no such file"
        raise TargetError(f"{path}: {what}, where the path of an adapter file (such as ./mine.py) belongs")
    beside = path.expanduser().absolute().parent / FILE_NAME
    return load_definition(beside, path.stem) if beside.is_file() else None


def _known(name: TargetName, definitions: Mapping[str, Definition]) -> Definition:
    if name.name in definitions:
        return definitions[name.name]
    spellings = {each.title.lower(): key for key, each in definitions.items()} | {key: key for key in definitions}
    meant = closest(name.name.lower(), spellings)
    hint = f"; did you mean {spellings[meant]!r}?" if meant else "."
    raise TargetError(
        f"there is no framework {name.name!r}{hint} Known are {', '.join(sorted(definitions))}; "
        f"an adapter file of your own is named by its path, such as ./{name.name}.py"
    )


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
    if definition is None:
        return name.mode or _FILE_MODE
    if name.mode is not None and name.mode not in definition.modes:
        raise TargetError(_lacks(text, definition, "mode", name.mode, definition.modes))
    return name.mode or definition.default_mode


def _gpu(text: str, name: TargetName, definition: Definition | None) -> bool:
    if definition is None:
        return name.device is not None and name.device.partition(":")[0] != _FILE_DEVICE
    kind = (name.device or definition.default_device).partition(":")[0]
    if kind not in definition.devices:
        raise TargetError(_lacks(text, definition, "device", kind, definition.devices))
    return definition.devices[kind].gpu


def _lacks(text: str, definition: Definition, what: str, found: str, known: Iterable[str]) -> str:
    listed = list(known)
    hint = did_you_mean(found, listed) or "."
    where = definition.folder / FILE_NAME
    return f"{text}: {definition.title} has no {what} {found!r}{hint} {where} lists {', '.join(listed)}"


def _check_installable(target: Target) -> None:
    """Find out now, not after minutes, that target.toml has no way to install an exact version."""
    if target.definition is None or target.specifier is None or target.interpreter is not None:
        return
    version = exact_version(target.specifier)
    if version is not None:
        recipe_for(target.definition, version, target.device_kind, own=target.is_file)

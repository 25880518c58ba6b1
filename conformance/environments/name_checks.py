"""The names in a ``target.toml``, read without checking the rest, so that a misspelled target is rejected at once."""

from __future__ import annotations

import symtable
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from conformance.environments.errors import TargetError
from conformance.environments.name import TargetName, parse_target
from conformance.environments.target_toml import FILE_NAME, ExtendsError, read_target_toml
from conformance.specification.problems import closest, did_you_mean

FILE_DEVICE = "cpu"
"""The device of an adapter file without a target.toml beside it."""
FILE_MODE = "eager"
"""The mode of an adapter file without a target.toml beside it."""
_MODE_HOOKS = ("setup", "prepare")
"""The functions of an adapter that get the mode."""

_USUAL_NAMES = {"gpu": "cuda"}
"""Other names of a device, with the one that most people mean."""


class Named(Protocol):
    """The names that a target.toml defines."""

    @property
    def title(self) -> str: ...
    @property
    def devices(self) -> Collection[str]: ...
    @property
    def modes(self) -> Collection[str]: ...


AnyNamed = TypeVar("AnyNamed", bound=Named)


@dataclass(frozen=True)
class Outline:
    """The names in a target.toml."""

    title: str
    devices: Sequence[str]
    modes: Sequence[str]


def read_outline(path: Path) -> Outline | None:
    """The outline of one file; None if it cannot be read, which ``load_definition`` reports."""
    try:
        content = read_target_toml(path)
        return Outline(str(content["title"]), list(content["devices"]), list(content["modes"]))
    except (OSError, ValueError, KeyError, TypeError, ExtendsError):
        return None


def check_names(text: str, frameworks: Mapping[str, Named]) -> None:
    """Raise TargetError if a target names a framework, an adapter file, a mode or a device that does not exist."""
    name = parse_target(text)
    if name.path is None:
        outline: Named | None = framework_of(name, frameworks)
    else:
        check_adapter_file(name.path)
        beside = name.path.expanduser().absolute().parent / FILE_NAME
        if beside.is_file() and read_outline(beside) is None:
            return  # ``load_definition`` says why
        outline = read_outline(beside)
    check_mode(text, name, outline)
    check_device(text, name, outline)


def framework_of(name: TargetName, frameworks: Mapping[str, AnyNamed]) -> AnyNamed:
    """The framework of a target; TargetError if there is none of this name."""
    if name.name in frameworks:
        return frameworks[name.name]
    titles = {named.title.lower(): key for key, named in frameworks.items()}
    spellings = titles | {key: key for key in frameworks}
    spelling = closest(name.name.lower(), spellings, 0.7)
    suggestion = f"./{name.name}.py" if Path(f"{name.name}.py").is_file() else spellings[spelling] if spelling else None
    hint = f"; did you mean {suggestion!r}?" if suggestion else "."
    raise TargetError(
        f"unknown framework {name.name!r}{hint} Available frameworks: {', '.join(sorted(frameworks))}. "
        "To use your own adapter, give its path, such as ./mine.py"
    )


def check_adapter_file(path: Path) -> None:
    """Raise TargetError if there is no such file."""
    if not path.expanduser().is_file():
        problem = "is a folder; expected an adapter file" if path.expanduser().is_dir() else "adapter file not found"
        raise TargetError(f"{path}: {problem}")


def check_mode(text: str, name: TargetName, outline: Named | None) -> None:
    """Raise TargetError for an unknown mode, or one that an adapter file without a target.toml would ignore."""
    if name.mode is None:
        return
    if outline is not None and name.mode not in outline.modes:
        raise TargetError(_unknown(text, outline.title, "mode", name.mode, outline.modes))
    if (
        outline is None
        and name.mode != FILE_MODE
        and name.path is not None
        and not _binds(name.path.expanduser(), *_MODE_HOOKS)
    ):
        raise TargetError(
            f"{text}: {name.path} has neither setup(device, mode) nor prepare(function, mode), so it cannot be run in "
            f"mode {name.mode!r}; define one of them, or remove [{name.mode}]"
        )


def check_device(text: str, name: TargetName, outline: Named | None) -> None:
    """Raise TargetError for a device that the target.toml does not list, or one that an adapter file cannot select."""
    kind = name.device.partition(":")[0] if name.device is not None else None
    cannot_select = outline is None and kind not in (None, FILE_DEVICE)
    if cannot_select and name.path is not None and not _binds(name.path.expanduser(), "setup"):
        raise TargetError(
            f"{text}: {name.path} has no setup(device, mode), so it can only be run on {FILE_DEVICE}, not on {kind!r}; "
            f"define it, or remove @{name.device}"
        )
    if outline is not None and kind is not None and kind not in outline.devices:
        raise TargetError(_unknown(text, outline.title, "device", kind, outline.devices))


def _binds(adapter: Path, *names: str) -> bool:
    """Whether an adapter defines or imports one of these functions, as far as its source can be read."""
    try:
        table = symtable.symtable(adapter.read_text(encoding="utf-8"), str(adapter), "exec")
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # starting it says what is wrong
    bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    return bool(bound.intersection(names))


def _unknown(text: str, title: str, kind: str, name: str, available: Collection[str]) -> str:
    usual = _USUAL_NAMES.get(name)
    hint = f"; did you mean {usual!r}?" if usual in available else did_you_mean(name, available)
    return f"{text}: {title} has no {kind} {name!r} (available: {', '.join(available)}){hint}"

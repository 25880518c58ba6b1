"""The grammar of a target's name: ``NAME[SPECIFIER][[MODE]][@DEVICE]``, split from the right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.environments.errors import TargetError

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?::[0-9]+)?")
_OPERATOR = re.compile(r"[=<>!~]")
_VERSIONED_PATH = re.compile(r".*\.py(?:\[.*\])?\s*([=<>!~][^/\\]*)")
_VERSION = re.compile(r"v?[0-9][0-9A-Za-z.+]*")

_GRAMMAR = (
    "A target is the name of a framework or the path of an adapter file (with a / or ending in .py), followed by an "
    "optional version specifier such as ==2.13.0 (not after a path), an optional mode in brackets and an optional "
    '@DEVICE. Example, quoted for the shell: "torch==2.13.0[compile]@cuda:0"'
)


class TargetNameError(TargetError):
    """An invalid target name; the message says what is wrong and describes the grammar."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(f"{text!r} is not a target name: {problem}{'' if problem.endswith('?') else '.'} {_GRAMMAR}")


@dataclass(frozen=True)
class TargetName:
    """A parsed target name; omitted parts are None."""

    name: str
    specifier: SpecifierSet | None = None
    mode: str | None = None
    device: str | None = None
    path: Path | None = None
    """Set if ``name`` is the path of an adapter file."""


def parse_target(text: str) -> TargetName:
    """Split a target name into its parts; raise TargetNameError if it is invalid."""
    rest = text.strip()
    if not rest:
        raise TargetNameError(text, "empty")
    if not rest.isprintable():
        raise TargetNameError(text, "contains a control character")
    rest, device = _split_device(text, rest)
    if _is_path(rest) or rest.endswith("]"):
        rest, mode = _split_mode(text, rest)
    else:
        rest, mode = _split_inner_mode(text, rest)
    if _is_path(rest):
        _refuse_version(text, rest)
        return TargetName(rest, None, mode, device, Path(rest))
    name, specifier = _split_specifier(text, rest)
    return TargetName(name, specifier, mode, device)


def is_version(text: str) -> bool:
    """Whether a word is a version, such as 2.13.0, which belongs to the name before it."""
    return bool(_VERSION.fullmatch(text)) and not _is_path(text)


def exact_version(specifier: SpecifierSet) -> str | None:
    """Return the version that a specifier pins, or None if it is a range."""
    clauses = list(specifier)
    if len(clauses) != 1 or clauses[0].operator not in ("==", "==="):
        return None
    try:
        return str(Version(clauses[0].version))
    except InvalidVersion:
        return None


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.endswith((".py", ".toml"))


def _split_device(text: str, rest: str) -> tuple[str, str | None]:
    before, at, after = rest.rpartition("@")
    if not at:
        return rest, None
    before, device = before.rstrip(), after.strip()
    if _DEVICE.fullmatch(device):
        return before, device
    if _is_path(rest):
        return rest, None  # the @ is part of the path
    if not device:
        raise TargetNameError(text, "nothing follows the @")
    if _VERSION.fullmatch(device):
        raise TargetNameError(text, f"not a device: {device}; write a version as {before}=={device}")
    raise TargetNameError(text, f"not a device: {device!r} (expected for example cpu, cuda or cuda:1)")


def _split_mode(text: str, rest: str) -> tuple[str, str | None]:
    if not rest.endswith("]"):
        return rest, None
    before, bracket, mode = rest[:-1].rpartition("[")
    if not bracket:
        raise TargetNameError(text, "unbalanced ]")
    return before.rstrip(), _mode(text, mode)


def _split_inner_mode(text: str, rest: str) -> tuple[str, str | None]:
    """Split off a mode in pip's position, ``torch[compile]==2.13.0``."""
    before, bracket, after = rest.partition("[")
    if not bracket:
        return rest, None
    mode, closing, specifier = after.partition("]")
    if not closing:
        raise TargetNameError(text, "unbalanced [")
    return before.rstrip() + specifier, _mode(text, mode)


def _mode(text: str, mode: str) -> str:
    mode = mode.strip()
    if not mode:
        raise TargetNameError(text, "empty brackets; expected a mode")
    if "," in mode:
        raise TargetNameError(text, f"several modes: {mode!r}; a target has only one")
    if not _WORD.fullmatch(mode):
        raise TargetNameError(text, f"not a mode: {mode!r} (expected for example compile or graph)")
    return mode


def _refuse_version(text: str, path: str) -> None:
    versioned = _VERSIONED_PATH.fullmatch(path)
    if versioned:
        raise TargetNameError(text, f"an adapter file has no version; remove {versioned[1]!r}")


def _split_specifier(text: str, rest: str) -> tuple[str, SpecifierSet | None]:
    operator = _OPERATOR.search(rest)
    name = (rest[: operator.start()] if operator else rest).strip()
    specifier = rest[operator.start() :].strip() if operator else ""
    if name.endswith(".py"):
        _refuse_version(text, rest)
    if "[" in rest or "]" in rest:
        raise TargetNameError(text, "unbalanced or repeated brackets")
    if not name:
        raise TargetNameError(text, "no name")
    if not _NAME.fullmatch(name):
        raise TargetNameError(text, f"invalid name {name!r}; use letters and digits, with . _ - between them")
    return name, _specifier(text, name, specifier) if specifier else None


def _specifier(text: str, name: str, specifier: str) -> SpecifierSet:
    try:
        return SpecifierSet(specifier)
    except InvalidSpecifier:
        version = specifier.lstrip("=")
        hint = f"; did you mean {name}=={version}?" if _VERSION.fullmatch(version) and specifier[0] == "=" else ""
        raise TargetNameError(text, f"invalid version specifier {specifier!r}{hint}") from None

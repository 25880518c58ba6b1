"""The grammar of a target's name: ``NAME[SPECIFIER][[MODE]][@DEVICE]``, split from the right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.targets.errors import TargetError

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?::[0-9]+)?")
_OPERATOR = re.compile(r"[=<>!~]")
_VERSIONED_PATH = re.compile(r".*\.py(?:\[.*\])?\s*([=<>!~][^/\\]*)")
_VERSION = re.compile(r"v?[0-9][0-9A-Za-z.+]*")

_GRAMMAR = (
    "A target is a framework's name or the path of an adapter file (it contains a / or ends in .py), then, "
    "each optional and in this order: a version specifier such as ==2.13.0 (not after a path), a mode in "
    "brackets, and a device after @. Example, quoted because the shell reads brackets and > itself: "
    '"torch==2.13.0[compile]@cuda:0"'
)


class TargetNameError(TargetError):
    """A text that is no target name; the message says what was found and what a target name is."""

    def __init__(self, text: str, found: str) -> None:
        super().__init__(f"{text!r} is not a target name: {found}. {_GRAMMAR}")


@dataclass(frozen=True)
class TargetName:
    """A parsed target name; what was left out is None."""

    name: str
    specifier: SpecifierSet | None = None
    mode: str | None = None
    device: str | None = None
    path: Path | None = None
    """Where ``name`` is the path of an adapter file."""


def parse_target(text: str) -> TargetName:
    """Split a target's name, as a user types it, into its parts; TargetNameError where it does not parse."""
    rest = text.strip()
    if not rest:
        raise TargetNameError(text, "it is empty")
    if not rest.isprintable():
        raise TargetNameError(text, "it contains a control character")
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


def exact_version(specifier: SpecifierSet) -> str | None:
    """Return the one version that a specifier names; None where it is a range."""
    clauses = list(specifier)
    if len(clauses) != 1 or clauses[0].operator not in ("==", "==="):
        return None
    try:
        return str(Version(clauses[0].version))
    except InvalidVersion:
        return None


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.endswith(".py")


def _split_device(text: str, rest: str) -> tuple[str, str | None]:
    before, at, after = rest.rpartition("@")
    if not at:
        return rest, None
    before, device = before.rstrip(), after.strip()
    if _DEVICE.fullmatch(device):
        return before, device
    if _is_path(rest):
        return rest, None  # the @ belongs to the path
    if not device:
        raise TargetNameError(text, "nothing follows the @")
    if _VERSION.fullmatch(device):
        raise TargetNameError(text, f"{device} after the @ is no device; a version is written {before}=={device}")
    raise TargetNameError(text, f"{device!r} after the @ is no device such as cpu, cuda or cuda:1")


def _split_mode(text: str, rest: str) -> tuple[str, str | None]:
    if not rest.endswith("]"):
        return rest, None
    before, bracket, mode = rest[:-1].rpartition("[")
    if not bracket:
        raise TargetNameError(text, "a ] closes no [")
    return before.rstrip(), _mode(text, mode)


def _split_inner_mode(text: str, rest: str) -> tuple[str, str | None]:
    """Take the mode out of pip's order, ``torch[compile]==2.13.0``."""
    before, bracket, after = rest.partition("[")
    if not bracket:
        return rest, None
    mode, closing, specifier = after.partition("]")
    if not closing:
        raise TargetNameError(text, "a [ is not closed")
    return before.rstrip() + specifier, _mode(text, mode)


def _mode(text: str, mode: str) -> str:
    mode = mode.strip()
    if not mode:
        raise TargetNameError(text, "the brackets are empty, where a mode belongs")
    if "," in mode:
        raise TargetNameError(text, f"{mode!r} in brackets are several modes, where one target has one")
    if not _WORD.fullmatch(mode):
        raise TargetNameError(text, f"{mode!r} in brackets is no mode such as compile or graph")
    return mode


def _refuse_version(text: str, path: str) -> None:
    versioned = _VERSIONED_PATH.fullmatch(path)
    if versioned:
        what = f"{versioned[1]!r} follows the path of an adapter file, which has no version"
        raise TargetNameError(text, what)


def _split_specifier(text: str, rest: str) -> tuple[str, SpecifierSet | None]:
    operator = _OPERATOR.search(rest)
    name = (rest[: operator.start()] if operator else rest).strip()
    written = rest[operator.start() :].strip() if operator else ""
    if name.endswith(".py"):
        _refuse_version(text, rest)
    if "[" in rest or "]" in rest:
        raise TargetNameError(text, "there is more than one pair of brackets, or half of one")
    if not name:
        raise TargetNameError(text, "it has no name")
    if not _NAME.fullmatch(name):
        raise TargetNameError(text, f"{name!r} is no name: letters, digits, and . _ - between them")
    return name, _specifier(text, name, written) if written else None


def _specifier(text: str, name: str, written: str) -> SpecifierSet:
    try:
        return SpecifierSet(written)
    except InvalidSpecifier:
        meant = written.lstrip("=")
        hint = f"; did you mean {name}=={meant}?" if _VERSION.fullmatch(meant) and written[0] == "=" else ""
        raise TargetNameError(text, f"{written!r} is no version specifier{hint}") from None

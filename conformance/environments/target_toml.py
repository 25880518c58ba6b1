"""The content of a target.toml: what it says, and what it inherits from the one that it extends."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from conformance.data_folders import adapters_folder
from conformance.files import read_toml

FILE_NAME = "target.toml"
EXTENDS = "extends"
_BY_KEY = ("devices", "modes", "variables")
"""Tables of which single entries are replaced, or withdrawn with ``false``."""
_LISTS = ("extra", "releases")


class ExtendsError(Exception):
    """A file that cannot be extended; the message says which, and what is allowed."""


def read_target_toml(path: Path) -> Mapping[str, Any]:
    """The content of a target.toml with all that it inherits; raises as ``read_toml``, or ExtendsError."""
    *derived, last = chain = _chain(path)
    if not derived:
        return _read(last)
    contents = [_checked(each, _read(each)) for each in chain]
    content = contents.pop()
    for own in reversed(contents):
        content = _extended(content, own)
    return content


def base_folder(path: Path) -> Path:
    """The folder with the adapter of a target.toml: its own, or that of a file that it extends."""
    try:
        folders = [each.parent for each in _chain(path)]
    except (OSError, ValueError, ExtendsError):
        folders = []  # ``read_target_toml`` says why
    return next((folder for folder in folders if (folder / "adapter.py").is_file()), path.parent)


def _chain(path: Path) -> list[Path]:
    """A target.toml, the one that it extends, the one that that extends, and so on."""
    chain = [path]
    while (name := _read(chain[-1]).get(EXTENDS)) is not None:
        base = _base_of(chain[-1], str(name))
        if not base.is_file():
            raise ExtendsError(
                f"extends {name!r}: there is no {base}; expected the name of a target of the suite, such as torch, or "
                f"the path of a folder with a {FILE_NAME}"
            )
        if any(base.samefile(each) for each in chain):
            raise ExtendsError(f"extends {name!r}: {base} extends this file")
        chain.append(base)
    return chain


def _base_of(path: Path, name: str) -> Path:
    folder = path.parent / name if "/" in name or "\\" in name else adapters_folder() / name
    return folder / FILE_NAME


def _read(path: Path) -> Mapping[str, Any]:
    found = path.stat()
    return _content(path, found.st_mtime_ns, found.st_size)


@cache
def _content(path: Path, _modified: int, _size: int) -> Mapping[str, Any]:
    return read_toml(path)


def _checked(path: Path, content: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a file says, whose tables and lists can be merged with those of another; ExtendsError if one is something else."""
    kinds = {**dict.fromkeys(_BY_KEY, (dict, "a table")), **dict.fromkeys(_LISTS, (list, "a list"))}
    for key, (kind, words) in kinds.items():
        if not isinstance(content.get(key, kind()), kind):
            raise ExtendsError(f"{key} in {path} is {content[key]!r}; expected {words}")
    for number, release in enumerate(content.get("releases", ())):
        if not isinstance(release, dict) or not isinstance(release.get("install", {}), dict):
            raise ExtendsError(f"releases[{number}] in {path} is {release!r}; expected a table, with a table install")
    return content


def _extended(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """What a file says on top of all that the one which it extends says."""
    merged = {**base, **{key: value for key, value in own.items() if key not in (*_BY_KEY, EXTENDS)}}
    for table in _BY_KEY:
        mine, inherited = own.get(table, {}), base.get(table, {})
        both = {**inherited, **mine}
        if table == "devices":  # the first is the default
            both = {**mine, **{name: value for name, value in inherited.items() if name not in mine}}
        merged[table] = {name: value for name, value in both.items() if value is not False}
    merged["extra"] = [*base.get("extra", ()), *own.get("extra", ())]
    if "releases" not in own:  # a device that is withdrawn is not installed
        merged["releases"] = [_for_devices(release, merged["devices"]) for release in base.get("releases", ())]
    return merged


def _for_devices(release: Mapping[str, Any], devices: Mapping[str, Any]) -> dict[str, Any]:
    used = {*devices, *(device.get("install-as") for device in devices.values() if isinstance(device, dict))}
    install = release.get("install", {})
    return {**release, "install": {device: options for device, options in install.items() if device in used}}

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
_MOST = 5
"""Files that extend each other."""


class ExtendsError(Exception):
    """A file that cannot be extended; the message says which, and what is allowed."""


def read_target_toml(path: Path) -> Mapping[str, Any]:
    """The content of a target.toml with all that it inherits; raises as ``read_toml``, or ExtendsError."""
    content = _read(path)
    chain = {path.absolute()}
    while EXTENDS in content:
        base = base_of(path, content[EXTENDS])
        if base.absolute() in chain or len(chain) == _MOST:
            raise ExtendsError(
                f"extends {content[EXTENDS]!r}: {base} extends this file, or too many files extend each other"
            )
        if not base.is_file():
            raise ExtendsError(
                f"extends {content[EXTENDS]!r}: there is no {base}; expected the name of a target of the suite, such as torch, or "
                f"the path of a folder with a {FILE_NAME}"
            )
        chain.add(base.absolute())
        content, path = _extended(_read(base), content), base
    return content


def base_folder(path: Path) -> Path:
    """The folder with the adapter of a target.toml: its own, or that of the file that it extends."""
    first = path.parent
    try:
        for _ in range(_MOST):
            if (path.parent / "adapter.py").is_file():
                return path.parent
            path = base_of(path, _read(path)[EXTENDS])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # ``read_target_toml`` says why
    return first


def base_of(path: Path, name: str) -> Path:
    """The target.toml that another one extends."""
    folder = path.parent / name if "/" in name or "\\" in name else adapters_folder() / name
    return folder / FILE_NAME


def _read(path: Path) -> Mapping[str, Any]:
    found = path.stat()
    return _content(path, found.st_mtime_ns, found.st_size)


@cache
def _content(path: Path, _modified: int, _size: int) -> Mapping[str, Any]:
    return read_toml(path)


def _extended(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**base, **{key: value for key, value in own.items() if key not in (*_BY_KEY, EXTENDS, "extra")}}
    for table in _BY_KEY:
        mine, inherited = own.get(table, {}), base.get(table, {})
        both = {**inherited, **mine}
        if table == "devices":  # the first is the default
            both = {**mine, **{name: value for name, value in inherited.items() if name not in mine}}
        merged[table] = {name: value for name, value in both.items() if value is not False}
    merged["extra"] = [*base.get("extra", ()), *own.get("extra", ())]
    merged["derived"] = True
    if EXTENDS in base:
        merged[EXTENDS] = base[EXTENDS]
    return merged

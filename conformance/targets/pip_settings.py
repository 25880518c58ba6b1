"""The index settings that the user's pip has; uv reads none of them.

pip reads its files in the order global, user, site, PIP_CONFIG_FILE, each overriding the earlier ones key by
key; of the sections, ``[install]`` overrides ``[global]``; the environment overrides both. An option that
takes several values is overridden as a whole. Works without pip installed.
"""

from __future__ import annotations

import configparser
import math
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.targets.errors import TargetBlocked

_FILE_NAME = "pip.ini" if os.name == "nt" else "pip.conf"
_SECTIONS = ("global", "install", ":env:")
_NOT_OPTIONS = ("version", "help")
_TRUE = ("y", "yes", "t", "true", "on", "1")
_FALSE = ("n", "no", "f", "false", "off", "0")


@dataclass(frozen=True)
class PipSettings:
    """Where pip looks for packages, and how it gets there."""

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    cert: str | None = None
    client_cert: str | None = None
    proxy: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    timeout: int | None = None
    """Whole seconds for an index to answer."""


def read_pip_settings(
    environ: Mapping[str, str] = os.environ, prefix: Path = Path(sys.prefix), system: Path = Path("/")
) -> PipSettings:
    """Read what pip would read; TargetBlocked names the file or variable that pip could not use either.

    prefix: the virtual environment whose pip.conf counts. system: where the machine's own files are found.
    """
    options = _options(environ, prefix, system)
    return PipSettings(
        index_url=options.get("index-url") or options.get("pypi-url"),
        extra_index_urls=tuple(options.get("extra-index-url", "").split()),
        find_links=tuple(options.get("find-links", "").split()),
        no_index=_truth(options.get("no-index", "no")),
        cert=options.get("cert"),
        client_cert=options.get("client-cert"),
        proxy=options.get("proxy"),
        trusted_hosts=tuple(options.get("trusted-host", "").split()),
        timeout=_seconds(options.get("timeout") or options.get("default-timeout")),
    )


def _options(environ: Mapping[str, str], prefix: Path, system: Path) -> dict[str, str]:
    sections: dict[str, dict[str, str]] = {name: {} for name in _SECTIONS}
    for path in _files(environ, prefix, system):
        for section, values in _read(path).items():
            sections.setdefault(section, {}).update(values)
    sections[":env:"].update(_variables(environ))
    merged: dict[str, str] = {}
    for name in _SECTIONS:
        merged.update((key, value) for key, value in sections[name].items() if value)
    return merged


def _variables(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable, value in environ.items():
        name = variable.removeprefix("PIP_").lower()
        if variable.startswith("PIP_") and name not in _NOT_OPTIONS:
            yield _key(name), value


def _read(path: Path) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser()
    try:
        parser.read(path, encoding="locale")
    except (configparser.Error, UnicodeDecodeError) as error:
        what = " ".join(str(error).split())
        raise TargetBlocked(
            f"{path}: pip's settings cannot be read: {what}. "
            f"Mend the file, or set PIP_CONFIG_FILE={os.devnull} to do without pip's files"
        ) from None
    return {name: {_key(key): value for key, value in parser.items(name)} for name in parser.sections()}


def _key(name: str) -> str:
    return name.lower().replace("_", "-").removeprefix("--")


def _truth(value: str) -> bool:
    if value.lower() not in _TRUE + _FALSE:
        raise TargetBlocked(
            f"pip's setting no-index (PIP_NO_INDEX or a pip file) is {value!r}, where yes or no belongs"
        )
    return value.lower() in _TRUE


def _seconds(value: str | None) -> int | None:
    if value is None:
        return None
    try:
        return math.ceil(float(value))
    except (ValueError, OverflowError):
        raise TargetBlocked(
            f"pip's setting timeout (PIP_TIMEOUT or a pip file) is {value!r}, where a number of seconds belongs"
        ) from None


def _files(environ: Mapping[str, str], prefix: Path, system: Path) -> Iterator[Path]:
    named = environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    home = Path(environ.get("HOME") or Path.home())
    yield from _global_files(environ, system)
    if not (named and Path(named).exists()):
        yield home / ("pip" if os.name == "nt" else ".pip") / _FILE_NAME
        yield _user_folder(environ, home) / _FILE_NAME
    yield prefix / _FILE_NAME
    if named:
        yield Path(named)


def _global_files(environ: Mapping[str, str], system: Path) -> Iterator[Path]:
    if os.name == "nt":
        yield Path(environ.get("PROGRAMDATA") or "C:/ProgramData") / "pip" / _FILE_NAME
    elif sys.platform == "darwin":
        yield system / "Library/Application Support/pip" / _FILE_NAME
    else:
        folders = environ.get("XDG_CONFIG_DIRS") or str(system / "etc/xdg")
        for folder in folders.split(os.pathsep):
            yield Path(folder) / "pip" / _FILE_NAME
        yield system / "etc" / _FILE_NAME


def _user_folder(environ: Mapping[str, str], home: Path) -> Path:
    if os.name == "nt":
        return Path(environ.get("APPDATA") or home / "AppData/Roaming") / "pip"
    if sys.platform == "darwin":
        folder = home / "Library/Application Support/pip"
        return folder if folder.is_dir() else home / ".config/pip"
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip"

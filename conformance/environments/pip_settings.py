"""The index settings of the user's pip, as pip reports them; uv does not read them."""

from __future__ import annotations

import ast
import importlib.util
import math
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.environments.errors import TargetBlocked

_SECTIONS = ("global", "install", ":env:")
"""The sections that apply to ``pip install``; each overrides the previous ones."""
_OUTPUT_VARIABLES = ("PIP_QUIET", "PIP_VERBOSE")
_TRUE = ("y", "yes", "t", "true", "on", "1")
_FALSE = ("n", "no", "f", "false", "off", "0")


@dataclass(frozen=True)
class PipSettings:
    """How pip finds and reaches package indexes."""

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    cert: str | None = None
    client_cert: str | None = None
    proxy: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    timeout: int | None = None
    """Seconds for an index to answer."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The variable, or the key of pip's files, that decides each setting."""


def find_pip() -> Sequence[str] | None:
    """Return the command for this interpreter's pip, or for the pip on PATH; None if there is neither."""
    if importlib.util.find_spec("pip") is not None:
        return (sys.executable, "-P", "-m", "pip")
    program = shutil.which("pip")
    return (program,) if program else None


def read_pip_settings(pip: Sequence[str], environ: Mapping[str, str] = os.environ) -> PipSettings:
    """Read pip's settings with ``pip config``; raise TargetBlocked with pip's message if they are invalid."""
    listed = _list(pip, environ)
    options, origins = _options(listed), _origins(listed)
    return PipSettings(
        index_url=options.get("index-url") or options.get("pypi-url"),
        extra_index_urls=tuple(options.get("extra-index-url", "").split()),
        find_links=tuple(options.get("find-links", "").split()),
        no_index=_boolean(options.get("no-index", "no")),
        cert=options.get("cert"),
        client_cert=options.get("client-cert"),
        proxy=options.get("proxy"),
        trusted_hosts=tuple(options.get("trusted-host", "").split()),
        timeout=_seconds(options.get("timeout") or options.get("default-timeout")),
        origins=origins,
    )


def _options(settings: Mapping[str, str]) -> dict[str, str]:
    return {key: value for _, key, value in _by_section(settings)}


def _origins(settings: Mapping[str, str]) -> dict[str, str]:
    return {
        key: f"PIP_{key.upper().replace('-', '_')}" if section == ":env:" else f"{key} in pip's configuration"
        for section, key, _ in _by_section(settings)
    }


def _by_section(settings: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Section, key and value of each setting that is not empty; later ones override earlier ones."""
    return [
        (section, key.removeprefix(f"{section}."), value)
        for section in _SECTIONS
        for key, value in settings.items()
        if key.startswith(f"{section}.") and value
    ]


def _list(pip: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return every setting by section and key, such as ``global.index-url``."""
    pairs = [
        (key, value)
        for key, _, value in (line.partition("=") for line in _pip_config(pip, environ, "list").splitlines())
    ]
    settings = {key: str(ast.literal_eval(value)) for key, value in pairs}
    for key, files in Counter(key for key, _ in pairs).items():
        if files > 1:
            # Newer versions of pip list every file's value, but not in the order in which the files override each other.
            settings[key] = _pip_config(pip, environ, "get", key).removesuffix("\n")
    return settings


def _pip_config(pip: Sequence[str], environ: Mapping[str, str], *arguments: str) -> str:
    environ = {name: value for name, value in environ.items() if name not in _OUTPUT_VARIABLES}
    result = subprocess.run(
        [*pip, "config", *arguments], env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        message = " ".join((result.stderr or result.stdout).split())
        raise TargetBlocked(
            f"pip cannot read its own settings: {message}. "
            f"Fix them (`pip config debug` lists the files), or set PIP_CONFIG_FILE={os.devnull} to ignore pip's files"
        )
    return result.stdout


def _boolean(value: str) -> bool:
    if value.lower() not in _TRUE + _FALSE:
        raise TargetBlocked(
            f"pip's setting no-index (PIP_NO_INDEX or a pip file): invalid value {value!r}; expected yes or no"
        )
    return value.lower() in _TRUE


def _seconds(value: str | None) -> int | None:
    if value is None:
        return None
    try:
        return math.ceil(float(value))
    except (ValueError, OverflowError):
        raise TargetBlocked(
            f"pip's setting timeout (PIP_TIMEOUT or a pip file): invalid value {value!r}; expected a number of seconds"
        ) from None

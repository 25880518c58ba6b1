"""The index settings that the user's pip has, as pip reports them; uv reads none of them."""

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
from dataclasses import dataclass

from conformance.targets.errors import TargetBlocked

_SECTIONS = ("global", "install", ":env:")
"""The sections that hold for ``pip install``; each overrides those before it."""
_CHANGE_THE_ANSWER = ("PIP_QUIET", "PIP_VERBOSE")
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


def find_pip() -> Sequence[str] | None:
    """The command that runs pip: this interpreter's own, else the one on PATH; None where there is neither."""
    if importlib.util.find_spec("pip") is not None:
        return (sys.executable, "-P", "-m", "pip")
    program = shutil.which("pip")
    return (program,) if program else None


def read_pip_settings(pip: Sequence[str], environ: Mapping[str, str] = os.environ) -> PipSettings:
    """Ask pip for its settings; TargetBlocked has pip's own message where it cannot read them."""
    options = _options(pip, environ)
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


def _options(pip: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    settings = _list(pip, environ)
    prefixes = [f"{section}." for section in _SECTIONS]
    return {
        key.removeprefix(prefix): value
        for prefix in prefixes
        for key, value in settings.items()
        if key.startswith(prefix) and value
    }


def _list(pip: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Every setting by section and key, such as ``global.index-url``."""
    pairs = [
        (key, value) for key, _, value in (line.partition("=") for line in _ask(pip, environ, "list").splitlines())
    ]
    settings = {key: str(ast.literal_eval(value)) for key, value in pairs}
    for key, files in Counter(key for key, _ in pairs).items():
        if files > 1:
            # Newer versions of pip list what each file says, but not in the order in which the files override each other.
            settings[key] = _ask(pip, environ, "get", key).removesuffix("\n")
    return settings


def _ask(pip: Sequence[str], environ: Mapping[str, str], *question: str) -> str:
    environ = {name: value for name, value in environ.items() if name not in _CHANGE_THE_ANSWER}
    answer = subprocess.run(
        [*pip, "config", *question], env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        message = " ".join((answer.stderr or answer.stdout).split())
        raise TargetBlocked(
            f"pip cannot read its own settings: {message}. "
            f"Fix them (`pip config debug` lists the files), or set PIP_CONFIG_FILE={os.devnull} to ignore pip's files"
        )
    return answer.stdout


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

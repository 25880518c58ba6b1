"""Which package indexes uv searches: those of the user's pip that answer."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

from conformance.environments.errors import TargetBlocked
from conformance.environments.pip_settings import PipSettings
from conformance.environments.unreachable import (
    Unreachable,
    connection_problem,
    explained,
    unanswered,
    without_user,
)
from conformance.environments.uv import Report, Uv

Role = Literal["default", "extra", "links"]

_SMALL_PACKAGE = "packaging"
"""The project whose small page is requested from an index to see whether it answers."""
_LIMIT = 20.0
"""Seconds for uv to reach its own default index."""
_KEYS: dict[Role, tuple[str, ...]] = {
    "default": ("index-url", "pypi-url"),
    "extra": ("extra-index-url",),
    "links": ("find-links",),
}
_OWN_DEFAULT = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")
_OWN_INDEXES = (*_OWN_DEFAULT, "UV_INDEX", "UV_EXTRA_INDEX_URL")
_NAME = re.compile(r"[\w.-]+=")
"""uv's indexes may have a name before the address."""


@dataclass(frozen=True)
class _Source:
    """An index or a location of packages, and why it is unusable, if it is."""

    role: Role
    argument: str
    """The value for uv; empty for uv's own default index."""
    problem: Unreachable | None = None


def configure(uv: Uv, settings: PipSettings, report: Report) -> Uv:
    """Configure uv with the usable package sources, reporting each ignored one; TargetBlocked if none is usable.

    uv's own variables, if the user has set them, take precedence over pip's settings.
    """
    uv = replace(uv, environment=_connection(uv, settings))
    with ThreadPoolExecutor(8) as pool:
        sources = list(pool.map(lambda source: _check(uv, settings, *source), _configured(uv, settings)))
    if not settings.no_index and not _arguments("default", sources):
        sources.append(_own_default(uv, has_alternative=any(source.problem is None for source in sources)))
    ignored = tuple(source.problem for source in sources if source.problem)
    for problem in ignored:
        report(f"ignoring index {problem}")
    usable = [source for source in sources if source.problem is None]
    if sources and not usable:
        raise TargetBlocked(explained(ignored))
    origins = {url: setting for _, url, setting in _configured(uv, settings) if setting}
    origins |= {address: variable for variable in _OWN_INDEXES for address in _addresses(uv, variable)}
    return replace(_configured_uv(uv, usable, no_index=settings.no_index), ignored=ignored, origins=origins)


def _connection(uv: Uv, settings: PipSettings) -> dict[str, str]:
    variables = dict(uv.environment)
    if settings.cert:
        variables.setdefault("SSL_CERT_FILE", _absolute(settings.cert))
    if settings.client_cert:
        variables.setdefault("SSL_CLIENT_CERT", _absolute(settings.client_cert))
    if settings.timeout:
        variables.setdefault("UV_HTTP_TIMEOUT", str(settings.timeout))
    if settings.proxy:
        variables.update(dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), settings.proxy))
    if settings.trusted_hosts:
        variables["UV_INSECURE_HOST"] = " ".join(
            [*variables.get("UV_INSECURE_HOST", "").split(), *settings.trusted_hosts]
        )
    return variables


def _configured(uv: Uv, settings: PipSettings) -> Iterator[tuple[Role, str, str | None]]:
    """Each place to search, and the variable or key that names it."""

    def setting(role: Role) -> str | None:
        return next((settings.origins[key] for key in _KEYS[role] if key in settings.origins), None)

    if not settings.no_index:
        own = next((variable for variable in _OWN_DEFAULT if uv.environment.get(variable)), None)
        if own:
            yield "default", uv.environment[own], own
        elif settings.index_url:
            yield "default", settings.index_url, setting("default")
        for url in settings.extra_index_urls:
            yield "extra", url, setting("extra")
    for link in settings.find_links:
        yield "links", link, setting("links")


def _addresses(uv: Uv, variable: str) -> list[str]:
    return [_NAME.sub("", index, count=1) for index in uv.environment.get(variable, "").split()]


def _check(uv: Uv, settings: PipSettings, role: Role, url: str, setting: str | None) -> _Source:
    own = setting in _OWN_INDEXES
    address = _NAME.sub("", url, count=1) if own else url
    label = without_user(address, "***@")
    if urlsplit(address).scheme in ("http", "https"):
        page = address if role == "links" else f"{address.rstrip('/')}/{_SMALL_PACKAGE}/"
        found = None if uv.offline else connection_problem(page, settings.proxy, settings.cert)
        problem = Unreachable(label, found[1], found[0], setting, role == "default") if found else None
        return _Source(role, url, problem)
    if own:
        return _Source(role, url)  # uv has a message of its own
    path = _local(url)
    exists = path.is_dir() or (role == "links" and path.is_file())
    argument = str(path) if role == "links" else path.as_uri()
    problem = Unreachable(label, "folder not found", "folder", setting, role == "default")
    return _Source(role, argument, None if exists else problem)


def _own_default(uv: Uv, *, has_alternative: bool) -> _Source:
    """Check uv's own default index if there is an alternative; without one, uv's own error is the most useful."""
    if uv.offline or not has_alternative:
        return _Source("default", "")
    return _Source("default", "", _default_problem(uv.program, tuple(sorted(uv.environment.items())), uv.folder))


@functools.cache
def _default_problem(program: Path, environment: tuple[tuple[str, str], ...], folder: Path) -> Unreachable | None:
    uv = Uv(program, {**dict(environment), "UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "5"}, folder)
    command = ("pip", "compile", "-", "--no-deps", "--quiet", "--refresh")
    result = uv.run(*command, text=_SMALL_PACKAGE, limit=_LIMIT)
    if result.ok:
        return None
    problem = unanswered(result.errors, result.summary, {})
    return replace(problem, is_default=True) if problem else Unreachable("uv's default", "no answer", is_default=True)


def _configured_uv(uv: Uv, usable: Sequence[_Source], *, no_index: bool) -> Uv:
    default, extra = _arguments("default", usable), _arguments("extra", usable)
    if not default:
        default, extra = extra[:1], extra[1:]
    environment = {name: value for name, value in uv.environment.items() if name not in _OWN_DEFAULT}
    # pip takes the best version of all indexes; uv by default stops at the first index with the package
    environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    if default and default[0]:
        environment["UV_DEFAULT_INDEX"] = default[0]
    if extra:
        environment["UV_INDEX"] = " ".join([*environment.get("UV_INDEX", "").split(), *extra])
    options = ["--no-index"] if no_index or not default else []
    own_links = environment.pop("UV_FIND_LINKS", "").split(",")
    for link in [*filter(None, own_links), *_arguments("links", usable)]:
        options += ["--find-links", link]
    return replace(uv, environment=environment, index_options=tuple(options))


def _arguments(role: Role, sources: Sequence[_Source]) -> list[str]:
    return [source.argument for source in sources if source.role == role]


def _local(url: str) -> Path:
    if urlsplit(url).scheme == "file":
        return Path(url2pathname(urlsplit(url).path))
    return Path(_absolute(url))


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())

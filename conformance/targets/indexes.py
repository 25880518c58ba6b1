"""From the user's pip settings to what uv is told, without the places that cannot be used now."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

from conformance.targets.errors import TargetBlocked
from conformance.targets.pip_settings import PipSettings
from conformance.targets.probe import why_unreachable, without_user
from conformance.targets.uv import Uv

Role = Literal["default", "extra", "links"]

_SMALL_PACKAGE = "packaging"
"""What an index is asked for: a page that is small, or the answer that there is none."""
_LIMIT = 20.0
"""Seconds for uv to reach its own default index."""


@dataclass(frozen=True)
class _Place:
    """A place where packages may be, as uv is told it, and why it cannot be used now."""

    role: Role
    shown: str
    told: str
    """Empty for uv's own default index."""
    problem: str | None = None


def configure(uv: Uv, settings: PipSettings, say: Callable[[str], None]) -> Uv:
    """Give uv the places that can be used now, saying a line for each that is left out.

    Where the user has set uv's own variables, they win over pip's settings. TargetBlocked when none is left.
    """
    uv = replace(uv, environment=_connection(uv, settings))
    with ThreadPoolExecutor(8) as pool:
        places = list(pool.map(lambda one: _tried(uv, settings, *one), _wanted(uv, settings)))
    if not settings.no_index and not _of("default", places):
        places.append(_own_default(uv, others=any(place.problem is None for place in places)))
    left_out = [f"leaving out {place.shown}: {place.problem}" for place in places if place.problem]
    for line in left_out:
        say(line)
    usable = [place for place in places if place.problem is None]
    if places and not usable:
        raise TargetBlocked("no place to install from can be reached: " + "; ".join(left_out))
    return _told(uv, usable, no_index=settings.no_index)


def _connection(uv: Uv, settings: PipSettings) -> dict[str, str]:
    told = dict(uv.environment)
    if settings.cert:
        told.setdefault("SSL_CERT_FILE", _absolute(settings.cert))
    if settings.client_cert:
        told.setdefault("SSL_CLIENT_CERT", _absolute(settings.client_cert))
    if settings.timeout:
        told.setdefault("UV_HTTP_TIMEOUT", str(settings.timeout))
    if settings.proxy:
        told.update(dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), settings.proxy))
    if settings.trusted_hosts:
        told["UV_INSECURE_HOST"] = " ".join([*told.get("UV_INSECURE_HOST", "").split(), *settings.trusted_hosts])
    return told


def _wanted(uv: Uv, settings: PipSettings) -> Iterator[tuple[Role, str]]:
    if not settings.no_index:
        own = uv.environment.get("UV_DEFAULT_INDEX") or uv.environment.get("UV_INDEX_URL")
        if settings.index_url and not own:
            yield "default", settings.index_url
        for url in settings.extra_index_urls:
            yield "extra", url
    for link in settings.find_links:
        yield "links", link


def _tried(uv: Uv, settings: PipSettings, role: Role, place: str) -> _Place:
    shown = without_user(place, "***@")
    if urlsplit(place).scheme in ("http", "https"):
        page = place if role == "links" else f"{place.rstrip('/')}/{_SMALL_PACKAGE}/"
        problem = None if uv.offline else why_unreachable(page, settings.proxy, settings.cert)
        return _Place(role, shown, place, problem)
    path = _local(place)
    exists = path.is_dir() or (role == "links" and path.is_file())
    told = str(path) if role == "links" else path.as_uri()
    return _Place(role, shown, told, None if exists else "there is no such folder")


def _own_default(uv: Uv, *, others: bool) -> _Place:
    """Try uv's own default index where there is something to fall back on; else uv's own error says most."""
    answers = uv.offline or not others or _default_answers(uv.program, tuple(sorted(uv.environment.items())), uv.folder)
    return _Place("default", "uv's default index", "", None if answers else "no answer")


@functools.cache
def _default_answers(program: Path, environment: tuple[tuple[str, str], ...], folder: Path) -> bool:
    uv = Uv(program, {**dict(environment), "UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "5"}, folder)
    command = ("pip", "compile", "-", "--no-deps", "--quiet", "--refresh")
    return uv.ask(*command, text=_SMALL_PACKAGE, limit=_LIMIT).ok


def _told(uv: Uv, usable: Sequence[_Place], *, no_index: bool) -> Uv:
    default, extra = _of("default", usable), _of("extra", usable)
    if not default:
        default, extra = extra[:1], extra[1:]
    environment = dict(uv.environment)
    # pip takes the best version that any index has, where uv stops at the first index that has the package
    environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    if default and default[0]:
        environment["UV_DEFAULT_INDEX"] = default[0]
    if extra:
        environment["UV_INDEX"] = " ".join([*environment.get("UV_INDEX", "").split(), *extra])
    options = ["--no-index"] if no_index or not default else []
    own_links = environment.pop("UV_FIND_LINKS", "").split(",")
    for link in [*filter(None, own_links), *_of("links", usable)]:
        options += ["--find-links", link]
    return replace(uv, environment=environment, index_options=tuple(options))


def _of(role: Role, places: Sequence[_Place]) -> list[str]:
    return [place.told for place in places if place.role == role]


def _local(place: str) -> Path:
    if urlsplit(place).scheme == "file":
        return Path(url2pathname(urlsplit(place).path))
    return Path(_absolute(place))


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())

"""Which package indexes uv searches: those of the user's pip that answer."""

from __future__ import annotations

import functools
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit, urlunsplit
from urllib.request import url2pathname

from conformance.environments.errors import TargetBlocked
from conformance.environments.pip_settings import PipSettings
from conformance.environments.uv import Report, Uv

Role = Literal["default", "extra", "links"]

_SMALL_PACKAGE = "packaging"
"""The project whose small page is requested from an index to see whether it answers."""
_LIMIT = 20.0
"""Seconds for uv to reach its own default index."""


@dataclass(frozen=True)
class _Source:
    """An index or a location of packages, and why it is unusable, if it is."""

    role: Role
    label: str
    """Without user and password."""
    argument: str
    """The value for uv; empty for uv's own default index."""
    problem: str | None = None


def configure(uv: Uv, settings: PipSettings, report: Report) -> Uv:
    """Configure uv with the usable package sources, reporting each ignored one; TargetBlocked if none is usable.

    uv's own variables, if the user has set them, take precedence over pip's settings.
    """
    uv = replace(uv, environment=_connection(uv, settings))
    with ThreadPoolExecutor(8) as pool:
        sources = list(pool.map(lambda source: _check(uv, settings, *source), _configured(uv, settings)))
    if not settings.no_index and not _arguments("default", sources):
        sources.append(_own_default(uv, has_alternative=any(source.problem is None for source in sources)))
    ignored = tuple(f"{source.label}: {source.problem}" for source in sources if source.problem)
    for message in ignored:
        report(f"ignoring index {message}")
    usable = [source for source in sources if source.problem is None]
    if sources and not usable:
        raise TargetBlocked("no package index can be reached: " + "; ".join(ignored))
    return replace(_configured_uv(uv, usable, no_index=settings.no_index), ignored=ignored)


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


def _configured(uv: Uv, settings: PipSettings) -> Iterator[tuple[Role, str]]:
    if not settings.no_index:
        own = uv.environment.get("UV_DEFAULT_INDEX") or uv.environment.get("UV_INDEX_URL")
        if settings.index_url and not own:
            yield "default", settings.index_url
        for url in settings.extra_index_urls:
            yield "extra", url
    for link in settings.find_links:
        yield "links", link


def _check(uv: Uv, settings: PipSettings, role: Role, url: str) -> _Source:
    label = without_user(url, "***@")
    if urlsplit(url).scheme in ("http", "https"):
        page = url if role == "links" else f"{url.rstrip('/')}/{_SMALL_PACKAGE}/"
        problem = None if uv.offline else connection_problem(page, settings.proxy, settings.cert)
        return _Source(role, label, url, problem)
    path = _local(url)
    exists = path.is_dir() or (role == "links" and path.is_file())
    argument = str(path) if role == "links" else path.as_uri()
    return _Source(role, label, argument, None if exists else "folder not found")


def _own_default(uv: Uv, *, has_alternative: bool) -> _Source:
    """Check uv's own default index if there is an alternative; without one, uv's own error is the most useful."""
    answers = (
        uv.offline
        or not has_alternative
        or _default_answers(uv.program, tuple(sorted(uv.environment.items())), uv.folder)
    )
    return _Source("default", "uv's default", "", None if answers else "no answer")


@functools.cache
def _default_answers(program: Path, environment: tuple[tuple[str, str], ...], folder: Path) -> bool:
    uv = Uv(program, {**dict(environment), "UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "5"}, folder)
    command = ("pip", "compile", "-", "--no-deps", "--quiet", "--refresh")
    return uv.run(*command, text=_SMALL_PACKAGE, limit=_LIMIT).ok


def _configured_uv(uv: Uv, usable: Sequence[_Source], *, no_index: bool) -> Uv:
    default, extra = _arguments("default", usable), _arguments("extra", usable)
    if not default:
        default, extra = extra[:1], extra[1:]
    environment = dict(uv.environment)
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


LIMIT = 5.0
"""Seconds for an index to answer."""
_PROXY_ERRORS = (502, 503, 504)


@functools.cache
def connection_problem(url: str, proxy: str | None = None, cert: str | None = None) -> str | None:
    """Return why an http(s) URL does not answer, or None if it answers in any way.

    proxy: overrides the environment's. cert: a file of certificates that overrides the system's. A server with an
    untrusted certificate counts as answering: uv checks it with the user's settings and has a better message.
    The result for a URL is cached.
    """
    request = urllib.request.Request(without_user(url), method="HEAD")  # noqa: S310 - callers pass http(s)
    try:
        _opener(proxy, cert).open(request, timeout=LIMIT).close()
    except urllib.error.HTTPError as error:
        return f"HTTP status {error.code}" if error.code in _PROXY_ERRORS else None
    except urllib.error.URLError as error:
        return None if isinstance(error.reason, ssl.SSLCertVerificationError) else _reason(error.reason)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _reason(error)
    return None


def without_user(url: str, replacement: str = "") -> str:
    """Remove or replace the user and password of a URL, up to the @."""
    parts = urlsplit(url)
    _user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=replacement + host)) if at else url


def _opener(proxy: str | None, cert: str | None) -> urllib.request.OpenerDirector:
    proxies = urllib.request.ProxyHandler({"http": proxy, "https": proxy} if proxy else None)
    return urllib.request.build_opener(proxies, urllib.request.HTTPSHandler(context=_certificates(cert)))


def _certificates(cert: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=cert)
    except OSError:
        return ssl.create_default_context()  # uv reports what is wrong with the file


def _reason(error: object) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {LIMIT:g} s"
    return str(error) or type(error).__name__

"""Package indexes that cannot be used: whether the network, an address or the index itself is the reason, and what to do."""

from __future__ import annotations

import errno
import functools
import http.client
import re
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

Cause = Literal["network", "name", "index", "folder"]
"""``name``: no host has the name, which may be a mistake in the address or the lack of a network."""

LIMIT = 5.0
"""Seconds for an index to answer."""
_PROXY_ERRORS = (502, 503, 504)
_NO_NETWORK = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)
_OFFLINE = "--offline takes packages from uv's cache"
_FETCH = re.compile(r"Failed to fetch: `?(https?://[^\s`]+)")


@dataclass(frozen=True)
class Unreachable:
    """An index or a location of packages that cannot be used."""

    address: str
    """Without user and password."""
    reason: str
    cause: Cause = "index"
    setting: str | None = None
    """The variable or the key that has the address; None if nobody has set it."""
    is_default: bool = False

    def __str__(self) -> str:
        return f"{self.address}{f' (set by {self.setting})' if self.setting else ''}: {self.reason}"


def explained(problems: Sequence[Unreachable]) -> str:
    """Say whether the network is missing, an address is wrong or an index does not answer, with every address."""
    listed = "; ".join(map(str, problems))
    settings = " and ".join(dict.fromkeys(problem.setting for problem in problems if problem.setting))
    correct = f"correct or unset {settings}" if settings else "check the indexes that pip is configured to use"
    causes = {problem.cause for problem in problems} - {"folder"}
    hosts = {urlsplit(problem.address).netloc for problem in problems if problem.cause == "name"}
    if causes and causes <= {"network", "name"} and ("network" in causes or len(hosts) > 1):
        return f"there is no network: {listed}. Connect this machine; {_OFFLINE}"
    if causes == {"name"}:
        return f"no host has the name in the address of a package index: {listed}. {_capital(correct)}; {_OFFLINE}"
    if causes:
        return f"a package index does not answer: {listed}. Try again later, or {correct}; {_OFFLINE}"
    return f"no package index can be used: {listed}. {_capital(correct)}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def unanswered(errors: str, summary: str, origins: Mapping[str, str]) -> Unreachable | None:
    """Return the address that uv could not fetch; None if its messages have none.

    origins: what sets each address that the user has set.
    """
    found = _FETCH.search(errors)
    if found is None:
        return None
    page = without_user(found[1])
    longest = sorted(origins, key=len, reverse=True)
    origin = next((url for url in longest if page.startswith(without_user(url).rstrip("/") + "/")), None)
    setting = origins[origin] if origin else None
    cause: Cause = "index"
    if "Network is unreachable" in errors or "No route to host" in errors:
        cause = "network"
    elif "dns error" in errors:
        cause = "name" if setting else "network"
    return Unreachable(
        without_user(origin, "***@") if origin else page, summary.rpartition(f"{found[1]}: ")[2], cause, setting
    )


@functools.cache
def connection_problem(url: str, proxy: str | None = None, cert: str | None = None) -> tuple[Cause, str] | None:
    """Return why an http(s) URL does not answer, or None if it answers in any way.

    proxy: overrides the environment's. cert: a file of certificates that overrides the system's. A server with an
    untrusted certificate counts as answering: uv checks it with the user's settings and has a better message.
    The result for a URL is cached.
    """
    request = urllib.request.Request(without_user(url), method="HEAD")  # noqa: S310 - callers pass http(s)
    try:
        _opener(proxy, cert).open(request, timeout=LIMIT).close()
    except urllib.error.HTTPError as error:
        return ("index", f"HTTP status {error.code}") if error.code in _PROXY_ERRORS else None
    except urllib.error.URLError as error:
        return None if isinstance(error.reason, ssl.SSLCertVerificationError) else _problem(error.reason)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _problem(error)
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


def _problem(error: object) -> tuple[Cause, str]:
    if isinstance(error, TimeoutError):
        return "index", f"no answer within {LIMIT:g} s"
    return _cause(error), str(error) or type(error).__name__


def _cause(error: object) -> Cause:
    if isinstance(error, socket.gaierror):
        return "network" if error.errno == socket.EAI_AGAIN else "name"
    return "network" if isinstance(error, OSError) and error.errno in _NO_NETWORK else "index"

"""Check quickly whether a package index answers at all."""

from __future__ import annotations

import functools
import http.client
import ssl
import urllib.error
import urllib.request
from urllib.parse import urlsplit, urlunsplit

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

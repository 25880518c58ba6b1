"""Whether a package index answers at all, found out in seconds."""

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
def why_unreachable(url: str, proxy: str | None = None, cert: str | None = None) -> str | None:
    """Say why nothing answers at an http(s) URL; None when something does, whatever it says.

    proxy: instead of the environment's. cert: a file of certificates instead of the system's. A server whose
    certificate is refused has answered: uv judges it by the user's settings and says more about it. Each URL
    is tried once in the life of this process.
    """
    request = urllib.request.Request(without_user(url), method="HEAD")  # noqa: S310 - callers pass http(s)
    try:
        _opener(proxy, cert).open(request, timeout=LIMIT).close()
    except urllib.error.HTTPError as error:
        return f"HTTP status {error.code}" if error.code in _PROXY_ERRORS else None
    except urllib.error.URLError as error:
        return None if isinstance(error.reason, ssl.SSLCertVerificationError) else _words(error.reason)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _words(error)
    return None


def without_user(url: str, instead: str = "") -> str:
    """Take the user's name and password out of a URL."""
    parts = urlsplit(url)
    _user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=instead + host)) if at else url


def _opener(proxy: str | None, cert: str | None) -> urllib.request.OpenerDirector:
    proxies = urllib.request.ProxyHandler({"http": proxy, "https": proxy} if proxy else None)
    return urllib.request.build_opener(proxies, urllib.request.HTTPSHandler(context=_certificates(cert)))


def _certificates(cert: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=cert)
    except OSError:
        return ssl.create_default_context()  # uv says what is wrong with the file


def _words(reason: object) -> str:
    if isinstance(reason, TimeoutError):
        return f"no answer within {LIMIT:g} s"
    return str(reason) or type(reason).__name__

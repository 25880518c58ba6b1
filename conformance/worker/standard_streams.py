"""Serve requests on standard input and output."""

from __future__ import annotations

import os
from typing import Optional

from conformance.worker.adapters import Adapter
from conformance.worker.session import serve


def serve_standard_streams(loaded: Optional[Adapter] = None) -> None:
    """Serve on standard input and output until the input ends.

    The descriptors of both are reserved for the protocol and replaced by the null device and standard error, before a
    framework can print to them.

    loaded: the adapter if it was loaded already.
    """
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.dup2(2, 1)
    serve(requests, replies, loaded)

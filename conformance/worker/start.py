"""Start the worker: reserve the protocol's descriptors before a framework can print to them."""

from __future__ import annotations

import os

from conformance.worker.session import serve


def main() -> None:
    """Serve on standard input and output, and replace these by the null device and standard error."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.dup2(2, 1)
    serve(requests, replies)


if __name__ == "__main__":
    main()

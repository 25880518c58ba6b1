"""The worker's first lines: keep the protocol's descriptors to ourselves before a framework can print on them."""

from __future__ import annotations

import os

from conformance.worker.session import serve


def main() -> None:
    """Serve on the descriptors that were standard input and output; those become nothing and standard error."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    serve(requests, replies)


if __name__ == "__main__":
    main()

"""The program that a target's interpreter runs: a worker, or the fork server."""

from __future__ import annotations

import sys

from conformance.worker import fork_server
from conformance.worker.processes import end_with_parent
from conformance.worker.standard_streams import serve_standard_streams


def main() -> None:
    """Be a worker, or with arguments the fork server: a descriptor of its socket, and the arguments of ``run``."""
    end_with_parent()
    if len(sys.argv) == 1:
        serve_standard_streams()
        return
    _, descriptor, *settings = sys.argv
    del sys.argv[1:]
    fork_server.run(int(descriptor), *settings)


if __name__ == "__main__":
    main()

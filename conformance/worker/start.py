"""The program that a target's interpreter runs: a worker, or the fork server."""

from __future__ import annotations

import sys

from conformance.worker.processes import be_a_child, end_with_parent


def main() -> None:
    """Be a worker, or with arguments the fork server: a descriptor of its socket, and the arguments of ``run``."""
    end_with_parent()
    if len(sys.argv) == 1:
        be_a_child()  # before NumPy is imported, which starts threads

        from conformance.worker.session import serve_standard_streams

        serve_standard_streams()
        return

    from conformance.worker import fork_server

    _, descriptor, *settings = sys.argv
    del sys.argv[1:]
    fork_server.run(int(descriptor), *settings)


if __name__ == "__main__":
    main()

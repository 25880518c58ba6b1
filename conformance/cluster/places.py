"""What ``--on`` names: the address of a Dask scheduler, or a cluster on this machine."""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from conformance.cluster.messages import Cluster, ClusterError, Emit

_LOCAL = re.compile(r"local:([0-9]{1,4})")
_FORMS = "expected tcp://SCHEDULER:8786, tls://SCHEDULER:8786 or local:N"


@dataclass(frozen=True)
class Connection:
    """A cluster that can be reached."""

    slots: int
    """The number of units that it carries out at the same time, as far as is known."""
    start: Callable[[Mapping[str, bytes], Emit], contextlib.AbstractContextManager[Cluster]]
    """Makes it carry out attempts with these packed contents."""
    grows: bool = False
    """Whether more machines may join."""


def check_place(place: str, *, insecure: bool) -> None:
    """ClusterError for what names no cluster, and for a scheduler that others can use.

    Whoever reaches a scheduler can run any code on its machines and on this one. insecure: any scheduler is trusted.
    """
    local, parts = _LOCAL.fullmatch(place), urlsplit(place)
    if local:
        if not int(local[1]):
            raise ClusterError(f"--on {place}: expected at least one process")
    elif parts.scheme not in ("tcp", "tls") or not parts.hostname:
        raise ClusterError(f"--on {place}: {_FORMS}; docs/scale.md shows how SSH, Slurm and Kubernetes give an address")
    elif parts.scheme == "tcp" and not _is_loopback(parts.hostname) and not insecure:
        raise ClusterError(
            f"--on {place}: neither TLS nor this machine, so that anyone in its network can run code there and here; "
            "use tls://, or an SSH tunnel to 127.0.0.1, or say --insecure if all of that network is trusted"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def connected(place: str, *, insecure: bool) -> Iterator[Connection]:
    """Connect to what ``--on`` names; ClusterError if that is not possible."""
    check_place(place, insecure=insecure)
    try:
        from conformance.cluster.on_dask import OnDask, client_of, local_client, slots_of
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"--on {place}: needs Dask ({error}); install it with: pip install 'opconform[dask]'"
        ) from None
    local = _LOCAL.fullmatch(place)
    with local_client(int(local[1])) if local else client_of(place) as client:
        yield Connection(
            slots_of(client),
            lambda contents, emit: contextlib.closing(OnDask(client, contents, emit)),
            grows=local is None,
        )


@contextlib.contextmanager
def connecting(place: str, *, insecure: bool) -> Iterator[Callable[[], Connection]]:
    """Connect as ``connected`` does, while the block does something else; it calls what it gets to wait for the connection."""
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(1) as thread:
        yield thread.submit(stack.enter_context, connected(place, insecure=insecure)).result

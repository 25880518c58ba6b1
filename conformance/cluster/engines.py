"""The engine that ``--on`` names."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from conformance.cluster.messages import Emit, Engine, EngineError
from conformance.cluster.prefix import Prefix
from conformance.cluster.processes import Processes

if TYPE_CHECKING:
    from distributed import Client

_COUNTED = re.compile(r"(local|processes):([0-9]+)")
_ADDRESS = re.compile(r"[a-z]+://\S*")
_FORMS = "expected tcp://SCHEDULER:8786, tls://SCHEDULER:8786, local:N, processes:N, or a command such as 'ssh HOST'"


@dataclass(frozen=True)
class Connection:
    """Machines that can be reached."""

    slots: int
    """The number of units that they carry out at the same time, as far as is known."""
    engine: Callable[[Mapping[str, bytes], Emit], contextlib.AbstractContextManager[Engine]]
    """Starts an engine that ships these packed contents."""
    grows: bool = False
    """Whether more machines may join."""


@contextlib.contextmanager
def connected(places: Sequence[str], each: int | None, *, insecure: bool) -> Iterator[Connection]:
    """Connect to what ``--on`` names; EngineError if that is not possible.

    each: the number of units at the same time with one command prefix. insecure: any scheduler is trusted.
    """
    for place in places:
        _check(place, alone=len(places) == 1, insecure=insecure)
    counted = _COUNTED.fullmatch(places[0])
    if _ADDRESS.fullmatch(places[0]) or (counted and counted[1] == "local"):
        with _dask_client(places[0]) as client:
            from conformance.cluster.on_dask import OnDask, slots_of

            yield Connection(
                slots_of(client),
                lambda contents, emit: _closing(OnDask(client, contents, emit)),
                grows=counted is None,
            )
    elif counted:
        slots = int(counted[2])
        yield Connection(slots, lambda contents, emit: _closing(Processes(slots, contents, emit)))
    else:
        prefixes = [shlex.split(place) for place in places]
        number = each or 1
        yield Connection(
            number * len(prefixes), lambda contents, emit: _closing(Prefix(prefixes, number, contents, emit))
        )


@contextlib.contextmanager
def connecting(places: Sequence[str], each: int | None, *, insecure: bool) -> Iterator[Callable[[], Connection]]:
    """Connect as ``connected`` does, while the block does something else; it calls what it gets to wait for the connection.

    The connection ends after its engine, again while the block does something else.
    """
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(1) as thread:
        future = thread.submit(stack.enter_context, connected(places, each, insecure=insecure))

        @contextlib.contextmanager
        def last_engine(contents: Mapping[str, bytes], emit: Emit) -> Iterator[Engine]:
            with future.result().engine(contents, emit) as engine:
                yield engine
            thread.submit(stack.close)

        yield lambda: replace(future.result(), engine=last_engine)


@contextlib.contextmanager
def _closing(engine: Engine) -> Iterator[Engine]:
    try:
        yield engine
    finally:
        engine.close()


def _check(place: str, *, alone: bool, insecure: bool) -> None:
    counted, is_address = _COUNTED.fullmatch(place), _ADDRESS.fullmatch(place)
    if counted and not int(counted[2]):
        raise EngineError(f"--on {place}: expected at least one process")
    if (counted or is_address) and not alone:
        raise EngineError(f"--on {place}: only commands, such as 'ssh HOST', may be given several times")
    if is_address:
        _check_address(place, insecure=insecure)
    elif not counted and (not place.strip() or ":" in place.split(maxsplit=1)[0]):
        raise EngineError(f"--on {place}: {_FORMS}")


def _check_address(address: str, *, insecure: bool) -> None:
    """Refuse a scheduler that others can use: whoever reaches it can run any code on its machines and on this one."""
    parts = urlsplit(address)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname:
        raise EngineError(f"--on {address}: {_FORMS}")
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname) and not insecure:
        raise EngineError(
            f"--on {address}: neither TLS nor this machine, so that anyone in its network can run code there and here; "
            "use tls://, or an SSH tunnel to 127.0.0.1, or say --insecure if all of that network is trusted"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def _dask_client(place: str) -> Iterator[Client]:
    try:
        from conformance.cluster.on_dask import client_of, local_client
    except ModuleNotFoundError as error:
        raise EngineError(
            f"--on {place}: needs Dask ({error}); install it with: pip install 'opconform[dask]'"
        ) from None
    counted = _COUNTED.fullmatch(place)
    with local_client(int(counted[2])) if counted else client_of(place) as client:
        yield client

"""Does things in fresh processes, several of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from conformance.execution.client import Client

AT_ONCE = 2
"""Number of fresh processes at the same time, since most of what they do is waiting for each other's start."""

Item = TypeVar("Item")
Made = TypeVar("Made")


def in_fresh_processes(
    clients: Sequence[Client], items: Sequence[Item], make: Callable[[Client, Item], Made]
) -> Iterator[Made]:
    """What ``make`` returns for each item, in their order; its client has no process when it is called.

    clients: are used at the same time if there are several, and then are closed.
    """
    idle: SimpleQueue[Client] = SimpleQueue()
    for one in clients:
        idle.put(one)

    def run(item: Item) -> Made:
        client = idle.get()
        try:
            client.forget()
            return make(client, item)
        finally:
            idle.put(client)

    if len(clients) == 1:
        yield from map(run, items)
        return
    try:
        with ThreadPoolExecutor(len(clients), "fresh") as pool:
            yield from pool.map(run, items)
    finally:
        for one in clients:
            one.close()

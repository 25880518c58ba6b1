"""A target's share of a run divided among several workers, for a mode that waits more than it computes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.cases.shards import part_of
from conformance.execution.client import Client
from conformance.execution.executor import Pair, Share
from conformance.results.records import CaseRecord, ResultRecord

_Found = queue.SimpleQueue["ResultRecord | CaseRecord | Exception | None"]


def divided(share: Share, others: Sequence[Client], pairs: Sequence[Pair]) -> Iterator[ResultRecord | CaseRecord]:
    """As ``share.results``, in the order in which the worker of the share and the others find them.

    A case is tried on all its APIs by one worker. Whatever a part raises comes out once all have ended.
    """
    if not others:
        yield from share.results(pairs)
        return
    shares = [share, *(replace(share, client=client, casts={}) for client in others)]
    found: _Found = queue.SimpleQueue()
    for one, part in zip(shares, _parts(pairs, len(shares)), strict=True):
        threading.Thread(target=_work, args=(one, part, found), daemon=True).start()
    errors: list[Exception] = []
    left = len(shares)
    while left:
        result = found.get()
        if isinstance(result, Exception):
            errors.append(result)
        elif result is None:
            left -= 1
        else:
            yield result
    if errors:
        raise errors[0]


def _work(share: Share, pairs: Sequence[Pair], found: _Found) -> None:
    try:
        for result in share.results(pairs):
            found.put(result)
    except Exception as error:
        found.put(error)
    finally:
        share.client.close()
        found.put(None)


def _parts(pairs: Sequence[Pair], number: int) -> list[list[Pair]]:
    parts: list[list[Pair]] = [[] for _ in range(number)]
    for case, api in pairs:
        parts[part_of(case.id, number, "workers")].append((case, api))
    return parts

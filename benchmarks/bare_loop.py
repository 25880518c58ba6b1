"""The baseline of per_case.py: make the same calls in the target's interpreter and only convert their results.

Read a worker's requests from a file and print microseconds per call: to create the arguments, to call, and to read the
arguments again. Nothing is judged, sent or recorded.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path

from conformance.worker import adapters, arguments, frames

AT_ONCE = 1000
"""Number of calls whose arguments exist at the same time."""


def main(adapter_file: str, device: str, mode: str, calls_file: str) -> None:
    """Make the calls and print the times."""
    adapter = adapters.load(adapter_file)
    adapter.setup(device, mode)
    number, sums = 0, [0.0, 0.0, 0.0]
    with Path(calls_file).open("rb") as stream:
        while requests := list(islice(iter(lambda: frames.read(stream), None), AT_ONCE)):
            number += len(requests)
            for part, seconds in enumerate(_times(adapter, requests)):
                sums[part] += seconds
    print(*(1e6 * seconds / number for seconds in sums))


def _times(adapter: adapters.Adapter, requests: list[tuple[int, frames.Message, bytes]]) -> tuple[float, float, float]:
    """Seconds to create the arguments, to call, and to read the arguments."""
    calls = []
    for _, message, body in requests:
        given = arguments.decode(message["arguments"], body)
        tensors = {name: value for name, value in given.items() if arguments.is_tensor(value)}
        calls.append((adapter.api(message["api"], message["operation"]).function, given, tensors))
    begun = time.perf_counter()
    for _, given, tensors in calls:
        for name, (array, dtype) in tensors.items():
            given[name] = adapter.to_native(array.copy(), dtype)
    created = time.perf_counter()
    for function, given, _ in calls:
        with suppress(Exception):  # the outcome does not matter
            adapter.to_numpy(function(**given))
    called = time.perf_counter()
    for _, given, tensors in calls:
        for name in tensors:
            adapter.to_numpy(given[name])
    return created - begun, called - created, time.perf_counter() - called


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The baseline of per_case.py: make the same calls in the target's interpreter and only convert their results.

Read a worker's requests from a file and print microseconds per call. Nothing is judged, sent or recorded.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

from conformance.worker import adapters, arguments, frames


def main(adapter_file: str, device: str, mode: str, calls_file: str) -> None:
    """Create all arguments first, then time only the calls."""
    adapter = adapters.load(adapter_file)
    adapter.setup(device, mode)
    calls = []
    with Path(calls_file).open("rb") as stream:
        while (frame := frames.read(stream)) is not None:
            message, body = frame
            native = {
                name: adapter.to_native(value[0].copy(), value[1]) if arguments.is_tensor(value) else value
                for name, value in arguments.decode(message["arguments"], body).items()
            }
            calls.append((adapter.api(message["api"], message["operation"]).function, native))
    started = time.perf_counter()
    for function, native in calls:
        with suppress(Exception):  # the outcome does not matter
            adapter.to_numpy(function(**native))
    print((time.perf_counter() - started) / len(calls) * 1e6)


if __name__ == "__main__":
    main(*sys.argv[1:])

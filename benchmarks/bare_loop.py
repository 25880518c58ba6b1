"""The bare side of per_case.py: runs in the target's interpreter, makes the same calls and only converts results back.

Reads frames, each a call as a worker gets it; prints microseconds per call. Nothing is judged, sent or recorded.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

from conformance.worker import adapters, arguments, frames


def main(adapter_file: str, device: str, mode: str, calls_file: str) -> None:
    """Build every argument first, then time the calls alone."""
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
        with suppress(Exception):  # what the API does is not the question here
            adapter.to_numpy(function(**native))
    print((time.perf_counter() - started) / len(calls) * 1e6)


if __name__ == "__main__":
    main(*sys.argv[1:])

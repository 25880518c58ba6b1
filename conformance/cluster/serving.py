"""The far end of a command prefix: carries out one attempt, over standard input and output.

Each line is JSON. The near end asks for facts, sends the contents that are missing and the attempt, and then answers each
message, so that a message that was answered cannot be lost, and the near end's death is noticed.
"""

from __future__ import annotations

import base64
import json
from typing import TextIO

from conformance.cluster import content
from conformance.cluster.machine import facts, perform
from conformance.cluster.messages import Message, message_text
from conformance.cluster.unit import read_attempt


class _Gone(Exception):
    """The near end has closed its end."""


def serve(requests: TextIO, answers: TextIO) -> None:
    """Carry out the attempt that is requested."""

    def send(text: str) -> None:
        print(text, file=answers, flush=True)

    def receive() -> str:
        line = requests.readline()
        if not line:
            raise _Gone
        return line

    def emit(message: Message) -> None:
        send(message_text(message))
        receive()

    try:
        send(json.dumps(facts(json.loads(receive()))))
        for digest, packed in json.loads(receive()).items():
            content.store(digest, base64.b64decode(packed))
        send(json.dumps(facts([])))
        attempt, machine = json.loads(receive())
        perform(read_attempt(attempt), machine, emit, lambda: True)
    except (_Gone, BrokenPipeError):
        pass

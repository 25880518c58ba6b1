"""Length-prefixed frames over two descriptors: a JSON header and the raw bytes of arrays.

A frame consists of three unsigned 64-bit little-endian numbers (that of the request, the lengths of header and body), the
header in UTF-8, and the body. A reply has the number of the request that it answers. These numbers are random, so that what
else writes to the pipe cannot have that of the next request.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any, BinaryIO, Iterator, Optional

PREFIX = struct.Struct("<QQQ")
SECONDS = struct.Struct("<d")
"""The end of the body of the reply to a call: its duration, outside of the header, so that equal outcomes have equal headers."""

Message = dict[str, Any]
"""A header; ``type`` is its kind. The bytes of its arrays follow in the body, in order."""


def request(header: bytes, body: bytes) -> bytes:
    """Return the frame of a request with a header and the bytes of its arrays; its number is new."""
    return frame(int.from_bytes(os.urandom(8), "little"), header, body)


def frame(number: int, header: bytes, body: bytes) -> bytes:
    """Return a frame with the number of a request, a header and the bytes of its arrays."""
    return PREFIX.pack(number, len(header), len(body)) + header + body


def numbers(data: bytes) -> Iterator[int]:
    """Iterate over the numbers of consecutive frames."""
    start = 0
    while start < len(data):
        number, header_length, body_length = PREFIX.unpack_from(data, start)
        yield number
        start += PREFIX.size + header_length + body_length


text = json.JSONEncoder(separators=(",", ":")).encode
"""Encode a message, or a part of it, as JSON."""
_decode = json.JSONDecoder().decode


def read(stream: BinaryIO) -> Optional[tuple[int, Message, bytes]]:
    """Read the number, header and body of the next frame; None at the end of the stream."""
    prefix = stream.read(PREFIX.size)
    if len(prefix) < PREFIX.size:
        return None
    number, header_length, body_length = PREFIX.unpack(prefix)
    header = stream.read(header_length)
    body = stream.read(body_length) if body_length else b""
    if len(header) < header_length or len(body) < body_length:
        return None
    return number, parse(header), body


def parse(header: bytes) -> Message:
    """Decode a header; raise ValueError if it is none."""
    try:
        message = _decode(header.decode())
    except RecursionError:
        message = None
    if not isinstance(message, dict):
        raise ValueError("not a header")  # noqa: TRY004 - like any other text that is none
    return message

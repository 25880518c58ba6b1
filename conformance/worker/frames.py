"""Length-prefixed frames: a JSON header and the raw bytes of arrays, over two descriptors.

A frame is two unsigned 64-bit little-endian lengths (header, body), the header in UTF-8, the body.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO, Optional

PREFIX = struct.Struct("<QQ")

Message = dict[str, Any]
"""A header: its ``type`` says what it is; arrays are named by the position of their bytes in the body."""


def pack(message: Message, parts: list[bytes]) -> bytes:
    """One frame of a message and the bytes of its arrays, in order."""
    return frame(text(message).encode(), b"".join(parts))


def frame(header: bytes, body: bytes) -> bytes:
    """One frame of a header and the bytes of its arrays."""
    return PREFIX.pack(len(header), len(body)) + header + body


text = json.JSONEncoder(separators=(",", ":")).encode
"""A message, or a part of one, as JSON."""


def read(stream: BinaryIO) -> Optional[tuple[Message, bytes]]:
    """The next frame, or None at the end of the stream."""
    prefix = stream.read(PREFIX.size)
    if len(prefix) < PREFIX.size:
        return None
    header_length, body_length = PREFIX.unpack(prefix)
    header = stream.read(header_length)
    body = stream.read(body_length) if body_length else b""
    if len(header) < header_length or len(body) < body_length:
        return None
    return parse(header), body


def parse(header: bytes) -> Message:
    """The message of a header's bytes."""
    message: Message = json.loads(header)
    return message

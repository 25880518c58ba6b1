"""Length-prefixed frames over two descriptors: a JSON header and the raw bytes of arrays.

A frame consists of two unsigned 64-bit little-endian lengths (header, body), the header in UTF-8, and the body.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO, Optional

PREFIX = struct.Struct("<QQ")
SECONDS = struct.Struct("<d")
"""The end of the body of the reply to a call: its duration, outside of the header, so that equal outcomes have equal headers."""

Message = dict[str, Any]
"""A header; ``type`` is its kind. The bytes of its arrays follow in the body, in order."""


def pack(message: Message, parts: list[bytes]) -> bytes:
    """Return a frame with a message and the bytes of its arrays, in order."""
    return frame(text(message).encode(), b"".join(parts))


def frame(header: bytes, body: bytes) -> bytes:
    """Return a frame with a header and the bytes of its arrays."""
    return PREFIX.pack(len(header), len(body)) + header + body


text = json.JSONEncoder(separators=(",", ":")).encode
"""Encode a message, or a part of it, as JSON."""
_decode = json.JSONDecoder().decode


def read(stream: BinaryIO) -> Optional[tuple[Message, bytes]]:
    """Read the next frame; None at the end of the stream."""
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
    """Decode a header; raise ValueError if it is none."""
    try:
        message = _decode(header.decode())
    except RecursionError:
        message = None
    if not isinstance(message, dict):
        raise ValueError("not a header")  # noqa: TRY004 - like any other text that is none
    return message

"""Files with a digest of what their content depends on, and a checksum of the content: any other file is as if it were not there."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

from conformance.files import replacing

_CHECKSUM = 32
"""Bytes."""


def read_sealed(file: Path, digest: bytes) -> bytes | None:
    """The content that was stored with this digest; None if the file is missing, damaged or stored with another one."""
    try:
        data = file.read_bytes()
        checksum, packed = data[len(digest) :][:_CHECKSUM], data[len(digest) + _CHECKSUM :]
        if data[: len(digest)] != digest or _checksum(packed) != checksum:
            return None
        return zlib.decompress(packed)
    except (OSError, zlib.error, MemoryError):
        return None


def write_sealed(file: Path, digest: bytes, content: bytes) -> None:
    """Replace a file, and make its folder; OSError if that fails."""
    file.parent.mkdir(parents=True, exist_ok=True)
    packed = zlib.compress(content, 1)
    with replacing(file) as temporary, temporary.open("wb") as stream:
        stream.writelines((digest, _checksum(packed), packed))


def _checksum(packed: bytes) -> bytes:
    return hashlib.sha256(packed).digest()

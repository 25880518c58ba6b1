"""Whether an adapter is still the one that gave earlier results."""

from __future__ import annotations

import hashlib
from pathlib import Path

from conformance.targets.outline import FILE_NAME


def source_digest(adapter: Path) -> str:
    """Differs if the adapter's file or the target.toml beside it differs."""
    digest = hashlib.sha256()
    for file in (adapter, adapter.with_name(FILE_NAME)):
        digest.update(hashlib.sha256(file.read_bytes()).digest() if file.is_file() else b"none")
    return digest.hexdigest()[:16]

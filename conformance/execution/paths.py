"""Texts without the folders of this machine: they say nothing of a framework, and are others in each run."""

from __future__ import annotations

from pathlib import Path

from conformance.outcomes.reply import Clean, escaped


def without_paths(*, worker: Path, environment: Path, adapter: Path) -> Clean:
    """A function that puts names in place of three folders, and escapes what UTF-8 cannot carry."""
    folders = {str(worker): "<worker>", str(environment): "<environment>", str(adapter): "<adapter>"}
    named = [name for name in sorted(folders, key=len, reverse=True) if len(Path(name).parts) > 2]

    def clean(text: str) -> str:
        for name in named:
            text = text.replace(name, folders[name])
        # TensorFlow's stack traces have paths without their first slash.
        text = text.replace(str(worker).lstrip("/"), "<worker>")
        return escaped(text)

    return clean

"""Removes the folders of this machine from texts, since they differ from run to run."""

from __future__ import annotations

from pathlib import Path

from conformance.outcomes.reply import Clean, escaped


def without_paths(*, worker: Path, environment: Path, adapter: Path) -> Clean:
    """A function that replaces three folders by names, and escapes characters that UTF-8 cannot encode."""
    names = {str(worker): "<worker>", str(environment): "<environment>", str(adapter): "<adapter>"}
    folders = [folder for folder in sorted(names, key=len, reverse=True) if len(Path(folder).parts) > 2]

    def clean(text: str) -> str:
        for folder in folders:
            text = text.replace(folder, names[folder])
        # The paths in TensorFlow's stack traces lack their leading slash.
        text = text.replace(str(worker).lstrip("/"), "<worker>")
        return escaped(text)

    return clean

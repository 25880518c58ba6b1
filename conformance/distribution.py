"""The name under which the suite is installed, and what else is installed under its other names.

The import package and the command are called ``conformance``; in the package index, that name is another project's.
"""

from __future__ import annotations

import importlib.metadata

DISTRIBUTION = "opconform"
"""The name in the package index."""
PACKAGE = "conformance"
"""The import package, and the command; ``DISTRIBUTION`` is a second name of the command."""


def rivals() -> list[str]:
    """A sentence for each other distribution in this environment that provides the import package or a command of the suite."""
    commands: dict[tuple[str, str], list[str]] = {}
    for entry in importlib.metadata.entry_points(group="console_scripts"):
        if entry.name in (PACKAGE, DISTRIBUTION) and entry.dist is not None and entry.dist.name != DISTRIBUTION:
            commands.setdefault((entry.dist.name, entry.dist.version), []).append(entry.name)
    sentences = [
        f"the distribution {name} {version} is installed too, and provides a command {' and '.join(names)} of its own. The one that "
        f"was installed last runs: use {_remaining(names)} instead, or uninstall {name} and install {DISTRIBUTION} again"
        for (name, version), names in sorted(commands.items())
    ]
    for name in sorted(set(importlib.metadata.packages_distributions().get(PACKAGE, ())) - {DISTRIBUTION}):
        sentences.append(
            f"the distribution {name} {importlib.metadata.version(name)} is installed too, and provides the import package "
            f"{PACKAGE} as well, so that files of one replace files of the other. Install them in environments of their own"
        )
    return sentences


def _remaining(names: list[str]) -> str:
    """A command that is certainly the suite's."""
    return f"python -m {PACKAGE}" if DISTRIBUTION in names else DISTRIBUTION

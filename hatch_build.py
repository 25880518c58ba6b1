"""What a release says about the repository that it is built in: addresses of the project, and absolute links in its README.

The package index shows README.md without the files beside it. The repository is named by one variable, GITHUB_REPOSITORY
(owner/name), which GitHub sets; without it there are no addresses, and links stay as they are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\((?!https?:|#)([^)\s]+)\)")


class RepositoryHook(MetadataHookInterface):
    """Adds ``urls`` and ``readme`` to the metadata of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the metadata; hatchling calls it once the version is known."""
        repository = os.environ.get("GITHUB_REPOSITORY")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        if repository:
            metadata["urls"] = urls(repository)
            text = with_absolute_links(text, repository, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def urls(repository: str) -> dict[str, str]:
    """The addresses of a repository on GitHub, and of its site on GitHub Pages, by what the package index calls them."""
    address = f"https://github.com/{repository}"
    owner, _, name = repository.partition("/")
    return {
        "Homepage": f"https://{owner.lower()}.github.io/{name}/",
        "Documentation": f"https://{owner.lower()}.github.io/{name}/latest/guide/tutorial/",
        "Source": address,
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
    }


def with_absolute_links(text: str, repository: str, tag: str) -> str:
    """Markdown whose links to files of the repository lead to them at a tag; those of pictures to their bytes."""

    def absolute(link: re.Match[str]) -> str:
        picture, shown, path = link.groups()
        place = f"raw.githubusercontent.com/{repository}/{tag}" if picture else f"github.com/{repository}/blob/{tag}"
        return f"{picture}[{shown}](https://{place}/{path})"

    return _LINK.sub(absolute, text)

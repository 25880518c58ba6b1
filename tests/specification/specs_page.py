"""The pages on specs. Their whole specs make a folder of specs; the tutorial has a folder of its own."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.command import REPOSITORY

DOCS = REPOSITORY / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
TUTORIAL = PAGES["tutorial"]
"""The tutorial, which tests/cli/test_new_operation.py follows step by step."""
INDICES = PAGES["indices"]
"""The page on the forms of indices; its examples are parts of specs."""
_WHOLE = re.compile(r"^```yaml\n((operation|documents):(?: (\w+))?\n.*?)^```", re.DOTALL | re.MULTILINE)


def write_specs_of_pages(folder: Path) -> None:
    """Write the whole specs of all pages, and the documents that they cite."""
    for name, page in PAGES.items():
        if name != "tutorial":
            for text, key, operation in _WHOLE.findall(page):
                (folder / f"{operation or key}.yaml").write_text(text, encoding="utf-8")

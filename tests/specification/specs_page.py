"""The pages on specs, each with a folder of specs of its own."""

from __future__ import annotations

from tests.cli.command import REPOSITORY

PAGE = (REPOSITORY / "docs" / "specs.md").read_text(encoding="utf-8")
INDICES = (REPOSITORY / "docs" / "indices.md").read_text(encoding="utf-8")
"""The page on the kinds of indices; its examples are parts of specs."""
TUTORIAL = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
"""The tutorial, which tests/cli/test_new_operation.py follows step by step."""

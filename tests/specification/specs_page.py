"""docs/specs.md in its two parts, each with a folder of specs of its own."""

from __future__ import annotations

import re

from tests.cli.command import REPOSITORY

_WHOLE = (REPOSITORY / "docs" / "specs.md").read_text(encoding="utf-8")
[CHAPTER] = re.findall(r"^## A new operation.*?(?=^## )", _WHOLE, re.DOTALL | re.MULTILINE)
"""The chapter on a new operation, which tests/cli/test_new_operation.py does step by step."""
PAGE = _WHOLE.replace(CHAPTER, "")
"""All else."""

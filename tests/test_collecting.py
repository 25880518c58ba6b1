"""Files whose tests are not asked for are not imported."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_ignore_collect

MARKED = "@pytest.mark.slow\ndef test_it() -> None: ...\n"


@pytest.mark.parametrize(
    ("asked", "text", "is_ignored"),
    [
        ("frameworks or slow", MARKED, None),
        ("slow", MARKED, None),
        ("frameworks", MARKED, True),
        ("frameworks or browser", MARKED, True),
        ("not frameworks and not slow", MARKED, None),
        ("", "", None),
    ],
)
def test_a_file_is_ignored_only_if_no_test_in_it_can_have_the_marker(
    asked: str, text: str, is_ignored: bool | None, tmp_path: Path
) -> None:
    (tmp_path / "test_it.py").write_text(text)
    config: Any = SimpleNamespace(getoption={"markexpr": asked}.get)
    assert pytest_ignore_collect(tmp_path / "test_it.py", config) is is_ignored
    assert pytest_ignore_collect(tmp_path, config) is None

"""``conformance export onnx`` as a command; what it writes is tested in tests/export."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.command import conformance


def test_without_the_extra_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    for name in [name for name in sys.modules if name.startswith(("conformance.export.", "conformance.cli.export_"))]:
        monkeypatch.delitem(sys.modules, name)
    done = conformance("export", "onnx", "new", cwd=tmp_path)
    assert done.status == 4
    assert "pip install 'opconform[onnx]'" in done.err
    assert not (tmp_path / "new").exists()

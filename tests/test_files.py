"""A file is replaced as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.files import replace_text, replacing


def test_text_replaces_what_the_file_held_with_the_line_ends_as_given(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text("old", encoding="utf-8")
    replace_text(file, "new é\r\n")
    assert file.read_bytes() == "new é\r\n".encode()
    assert list(tmp_path.iterdir()) == [file]


def test_the_old_content_is_there_until_the_end_of_the_block(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text("old", encoding="utf-8")
    with replacing(file) as temporary:
        temporary.write_text("half", encoding="utf-8")
        assert file.read_text(encoding="utf-8") == "old"
        assert temporary.name.endswith(file.name)
    assert file.read_text(encoding="utf-8") == "half"


def test_an_error_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        _interrupt_halfway(file)
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_two_processes_of_one_id_do_not_write_into_the_same_temporary_file(tmp_path: Path) -> None:
    """Containers that share a folder: each has a process of this id."""
    file = tmp_path / "record.json"
    with replacing(file) as first, replacing(file) as second:
        first.write_text("the first", encoding="utf-8")
        second.write_text("half of the", encoding="utf-8")
        assert first.read_text(encoding="utf-8") == "the first"
    assert file.read_text(encoding="utf-8") == "the first"
    assert list(tmp_path.iterdir()) == [file]


def _interrupt_halfway(file: Path) -> None:
    with replacing(file) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt


def test_a_folder_that_is_missing_is_the_error_that_the_caller_gets(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replace_text(tmp_path / "missing" / "record.json", "text")

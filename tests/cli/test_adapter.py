"""``conformance adapter``, and targets of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.targets.definition import definitions
from conformance.targets.packages import outlines, target_folders
from tests.cli.command import Done, conformance

MINE = """
import numpy as np

from conformance.adapter import Unsupported, api


@api("mine.gather", operation="gather_elements", follows="torch.gather")
def gather(input, dim, index):
    raise Unsupported("nothing yet") if dim == 0 else ValueError(str(input.shape))
"""


def forget() -> None:
    for read in (target_folders, outlines, definitions):
        read.cache_clear()


@pytest.fixture(autouse=True)
def _forget_packages() -> Iterator[None]:
    forget()
    yield
    forget()


def install(folder: Path, name: str, distribution: str, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """What an installed package looks like: its metadata, and the package made by ``adapter new``."""
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[conformance.adapters]\n{name} = {module}\n")
    monkeypatch.syspath_prepend(folder)
    forget()


def new(folder: Path, name: str = "myframe") -> Done:
    return conformance("adapter", "new", name, cwd=folder)


def test_a_new_package_offers_a_target_that_checks_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = new(tmp_path)
    assert done.status == 0, done.err
    package = tmp_path / "opconform-myframe"
    assert {path.name for path in package.rglob("*") if path.is_file()} == {
        "pyproject.toml", "README.md", "__init__.py", "adapter.py", "target.toml", "divergences.yaml", "test_myframe.py",
        "conformance.yml",
    }  # fmt: skip
    install(package / "src", "myframe", "opconform-myframe", monkeypatch, "conformance_myframe")
    assert "opconform-myframe 1.0" in conformance("list", "targets", cwd=tmp_path).out
    assert conformance("check", "myframe", cwd=tmp_path).status == 0
    checked = conformance("adapter", "check", "myframe", "--here", cwd=tmp_path)
    assert "gather_elements: myframe.gather_elements" in checked.out
    assert "gather_nd: not mapped" in checked.out
    assert checked.status == 0, checked.out
    run = conformance("run", "myframe", "--here", "-q", "-k", "example and scatter_nd", cwd=tmp_path)
    assert run.status == 0, run.out


def test_the_stubs_of_a_new_adapter_are_functions_of_all_other_operations(tmp_path: Path) -> None:
    new(tmp_path)
    [adapter] = tmp_path.rglob("adapter.py")
    text = adapter.read_text()
    assert text.count('operation="') == 9
    compile(text.replace("# @api", "@api").replace("# def", "def").replace("#     return", "    return"), "x", "exec")


def test_a_folder_with_files_and_a_name_that_exists_are_refused(tmp_path: Path) -> None:
    (tmp_path / "opconform-myframe").mkdir()
    (tmp_path / "opconform-myframe" / "mine").touch()
    assert "is not empty" in new(tmp_path).err
    assert "there is a target 'torch' already" in new(tmp_path, "torch").err
    assert "is not a name for a target" in new(tmp_path, "My Frame").err


def test_two_targets_of_one_name_are_an_error_that_names_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new(tmp_path)
    source = tmp_path / "opconform-myframe" / "src"
    install(source, "torch", "conformance-other", monkeypatch, "conformance_myframe")
    done = conformance("run", "torch", cwd=tmp_path)
    assert done.status == 4
    assert "two targets are named 'torch': one of opconform" in done.err
    assert "one of conformance-other 1.0" in done.err


def test_an_entry_point_without_an_adapter_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "nothing", "conformance-nothing", monkeypatch, "a_module_that_nobody_has")
    done = conformance("list", "targets", cwd=tmp_path)
    assert done.status == 4
    assert "of conformance-nothing 1.0 names no package with adapter.py and target.toml" in done.err


def test_what_looks_like_a_mistake_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    done = conformance("adapter", "check", "./mine.py", "--here", cwd=tmp_path)
    assert done.status == 1
    assert "suspicious: mine.gather (gather_elements) gives Unsupported for gather_elements.example." in done.out
    assert "conforms to none of" in done.out
    assert sys.executable not in done.out

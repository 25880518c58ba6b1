from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from conformance.environments import adapter_digest as sources
from conformance.environments.adapter_digest import module_paths, source_digest
from conformance.environments.packages import TargetFolder
from conformance.worker.adapters import load, own_modules
from tests.execution.harness import job

ADAPTER = """
from conformance.adapter import api

def describe():
    return {"framework": "mine", "version": "1"}

@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return input
"""


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "adapter.py").write_text("1")
    (tmp_path / "package" / "helper.py").write_text("1")
    return tmp_path / "package" / "adapter.py"


def test_a_target_of_a_package_consists_of_the_files_of_its_folder_and_the_version_of_the_package(
    adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = replace(job(adapter).target, is_file=False)
    offered = {"adapter": TargetFolder("adapter", adapter.parent, "package 1.0")}
    monkeypatch.setattr(sources, "target_folders", lambda: offered)
    digests = [source_digest(target, {})]
    (adapter.parent / "helper.py").write_text("2")
    digests.append(source_digest(target, {}))
    offered["adapter"] = TargetFolder("adapter", adapter.parent, "package 2.0")
    digests.append(source_digest(target, {}))
    assert len(set(digests)) == 3


def test_what_lies_beside_a_users_adapter_without_being_imported_does_not_matter(adapter: Path) -> None:
    target = job(adapter).target
    before = source_digest(target, {})
    (adapter.parent / "helper.py").write_text("2")
    assert source_digest(target, {}) == before


def test_a_copy_of_an_adapter_with_what_it_imports_is_the_same(adapter: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    digests = []
    for folder in (adapter.parent, tmp_path / "copy"):
        for name in ("adapter", "helper"):
            (folder / f"{name}.py").write_text(name)
        target = job(folder / "adapter.py").target
        modules = module_paths(target, {"helper": str(folder / "helper.py")})
        assert modules == {"helper": "helper.py"}
        digests.append(source_digest(target, modules))
    (tmp_path / "copy" / "helper.py").unlink()
    digests.append(source_digest(target, modules))
    assert digests[0] == digests[1] != digests[2]


def test_modules_that_a_framework_has_compiled_elsewhere_are_no_part_of_an_adapter_of_a_package(adapter: Path) -> None:
    target = job(adapter).target
    files = {"helper": str(adapter.parent / "helper.py"), "compiled": str(adapter.parent.parent / "cache" / "made.so")}
    assert [*module_paths(replace(target, is_file=False), files)] == ["helper"]
    assert [*module_paths(replace(target, is_file=True), files)] == ["compiled", "helper"]


def test_the_program_of_a_worker_is_no_part_of_an_adapter_under_whatever_name_multiprocessing_imports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(ADAPTER, encoding="utf-8")
    program = ModuleType("__main__")
    program.__file__ = str(tmp_path / "staged" / "start_worker.py")
    monkeypatch.setitem(sys.modules, "__main__", program)
    monkeypatch.setitem(sys.modules, "__mp_main__", program)
    files = own_modules(load(str(tmp_path / "mine.py"), "eager")).values()
    assert program.__file__ not in files

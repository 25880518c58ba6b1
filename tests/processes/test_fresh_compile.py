"""A compiler finds what an earlier run of its target kept, unless the run is asked to do without."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.environments import compiler_caches
from conformance.environments.definition import load_definition
from conformance.environments.prepared_target import Prepared
from conformance.processes.worker_code import staged_worker
from conformance.processes.worker_starter import WorkerStarter
from tests.execution.harness import THIS_ENVIRONMENT, job

ADAPTER = """
import os
from pathlib import Path
from conformance.adapter import api
import numpy as np

FOUND = []

def setup(device, mode):
    folder = Path(os.environ["TOY_CACHE"])
    FOUND.extend(path.name for path in folder.iterdir())
    (folder / "kept").touch()

def describe():
    return {"framework": "toy", "version": " ".join(FOUND) or "nothing"}

@api("toy.gather", operation="gather_elements")
def gather(input, dim, index):
    return np.take_along_axis(input, index, dim)
"""
TARGET = """
title = "Toy"
[devices]
cpu = {gpu = false}
[modes]
eager = {caches = ["TOY_CACHE"]}
[[releases]]
versions = ""
python = ">=3.9"
"""


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(compiler_caches, "_HELD", {})
    (tmp_path / "toy.py").write_text(ADAPTER, encoding="utf-8")
    path = tmp_path / "target.toml"
    path.write_text(TARGET, encoding="utf-8")
    return Prepared(replace(job(tmp_path / "toy.py").target, definition=load_definition(path, "toy")), THIS_ENVIRONMENT)


def found_by(prepared: Prepared, *, fresh_compile: bool = False) -> str:
    with (
        staged_worker() as script,
        closing(WorkerStarter(prepared, script, "spawn", fresh_compile=fresh_compile)) as starter,
    ):
        with closing(starter.launch()) as worker:
            version = str(starter.initialize(worker)["about"]["version"])
        caches = [path for path in script.parent.rglob("kept") if path.is_file()]
        assert len(caches) == fresh_compile
    assert not script.parent.exists()
    return version


def test_what_was_kept_is_found_unless_everything_is_compiled_afresh(prepared: Prepared) -> None:
    assert found_by(prepared) == "nothing"
    assert found_by(prepared) == "kept"
    assert found_by(prepared, fresh_compile=True) == "nothing"

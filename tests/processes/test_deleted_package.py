"""An environment of the suite's from which a package was deleted."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.environments.errors import TargetBlocked
from conformance.environments.prepared_target import Prepared
from conformance.execution.client import Client
from conformance.processes.worker_code import staged_worker
from conformance.processes.worker_starter import StartMethod, WorkerStarter
from tests.execution.harness import THIS_ENVIRONMENT, job


def message(folder: Path, packages: dict[str, str], start: StartMethod) -> str:
    """Why a target does not start whose adapter imports ``gone_package``."""
    (folder / "mine.py").write_text("import gone_package.part\n")
    environment = replace(THIS_ENVIRONMENT, folder=folder, packages=packages)
    prepared = Prepared(job(folder / "mine.py").target, environment)
    with (
        staged_worker() as script,
        closing(WorkerStarter(prepared, script, start)) as starter,
        closing(Client(starter, 20.0)) as client,
        pytest.raises(TargetBlocked) as blocked,
    ):
        client.start()
    return str(blocked.value)


@pytest.mark.parametrize("start", ["auto", "spawn"])
def test_the_folder_to_delete_is_named(tmp_path: Path, start: StartMethod) -> None:
    text = message(tmp_path, {"gone-package": "1.0"}, start)
    assert f"gone_package was deleted from {tmp_path}: delete this folder, and the next run makes it again" in text


def test_a_package_that_was_never_there_is_no_damage(tmp_path: Path) -> None:
    text = message(tmp_path, {"numpy": "2.0"}, "spawn")
    assert "No module named 'gone_package'" in text
    assert "delete" not in text

"""Frameworks that the interpreter of the tests has, on a CUDA device, where there is one."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess

import pytest

from conformance.outcomes.model import lacks_arguments
from conformance.results.file import Results, read_results
from tests.cli.command import conformance


def _has_device() -> bool:
    program = shutil.which("nvidia-smi")
    return program is not None and subprocess.run([program, "-L"], capture_output=True, check=False).returncode == 0


pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.cuda,
    pytest.mark.skipif(not _has_device(), reason="there is no CUDA device"),
]

HERE = [name for name in ("torch", "tensorflow", "jax") if importlib.util.find_spec(name)]


@pytest.fixture(scope="module", params=HERE)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("cuda")
    words = "example or index-outside or index-range"
    done = conformance("run", f"{request.param}@cuda", "--here", "-k", words, "--fail-on", "never", cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "conformance-report")


def test_the_run_is_complete_on_a_device_that_documents_call_a_gpu(results: Results) -> None:
    [target] = results.targets
    assert results.complete
    assert (target.blocked, target.device, target.gpu) == (None, "cuda", True)


def test_an_error_that_loses_the_device_costs_no_other_case(results: Results) -> None:
    lost = [one.case for one in results.results if lacks_arguments(one.outcome)]
    assert lost == []


def test_what_is_documented_for_cpus_alone_is_not_asked_of_it(results: Results) -> None:
    ran = {one.case for one in results.results}
    assert not any(case.endswith(".cpu") for case in ran)
    assert any(case.endswith(".gpu") for case in ran)


def test_the_documents_examples_come_out_as_printed(results: Results) -> None:
    printed = [one for one in results.results if one.case.endswith("/as-printed") and one.standing == "own"]
    assert {one.verdict for one in printed} <= {"conforms", "observed"}

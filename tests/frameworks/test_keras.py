"""Backends of Keras as modes, each on a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

UPDATE = "tensor_scatter_nd_update.example.insert-four-scalars/as-printed"
SCATTER = "scatter_nd.behaviour.a-list-of-index-vectors/rows"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder: Path = tmp_path_factory.mktemp("keras")
    done = conformance("run", "keras", "keras[jax]", UPDATE, SCATTER, "--output", str(folder / "out"), cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "out")


def divergences(results: Results, case: str, api: str, standing: str = "own") -> dict[str, list[str]]:
    """By backend, in what a result of a case with this standing diverges."""
    modes = {target.id: target.mode for target in results.targets}
    return {
        modes[result.target]: [*result.divergence]
        for result in results.results
        if (result.case, result.api, result.standing) == (case, api, standing)
    }


def test_a_mode_is_a_backend(results: Results) -> None:
    assert {target.mode: target.variables["KERAS_BACKEND"] for target in results.targets} == {
        "numpy": "numpy",
        "jax": "jax",
    }
    assert {(target.framework, target.version is None) for target in results.targets} == {("keras", False)}


def test_only_numpy_updates_its_argument(results: Results) -> None:
    found = divergences(results, UPDATE, "keras.ops.scatter_update", "portability")
    assert found == {"numpy": ["aliased", "input-changed"], "jax": []}


def test_only_jax_refuses_a_list_of_indices(results: Results) -> None:
    assert divergences(results, SCATTER, "keras.ops.scatter(lists)") == {"numpy": [], "jax": ["rejected"]}
    assert divergences(results, SCATTER, "keras.ops.scatter") == {"numpy": [], "jax": []}

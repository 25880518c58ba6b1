"""The hooks for derivatives and batches of these frameworks, on calls that return and on one that changes its argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from conformance.results.variations import transformation_of
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

READS = "gather_elements.example.two-of-each-row/as-printed"
WRITES = "index_copy.example.copy-three-rows/as-printed"
HOOKS = {
    "mlx": ("mlx.core.take_along_axis", "mlx.core.array.__setitem__", {"vjp", "jvp", "vmap", "vmap-vjp", "vjp-vmap"}),
    "mindspore": ("mindspore.ops.gather_elements", "mindspore.Tensor.__setitem__", {"vjp"}),
    "paddle": ("paddle.take_along_axis", "paddle.Tensor.__setitem__", {"vjp", "jvp"}),
}


@pytest.fixture(scope="module", params=HOOKS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Results]:
    folder: Path = tmp_path_factory.mktemp(request.param)
    done = conformance("run", request.param, READS, WRITES, "--output", str(folder / "out"), cwd=folder)
    assert done.status == 0, done.out + done.err
    return request.param, read_results(folder / "out")


def test_a_target_has_the_transforms_that_its_adapter_has_a_hook_for(run: tuple[str, Results]) -> None:
    target, results = run
    reads, _, hooks = HOOKS[target]
    verdicts = {
        transformation: result.verdict
        for result in results.results
        if result.api == reads
        and result.case.startswith(f"{READS}.")
        and (transformation := transformation_of(results.cases[result.case].variation)) is not None
    }
    assert verdicts == dict.fromkeys(hooks, "conforms")


def test_what_an_assignment_overwrites_has_the_derivative_zero(run: tuple[str, Results]) -> None:
    target, results = run
    [derivative] = [
        result for result in results.results if (result.case, result.api) == (f"{WRITES}.vjp.input", HOOKS[target][1])
    ]
    assert derivative.verdict == "conforms"

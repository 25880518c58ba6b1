"""Versions of the real frameworks beside each other, in environments that the command makes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conformance.app import loading
from conformance.outcomes.model import Returned
from conformance.results.file import Results, read_results
from conformance.results.variations import constants_of
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

OPERATIONS = ("gather_elements", "scatter_elements")
PRINTED = re.compile(r".*/as-printed(\.constant\.index)?")
OLD, NEW, COMPILED = "jax==0.4.30@cpu", "jax==0.10.2@cpu", "jax==0.10.2[jit]@cpu"


@pytest.fixture(scope="module")
def jax(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("jax")
    printed = [case.id for case in loading.suite().of_operations(OPERATIONS) if PRINTED.fullmatch(case.id)]
    (folder / "cases.json").write_text(json.dumps(printed), encoding="utf-8")
    words: list[str | Path] = ["--only", folder / "cases.json", "--transforms", "none"]
    done = conformance("run", "jax==0.4.30", "jax", "jax[jit]", *words, cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "conformance-report")


def test_two_versions_and_a_mode_run_the_same_cases(jax: Results) -> None:
    cases = {one.id: {result.case for result in jax.results if result.target == one.id} for one in jax.targets}
    assert cases.keys() == {OLD, NEW, COMPILED}
    only_compiled = {case.id for case in jax.cases.values() if constants_of(case.variation)}
    assert cases[OLD] == cases[NEW] == cases[COMPILED] - only_compiled != set()


def test_an_api_that_a_version_lacks_is_absent_from_it_and_no_result(jax: Results) -> None:
    targets = {one.target for one in jax.mappings if one.api == "jax.numpy.put_along_axis"}
    assert targets == {NEW, COMPILED}


def test_what_came_back_has_the_printed_numbers_in_64_bits(jax: Results) -> None:
    examples = [
        one
        for one in jax.results
        if ".example." in one.case and one.case.endswith("/as-printed") and "index-past-the-end" not in one.case
        if isinstance(one.outcome, Returned)
    ]
    assert {
        (one.verdict, one.case, one.api) for one in examples if one.verdict not in ("conforms", "observed")
    } == set()
    assert "int64" in {one.outcome.dtype for one in examples if isinstance(one.outcome, Returned)}
    assert {one.variables["JAX_ENABLE_X64"] for one in jax.targets} == {"1"}


def test_a_death_of_an_older_release_is_known_by_its_version(tmp_path: Path) -> None:
    done = conformance(
        "run", "tensorflow==2.16.2", "-k", "a-batch-axis-missing", "--operation", "scatter_nd", cwd=tmp_path
    )
    assert done.status == 0, done.out + done.err
    results = read_results(tmp_path / "conformance-report").results
    assert {(one.verdict, one.known) for one in results if one.api == "tf.scatter_nd"} == {
        ("died", "aborts-where-updates-lack-a-batch-axis")
    }


def test_a_device_that_is_absent_blocks_its_target_with_one_sentence(tmp_path: Path) -> None:
    done = conformance("run", "jax@cpu:7", "reference", "-k", "insert-four-scalars and as-printed", cwd=tmp_path)
    assert done.status == 6
    [blocked] = [one.blocked for one in read_results(tmp_path / "conformance-report").targets if one.blocked]
    assert blocked.startswith("JAX 0.10.2 has no device 'cpu:7'; it has ")
    assert "\n" not in blocked

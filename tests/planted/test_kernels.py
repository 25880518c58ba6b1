"""Kernels in C that read or write outside of their memory are found, with the place, and right ones are not blamed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.outcomes.model import Outside, Raised, Returned
from conformance.results.file import Results, read_results
from conformance.worker import adapters
from conformance.worker.adapters import Adapter
from tests.cli.command import conformance_process
from tests.planted.in_process import cases_of
from tests.planted.in_process import results as results_of

KERNELS = Path(__file__).parent / "kernels"
RIGHT = ["select_rows", "select_backwards", "select_in_words", "add_rows", "add_backwards", "add_by_columns"]
SEEN_BY_GUARDS = {
    "select_one_before": ("read-outside", -1),
    "select_one_past": ("read-outside", 1),
    "add_one_past": ("wrote-outside", 1),
}
SEEN_BY_MEMCHECK = {
    "select_one_before": Outside("input", "read", -1),
    "select_one_past": Outside("input", "read", 1),
    "add_one_past_float32": Outside("input", "wrote", 1),
    "select_with_one_index_more": Outside("index", "read", 1),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    path = tmp_path_factory.mktemp("kernels") / "kernels.so"
    options = ["-Wall", "-Werror", "-O1", "-g", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, "-o", str(path), str(KERNELS / "kernels.c")], check=True)
    return path


@pytest.fixture
def adapter(library: Path, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    monkeypatch.setenv("KERNELS", str(library))
    return adapters.load(str(KERNELS / "adapter.py"))


def _kinds(adapter: Adapter, name: str) -> Iterator[tuple[str, str]]:
    [api] = [api for api in adapter.apis if api.name == f"kernels.{name}"]
    for one in results_of(replace(adapter, apis=[api]), cases_of(api.operation)):
        for kind in one.judgement.divergences:
            yield kind, one.judgement.explanation or ""


@pytest.mark.parametrize("name", SEEN_BY_GUARDS)
def test_guard_zones_show_what_a_kernel_reads_or_writes_beside_its_arguments(adapter: Adapter, name: str) -> None:
    kind, distance = SEEN_BY_GUARDS[name]
    place = f"1 element {'past the end of' if distance > 0 else 'before'} input"
    assert any(found == kind and place in text for found, text in _kinds(adapter, name))


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_kernel_is_not_said_to_leave_its_memory(adapter: Adapter, name: str) -> None:
    assert not {"wrote-outside", "read-outside"} & {kind for kind, _ in _kinds(adapter, name)}


@pytest.fixture(scope="module")
def results(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A run below memcheck, in which the import of NumPy takes seconds."""
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    output = tmp_path_factory.mktemp("memcheck") / "results"
    selection = "three-of-five/as-printed or at-the-length or minus-one or index-outside/vector or index_add.example"
    done = conformance_process(
        *("run", KERNELS / "adapter.py", "--here", "--memcheck", "-q", "--operation", "index_select"),
        *("--operation", "index_add", "-k", selection, "--output", output),
        cwd=output.parent,
        KERNELS=str(library),
    )
    assert done.status == 0, done.err
    return read_results(output)


def _accesses(results: Results, api: str) -> set[Outside]:
    outcomes = [one.outcome for one in results.results if one.api == f"kernels.{api}"]
    assert any(isinstance(outcome, Returned) for outcome in outcomes), f"{api} was not called"
    return {access for outcome in outcomes if isinstance(outcome, Returned | Raised) for access in outcome.outside}


@pytest.mark.parametrize("function", SEEN_BY_MEMCHECK)
def test_memcheck_names_the_argument_the_distance_and_the_function(results: Results, function: str) -> None:
    expected = SEEN_BY_MEMCHECK[function]
    found = {(access.argument, access.access, access.distance) for access in _accesses(results, function.removesuffix("_float32"))
             if access.function == function}  # fmt: skip
    assert (expected.argument, expected.access, expected.distance) in found


def test_memcheck_sees_a_write_behind_a_result_and_an_element_that_nobody_wrote(results: Results) -> None:
    [written] = _accesses(results, "select_with_a_terminator")
    assert (written.argument, written.access, written.size) == (None, "wrote", 1)
    assert written.place is not None
    assert written.place.startswith("0 bytes after a block of size")
    [unwritten] = {access.access for access in _accesses(results, "select_without_the_end")}
    assert unwritten == "unwritten"


@pytest.mark.parametrize("name", RIGHT)
def test_memcheck_blames_no_right_kernel(results: Results, name: str) -> None:
    assert _accesses(results, name) == set()


def test_the_record_of_a_target_says_below_what_it_ran(results: Results) -> None:
    [target] = results.targets
    assert target.memcheck is not None
    assert target.memcheck.startswith("valgrind-")

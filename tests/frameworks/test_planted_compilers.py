"""Wrong compilers: backends of torch.compile, each with a pass that is wrong for one pattern, which a program around a call must find."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.environments.definition import definitions
from conformance.environments.environment import ensure
from conformance.environments.resolve import resolve
from conformance.judging.vocabulary import Divergence
from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

COMPILERS = Path(__file__).parent.parent / "planted" / "compilers"
RIGHT = ("eager", "aot_eager")
"""Backends of PyTorch's own."""
APIS = ("torch.index_copy", "torch.Tensor.index_copy_", "torch.index_add", "torch.gather")
OPERATIONS = ("index_copy", "index_add", "gather_elements")
WITHOUT_A_PATTERN = "computed-after"
"""A program that every wrong compiler gets right."""
TARGET = '''
extends = "torch"
title = "torch.compile with the backend {name}"
preload = """
import sys
sys.path.insert(0, {folder!r})
import backend
"""
backend = "{name}"

[modes]
eager = false
compile = {{compiled = true, passes = ["constants", "numbers", "programs"], first = 3, shape = 0.01, together = 32}}
'''


@dataclass(frozen=True)
class Found:
    """Where a wrong compiler is found."""

    program: str
    api: str
    divergence: Divergence = "value"


WRONG = {
    "drops_copies": Found("copy-changed", "torch.index_copy"),
    "scatters_late": Found("zeroed-after", "torch.index_copy"),
    "reads_early": Found("target-read-after", "torch.Tensor.index_copy_"),
    "forgets_changes_of_views": Found("part-changed-after", "torch.Tensor.index_copy_"),
    "copies_views": Found("part-read-after", "torch.Tensor.index_copy_"),
    "drops_changes_without_a_use": Found("copied-over-flipped", "torch.index_copy"),
    "computes_once": Found("computed-twice", "torch.Tensor.index_copy_"),
    "gathers_without_strides": Found("data-transposed", "torch.gather"),
    "scatters_without_offsets": Found("data-sliced", "torch.index_copy"),
    "folds_one_period": Found("repeats-from-itself", "torch.index_add"),
    "adds_once_to_a_place": Found("repeats-from-itself", "torch.index_add"),
    "propagates_copies": Found("copied-over", "torch.index_copy"),
    "merges_scatters": Found("called-twice", "torch.index_add"),
    "selects_what_was_scattered": Found("gathered-again", "torch.index_add"),
    "scatters_into_views": Found("data-stepped", "torch.index_copy", "input-changed"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """One run with all of these backends, each a target."""
    folder = tmp_path_factory.mktemp("compilers")
    [torch] = resolve(["torch"], definitions())
    python = ensure(torch, report=lambda _: None).python
    words = [f"--operation={operation}" for operation in OPERATIONS] + [f"--api={api}" for api in APIS]
    programs = {WITHOUT_A_PATTERN, *(found.program for found in WRONG.values())}
    words += ["-k", f"int64 and ({' or '.join(f'program.{name}.' for name in sorted(programs))})"]
    words += ["--transforms=none", "--python", str(python)]
    for name in (*WRONG, *RIGHT):
        (folder / name).mkdir()
        (folder / name / "target.toml").write_text(TARGET.format(name=name, folder=str(COMPILERS)), encoding="utf-8")
        words.append(f"./{name}/target.toml")
    done = conformance("run", *words, "--fail-on=never", "--output=out", cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "out")


def of(results: Results, backend: str) -> list[ResultRecord]:
    return [one for one in results.results if Path(one.target).parent.name == backend]


def in_program(results: list[ResultRecord], program: str) -> Iterator[ResultRecord]:
    return (one for one in results if f"/program.{program}." in one.case)


@pytest.mark.parametrize("backend", WRONG)
def test_a_wrong_compiler_is_found_by_its_program(backend: str, results: Results) -> None:
    found, own = WRONG[backend], of(results, backend)
    [judged] = [one for one in in_program(own, found.program) if one.api == found.api]
    assert found.divergence in judged.divergence, judged
    assert judged.confirmed != "no"
    assert {one.verdict for one in in_program(own, WITHOUT_A_PATTERN)} == {"conforms"}


@pytest.mark.parametrize("backend", RIGHT)
def test_a_right_backend_is_not_blamed(backend: str, results: Results) -> None:
    own = of(results, backend)
    assert {one.api for one in own} == set(APIS)
    assert [(one.api, one.case) for one in own if one.verdict != "conforms"] == []


def test_each_pass_is_a_wrong_compiler() -> None:
    passes = ast.parse((COMPILERS / "passes.py").read_text(encoding="utf-8")).body
    assert {one.name for one in passes if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")} == set(
        WRONG
    )

"""Scripts for every cause of a run, stored in its results and shown on its page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS

SPECS = FAKES / "specs"
ADAPTERS = [WRONG_ADAPTERS / "misbehaving.py", WRONG_ADAPTERS / "order_dependent.py"]
APIS = ("mutate", "alias", "segfault", "exit", "hang", "close", "steady", "stained")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    words = ("--here", "--specs", SPECS, "-q", "--timeout", "0.3", "-k", "not as-printed.")
    apis = [word for api in APIS for word in ("--api", f"fake.{api}")]
    conformance("run", *ADAPTERS, *words, *apis, "--output", "out", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def done(folder: Path) -> Done:
    first, second = (repro_all(folder, adapter) for adapter in ADAPTERS)
    return Done(max(first.status, second.status), first.out + second.out, first.err + second.err)


def repro_all(folder: Path, adapter: Path) -> Done:
    given = ("--all", "--results", "out", "--here", "--specs", SPECS, "--timeout", "0.3")
    return conformance("repro", *given, "--target", adapter, cwd=folder)


@pytest.fixture(scope="module")
def results(folder: Path, done: Done) -> Results:
    assert done.status == 0, done.err
    return read_results(folder / "out")


def test_each_own_divergence_death_and_hang_has_a_script_that_was_run(results: Results) -> None:
    scripts = {result.api for result in results.results if result.script is not None and result.verdict != "conforms"}
    assert scripts >= {"fake.mutate", "fake.segfault", "fake.exit", "fake.hang", "fake.steady"}
    assert "fake.alias" not in scripts, "a portability divergence without a counterexample is none"


def test_a_script_stands_alone(results: Results, tmp_path: Path) -> None:
    [result] = [
        result
        for result in results.results
        if result.api == "fake.segfault" and result.verdict == "died" and result.script is not None
    ]
    path = tmp_path / "alone.py"
    path.write_text(str(result.script))
    assert "conformance" not in str(result.script)
    alone = subprocess.run([sys.executable, "-I", path], capture_output=True, text=True, check=False, timeout=60)
    assert alone.returncode == -11
    assert "documented" in alone.stdout


def test_each_cause_has_a_script_or_a_reason_why_not(results: Results, done: Done) -> None:
    steady = [result for result in results.results if result.api == "fake.steady" and result.verdict == "diverges"]
    causes = {(result.clause, result.standing, *result.divergence) for result in steady}
    assert len(steady) > 2
    assert 0 < sum(result.script is not None for result in steady) <= len(causes)
    assert "scripts written" in done.err
    assert "fake.close gather_elements.example.unlucky/as-printed: no script: " in done.err


def test_an_order_dependent_result_has_a_script_with_the_call_that_changed_it(results: Results) -> None:
    stained = next(one for one in results.results if one.api == "fake.stained" and one.polluter is not None)
    assert "earlier = stained(" in str(stained.script)


def test_a_cause_without_a_script_keeps_the_reason_in_the_results(results: Results) -> None:
    close = [one for one in results.results if one.api == "fake.close" and one.no_script is not None]
    assert [(one.script, one.no_script) for one in close] == [
        (None, "the process did not die; only its connection to the suite closed")
    ]


def test_only_scripts_change_in_the_results_and_the_page_is_recreated(folder: Path, results: Results) -> None:
    assert results.complete
    assert (folder / "out" / "index.html").stat().st_mtime >= (folder / "out" / "results.jsonl").stat().st_mtime
    again = repro_all(folder, ADAPTERS[1])
    assert again.status == 0, again.err
    assert read_results(folder / "out").results == results.results


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--all",), "--all needs --results DIR"),
        (("gather_nd", "--all", "--results", "out"), "takes no CASE"),
        ((), "expected CASE and --target"),
        (("--all", "--results", "nowhere"), "file not found"),
        (("--all", "--results", "out", "--target", "mis-behaving"), "is not in these results"),
    ],
)
def test_an_invalid_command_line_is_an_error(folder: Path, words: tuple[str, ...], message: str) -> None:
    done = conformance("repro", *words, "--specs", SPECS, cwd=folder)
    assert done.status == 4
    assert message in done.err

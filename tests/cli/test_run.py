"""``run`` with a user's own adapters, in the interpreter that runs the tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.cli.command import REPOSITORY, conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS

WRONG = WRONG_ADAPTERS / "order_dependent.py"
HANGS = WRONG_ADAPTERS / "misbehaving.py"
SPECS = FAKES / "specs"
REPORT = Path("conformance-report")
FEW = ("--here", "--specs", SPECS, "-k", "lucky-again and not printed.")
"""The selection of one case of a small spec."""


def test_the_example_of_the_documentation_runs_like_a_built_in_adapter(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "adapters.md").read_text(encoding="utf-8")
    source, *_ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(source.splitlines()) <= 25
    (tmp_path / "mine.py").write_text(source)
    words = "gather_elements and (example or behaviour) and not printed."
    done = conformance("run", "./mine.py", "--here", "-k", words, "--fail-on", "never", cwd=tmp_path)
    assert done.status == 0, done.err
    results = read_results(tmp_path / REPORT)
    assert results.complete
    assert [target.id for target in results.targets] == ["./mine.py@cpu"]
    assert sum(result.verdict == "conforms" for result in results.results) > 20
    assert {
        "conclusions.json",
        "index.html",
        "junit.xml",
        "summary.md",
        "behaviours.json",
        "badge.json",
        "results.jsonl",
    } == {path.name for path in (tmp_path / REPORT).iterdir() if path.is_file()}


def test_the_reference_conforms_to_every_printed_number(tmp_path: Path) -> None:
    done = conformance("run", "reference", "--here", "--quick", "--fail-on", "any", cwd=tmp_path)
    assert done.status == 0, done.out
    verdicts = {result.verdict for result in read_results(tmp_path / REPORT).results}
    assert verdicts <= {"conforms", "observed"}


def test_only_a_divergence_from_the_apis_own_document_exits_1(tmp_path: Path) -> None:
    run = ("run", WRONG, "--here", "--specs", SPECS, "-q")
    assert conformance(*run, "-k", "lucky-again and not printed.", cwd=tmp_path).status == 0
    assert conformance(*run, "-k", "lucky-again and not printed.", "--fail-on", "any", cwd=tmp_path).status == 1
    assert conformance(*run, "-k", "lucky and not again and not printed.", cwd=tmp_path).status == 1
    assert (
        conformance(*run, "-k", "lucky and not again and not printed.", "--fail-on", "never", cwd=tmp_path).status == 0
    )


@pytest.mark.parametrize(
    ("file", "about", "status"),
    [
        ("mine.py", '{"framework": "order_dependent"}', 1),
        ("order_dependent.py", '{"framework": "order_dependent"}', 1),
        ("order_dependent.py", '{"framework": "mine"}', 0),
        ("order_dependent.py", "{}", 0),
    ],
)
def test_what_describe_returns_decides_whose_documentation_binds_and_not_the_name_of_the_file(
    tmp_path: Path, file: str, about: str, status: int
) -> None:
    source = WRONG.read_text(encoding="utf-8").replace('{"framework": "order_dependent"}', about)
    (tmp_path / file).write_text(source, encoding="utf-8")
    run = ("run", f"./{file}", "--here", "--specs", SPECS, "-q", "-k", "lucky and not again and not printed.")
    assert conformance(*run, cwd=tmp_path).status == status
    results = read_results(tmp_path / REPORT).results
    assert {result.standing for result in results} == ({"own", "portability"} if status else {"portability"})


def test_an_adapter_with_misspelled_operations_and_arguments_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from conformance.adapter import api\n\n\n"
        '@api("mine.gather", operation="gather_elemnts")\n'
        "def gather(input, dim, index):\n    return input\n\n\n"
        '@api("mine.other", operation="gather_elements")\n'
        "def other(input, axis, index):\n    return input\n"
    )
    done = conformance("run", "./mine.py", "--here", "--specs", SPECS, cwd=tmp_path)
    assert done.status == 4
    assert "mine.py:4: mine.gather: undefined operation 'gather_elemnts'; did you mean 'gather_elements'?" in done.err
    assert "mine.py:10: mine.other: does not take gather_elements's argument 'dim'" in done.err
    assert not (tmp_path / REPORT).exists()


def test_an_adapter_that_does_not_return_an_array_exits_4(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from conformance.adapter import api\n\n\n"
        '@api("mine.gather", operation="gather_elements")\n'
        "def gather(input, dim, index):\n    return [1, 2]\n"
    )
    done = conformance("run", "./mine.py", *FEW, cwd=tmp_path)
    assert done.status == 4
    assert "list instead of an array" in done.out + done.err


def test_progress_goes_to_standard_error_and_results_to_standard_output(tmp_path: Path) -> None:
    run = ("run", "reference", *FEW)
    done = conformance(*run, cwd=tmp_path)
    assert "reference" in done.err
    assert "reference" in done.out
    assert conformance(*run, "-q", cwd=tmp_path).err == ""


def test_overwriting_older_results_is_reported(tmp_path: Path) -> None:
    run = ("run", "reference", *FEW, "--output", "out")
    assert "the results of" not in conformance(*run, cwd=tmp_path).err
    done = conformance(*run, cwd=tmp_path)
    assert re.search(r"the results of 20\S+ in out are replaced when this run is complete", done.err)


def test_files_that_conformance_did_not_write_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("mine")
    done = conformance("run", "reference", "--here", "--output", "site", cwd=tmp_path)
    assert done.status == 4
    assert (tmp_path / "site" / "index.html").read_text() == "mine"


def test_an_output_that_is_a_file_or_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = conformance("run", "reference", "--here", "--output", "file", cwd=tmp_path)
    assert (done.status, (tmp_path / "file").read_text()) == (4, "x")
    assert "is a file" in done.err
    done = conformance("run", "reference", "--here", "--output", "/proc/none", cwd=tmp_path)
    assert done.status == 4
    assert "cannot be written" in done.err


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("torhc", "did you mean 'torch'?"),
        ("torch==", "is not a target name"),
        ("torch[fast]", "has no mode 'fast'"),
        ("torch@tpu", "has no device 'tpu'"),
        ("./none.py", "adapter file not found"),
    ],
)
def test_an_invalid_target_exits_4_before_anything_runs(tmp_path: Path, target: str, message: str) -> None:
    done = conformance("run", target, cwd=tmp_path)
    assert done.status == 4
    assert message in done.err
    assert not (tmp_path / REPORT).exists()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
        ("x = 1\n", "no function is marked with @api"),
        ("import sys\nsys.exit(3)\n", "exited with code 3 while starting"),
    ],
)
def test_an_adapter_that_does_not_start_is_blocked_and_the_others_go_on(
    tmp_path: Path, source: str, message: str
) -> None:
    (tmp_path / "mine.py").write_text(source)
    done = conformance("run", "./mine.py", "reference", *FEW, cwd=tmp_path)
    assert done.status == 6
    assert message in " ".join(done.out.split())
    results = read_results(tmp_path / REPORT)
    assert results.results
    assert {result.verdict for result in results.results} == {"conforms"}


def test_an_invalid_interpreter_exits_6_or_4(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho hello\n")
    fake.chmod(0o755)
    run = ("run", "reference", "-k", "insert-four-scalars", "--python")
    done = conformance(*run, fake, cwd=tmp_path)
    assert done.status == 6
    assert "not a Python interpreter" in done.err
    assert not (tmp_path / REPORT).exists(), "no case is built for a target that cannot run"
    assert conformance(*run, tmp_path / "none", cwd=tmp_path).status == 4


def test_a_selection_of_nothing_exits_5_and_touches_no_file(tmp_path: Path) -> None:
    done = conformance("run", "reference", "--here", "-k", "insert-for-scalars", cwd=tmp_path)
    assert done.status == 5
    assert "insert-four-scalars" in done.err
    assert not (tmp_path / REPORT).exists()


def test_an_id_that_a_subset_lacks_is_no_misspelt_one(tmp_path: Path) -> None:
    rule = "scatter_nd.rule.updates-shape"
    done = conformance("run", "reference", "--here", "--quick", rule, cwd=tmp_path)
    assert (done.status, "--quick leaves none of the cases that are selected" in done.err) == (5, True)
    misspelt = conformance("run", "reference", "--here", "--quick", f"{rule}s", cwd=tmp_path)
    assert (misspelt.status, f"did you mean '{rule}'" in misspelt.err) == (4, True)


def test_arguments_that_no_target_can_pass_are_a_selection_of_nothing_that_names_what_is_missing(
    tmp_path: Path,
) -> None:
    constant = "gather_elements.example.along-dim-0/as-printed.constant.index"
    done = conformance("run", "reference", "--here", constant, cwd=tmp_path)
    assert done.status == 5, done.err
    assert "no target passes constants to what it compiles" in " ".join(done.err.split())


def test_the_first_failure_can_end_a_run_which_then_says_that_it_is_incomplete(tmp_path: Path) -> None:
    done = conformance("run", WRONG, "--here", "--specs", SPECS, "-x", cwd=tmp_path)
    assert done.status == 1
    assert "incomplete" in done.out.lower()
    results = read_results(tmp_path / REPORT)
    assert not results.complete
    assert 1 <= len(results.results) < len(results.mappings) * len(results.cases)


def test_the_last_failures_can_be_run_again(tmp_path: Path) -> None:
    run = ("run", WRONG, "--here", "--specs", SPECS)
    conformance(*run, cwd=tmp_path)
    conformance(*run, "--lf", cwd=tmp_path)
    clauses = {case.clause for case in read_results(tmp_path / REPORT).cases.values()}
    assert clauses == {"gather_elements.example.lucky"}


def test_an_interrupted_run_keeps_its_results_and_reports_that_it_is_incomplete(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "conformance",
        "run",
        str(HANGS),
        "--here",
        "--specs",
        str(SPECS),
        "--timeout",
        "600",
        "--output",
        str(REPORT),
    ]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _wait_for_first_result(process, tmp_path / REPORT / "results.jsonl")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert "Traceback" not in err
    assert "incomplete" in out.lower()
    results = read_results(tmp_path / REPORT)
    assert not results.complete
    assert results.results
    assert (tmp_path / REPORT / "index.html").exists()


def _wait_for_first_result(process: subprocess.Popen[str], path: Path) -> None:
    deadline = time.monotonic() + 60
    while not (path.exists() and '"kind":"result"' in path.read_text()):
        assert process.poll() is None, "the run ended before it was interrupted"
        assert time.monotonic() < deadline, "no result within a minute"
        time.sleep(0.02)

"""``conformance onnx-run``: what a program does with a model becomes a result like that of any target."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.outcomes.model import Died, Hung
from conformance.processes.program import Exited, Limits, run_program
from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord
from conformance.runtimes.program import _read_output
from conformance.specification.literals import Tensor
from tests.cli.command import REPOSITORY, conformance

RETURNS = "gather_nd.behaviour.a-negative-index-counts-from-the-end/in-the-first-column"
RAISES = "gather_nd.behaviour.outside-either-end-is-an-error/at-the-length"
PLACES = ("{model}", "{inputs}", "{outputs}")
RIGHT = """
case "$0" in
  */control/*) cp "$1/input_0.pb" "$2/output_0.pb";;
  */raises/*) echo "an index is outside" >&2; exit 1;;
  *) cp "$(dirname "$0")/test_data_set_0/output_0.pb" "$2/";;
esac
"""
DTYPES = ("--dtype", "float32", "--dtype", "int64")
LIMITS = Limits(60, 2**30)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "models"
    done = conformance("export", "onnx", folder, RETURNS, RAISES, "--opset", "18", *DTYPES, cwd=folder.parent)
    assert done.status == 0, done.err
    return folder


def ran(exported: Path, tmp_path: Path, program: str, *options: str | Path, status: int) -> tuple[Results, str]:
    """The results of a program of the shell, and what was printed on standard error."""
    output = tmp_path / "report"
    command = ("--", "sh", "-c", program, *PLACES)
    words: list[str | Path] = ["--name", "mine", "--release", "1.2", "--output", output, *options]
    done = conformance("onnx-run", exported, *words, *command, cwd=tmp_path)
    assert done.status == status, done.out + done.err
    return read_results(output / "results.jsonl"), done.err


def by_case(results: Results) -> dict[str, ResultRecord]:
    return {result.case: result for result in results.results}


def test_a_program_that_is_right_conforms_and_is_a_target_of_the_report(exported: Path, tmp_path: Path) -> None:
    results, _ = ran(exported, tmp_path, RIGHT, status=0)
    assert {result.verdict for result in results.results} == {"conforms"}
    assert [target.id for target in results.targets] == ["mine==1.2[opset18]@cpu"]
    assert {(mapping.api, mapping.follows) for mapping in results.mappings} == {("mine.GatherND", "onnx.GatherND")}
    assert results.end is not None
    assert results.end.complete
    assert (tmp_path / "report" / "index.html").is_file()


def test_its_progress_is_told_as_that_of_a_run(exported: Path, tmp_path: Path) -> None:
    _, errors = ran(exported, tmp_path, RIGHT, status=0)
    target = re.escape("mine==1.2[opset18]@cpu")
    assert re.search(f"^2 cases .*for 1 target: {target}$", errors, re.MULTILINE)
    assert re.search(f"^{target}: finished in .* s, 2 results: 2 conforms$", errors, re.MULTILINE)


def test_the_command_that_is_suggested_runs_the_model_again_and_records_it_where_the_run_looked(
    exported: Path, tmp_path: Path
) -> None:
    known = tmp_path / "mine.yaml"
    known.write_text("divergences: {}\n")
    words = ("--name", "mine", "--release", "1.2", "--known", known, "--memory", "2048")
    command = ("--", "sh", "-c", 'cp "$1/input_0.pb" "$2/output_0.pb"', *PLACES)
    done = conformance("onnx-run", exported, "--only", RETURNS, *words, *command, cwd=tmp_path)
    assert done.status == 1
    again, update = (shlex.split(line)[1:] for line in done.out.split("Next:\n")[1].splitlines())
    assert again[:4] == ["onnx-run", str(exported), "--only", RETURNS]
    assert {"--memory", "2048"} < {*again}
    repeated = conformance(*again, cwd=tmp_path)
    assert repeated.status == 1
    assert "1 case, 1 target" in repeated.out
    assert conformance(*update, "--baseline", cwd=tmp_path).status == 0
    assert conformance(*again, cwd=tmp_path).status == 0


def test_no_script_is_made_of_what_a_program_did(exported: Path, tmp_path: Path) -> None:
    ran(exported, tmp_path, 'cp "$1/input_0.pb" "$2/output_0.pb"', status=1)
    done = conformance("repro", "--all", "--results", "report", cwd=tmp_path)
    assert done.status == 4
    assert "no scripts: it has no adapter; `onnx-run --only CASE` runs a model again" in done.err


def test_a_wrong_result_and_a_missing_error_diverge_from_what_onnx_documents(exported: Path, tmp_path: Path) -> None:
    results, _ = ran(exported, tmp_path, 'cp "$1/input_0.pb" "$2/output_0.pb"', status=1)
    found = by_case(results)
    assert (found[RETURNS].verdict, found[RETURNS].standing) == ("diverges", "own")
    assert found[RAISES].divergence == ["accepted"]
    assert {result.confirmed for result in results.results} == {"alone"}


def test_an_error_of_the_control_too_proves_nothing(exported: Path, tmp_path: Path) -> None:
    results, _ = ran(exported, tmp_path, "echo no kernel >&2; exit 1", status=1)
    found = by_case(results)
    assert found[RAISES].verdict == "blocked"
    assert found[RETURNS].divergence == ["rejected"]
    assert "no kernel" in str(found[RETURNS].explanation)


def test_a_model_that_is_not_supported_is_absent_and_one_that_is_excluded_is_not_run(
    exported: Path, tmp_path: Path
) -> None:
    results, errors = ran(exported, tmp_path, "echo no such operator; exit 77", "--exclude", "*error*", status=5)
    assert {case: result.verdict for case, result in by_case(results).items()} == {RETURNS: "unsupported"}
    assert "1 of 2 models excluded: 1 by *error*" in errors


def test_a_death_is_a_failure_unless_the_known_divergences_name_it(exported: Path, tmp_path: Path) -> None:
    program = 'case "$0" in */raises/test*opset18/model.onnx) kill -SEGV $$;; esac' + RIGHT
    results, _ = ran(exported, tmp_path, program, status=1)
    assert by_case(results)[RAISES].verdict == "died"
    known = tmp_path / "divergences.yaml"
    known.write_text(
        f"divergences:\n  reads-outside:\n    cases: {RAISES}\n    api: mine.GatherND\n    kind: died\n"
        "    since: 2026-11-29\n    reason: It reads what lies behind the tensor.\n    link: unreported\n"
    )
    results, _ = ran(exported, tmp_path, program, "--known", str(known), status=0)
    assert by_case(results)[RAISES].known == "reads-outside"


def test_a_program_that_ends_well_without_a_result_is_at_fault_itself(exported: Path, tmp_path: Path) -> None:
    _, errors = ran(exported, tmp_path, "true", status=4)
    assert "it exited with 0 but wrote neither output_0.pb nor output_0.npy" in errors


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--", "./mine", "{model}"], "the command lacks {inputs} and {outputs}"),
        (["--", "./no-such-program", *PLACES], "./no-such-program: cannot be started: No such file or directory"),
    ],
)
def test_a_command_that_cannot_work_is_a_mistake(
    exported: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    done = conformance("onnx-run", exported, *words, cwd=tmp_path)
    assert done.status == 4
    assert message in done.err


def test_a_folder_without_an_export_is_a_mistake(tmp_path: Path) -> None:
    done = conformance("onnx-run", tmp_path, "--", "./mine", *PLACES, cwd=tmp_path)
    assert done.status == 4
    assert "no whole export of `export onnx`: index.json: No such file" in done.err


def test_the_files_of_a_model_stay_while_another_run_removes_what_killed_ones_left(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from conformance.files import temporary_folder\nwith temporary_folder(): pass"
    program = f'"{sys.executable}" -c "$CLEANS" && ' + RIGHT.strip()
    monkeypatch.setenv("CLEANS", code)
    results, _ = ran(exported, tmp_path, program, "--exclude", "*error*", status=0)
    assert [result.verdict for result in results.results] == ["conforms"]


def test_how_a_program_ended_is_told() -> None:
    refused = run_program(["sh", "-c", "echo printed; echo why >&2; exit 3"], LIMITS)
    assert isinstance(refused, Exited)
    assert (refused.status, refused.printed) == (3, "why")
    assert run_program(["sh", "-c", "kill -ABRT $$"], LIMITS) == Died(signal="SIGABRT")
    assert run_program(["sh", "-c", "exit 139"], LIMITS) == Died(signal="SIGSEGV")


def test_a_program_that_does_not_end_is_killed_with_what_it_started() -> None:
    """It takes the limit of time."""
    assert run_program(["sh", "-c", "sleep 600; true"], Limits(0.3, 2**30)) == Hung(0.3)


def test_a_program_that_takes_too_much_memory_is_killed() -> None:
    code = "import time; taken = b'x' * 2**28; time.sleep(600)"
    ended = run_program([sys.executable, "-S", "-c", code], Limits(60, 2**27))
    assert isinstance(ended, Died)
    assert ended.most_memory == 2**27


@pytest.mark.parametrize(
    ("language", "suffix", "compiler"),
    [("c++", "cpp", ["g++", "-std=c++17", "-Wall", "-Werror"]), ("rust", "rs", ["rustc", "--edition", "2021"])],
)
def test_a_runner_of_the_documentation_is_right_where_it_supports_the_model(
    exported: Path, tmp_path: Path, language: str, suffix: str, compiler: list[str]
) -> None:
    """It takes some seconds to compile it."""
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no {compiler[0]}")
    text = (REPOSITORY / "docs" / "export.md").read_text()
    [code] = re.findall(rf"```{re.escape(language)}\n(.*?)```", text, re.DOTALL)
    (tmp_path / f"runner.{suffix}").write_text(code)
    subprocess.run([*compiler, "-o", "runner", f"runner.{suffix}"], cwd=tmp_path, check=True)
    done = conformance("onnx-run", exported, "--output", "report", "--", "./runner", *PLACES, cwd=tmp_path)
    assert done.status == 0, done.out + done.err
    found = by_case(read_results(tmp_path / "report" / "results.jsonl"))
    assert {case: result.verdict for case, result in found.items()} == {RETURNS: "unsupported", RAISES: "conforms"}


def test_a_result_in_npy_is_read_as_one_in_protobuf_is(exported: Path, tmp_path: Path) -> None:
    """Of bfloat16 the file has the bits."""
    bits = np.array([16256, 16384], np.uint16)
    np.save(tmp_path / "output_0.npy", bits)
    read = _read_output(tmp_path, "bfloat16")
    assert isinstance(read, Tensor)
    assert (read.dtype, read.array.astype(np.float32).tolist()) == ("bfloat16", [1.0, 2.0])
    read = _read_output(tmp_path, "uint16")
    assert isinstance(read, Tensor)
    assert read.dtype == "uint16"
    (tmp_path / "output_0.npy").write_bytes(b"no array")
    assert "cannot be read" in str(_read_output(tmp_path, None))

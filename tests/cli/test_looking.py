"""``list``, ``show``, ``check`` and help, which run nothing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.cli.command import REPOSITORY, conformance, conformance_process
from tests.execution.harness import FAKES


def test_help_names_every_command_and_the_exit_statuses(tmp_path: Path) -> None:
    done = conformance_process("--help", cwd=tmp_path)
    assert done.status == 0
    for word in ("run", "list", "show", "check", "env", "report", "6 a requested target could not be started"):
        assert word in done.out


def test_an_invalid_option_value_is_a_usage_error(tmp_path: Path) -> None:
    assert conformance("run", "--fail-on", "sometimes", cwd=tmp_path).status == 4


def test_the_operations_are_listed_with_their_cases(tmp_path: Path) -> None:
    rows = json.loads(conformance("list", "--json", cwd=tmp_path).out)
    assert [row["operation"] for row in rows] == [
        "advanced_index_get",
        "advanced_index_set",
        "basic_index_get",
        "basic_index_set",
        "batched_gather_nd",
        "batched_index_select",
        "diagonal_scatter",
        "dynamic_slice",
        "dynamic_update_slice",
        "gather_elements",
        "gather_nd",
        "index_add",
        "index_copy",
        "index_fill",
        "index_reduce",
        "index_select",
        "masked_fill",
        "masked_scatter",
        "masked_select",
        "put",
        "scatter_elements",
        "scatter_nd",
        "segment_reduce",
        "split_reduce",
        "take",
        "take_into",
        "take_into_view",
        "tensor_scatter_nd_add",
        "tensor_scatter_nd_reduce",
        "tensor_scatter_nd_update",
        "typed_gather",
        "unsorted_segment_reduce",
    ]
    assert all(row["cases"] >= row["clauses"] > 0 for row in rows)


def test_cases_can_be_listed_by_keyword_operation_and_id(tmp_path: Path) -> None:
    done = conformance("list", "cases", "scatter_nd.rule", "-k", "shape and keep", cwd=tmp_path)
    assert done.status == 0
    assert done.out.splitlines()
    assert all(line.startswith("scatter_nd.rule.") and "keep" in line for line in done.out.splitlines())


def test_the_cases_that_are_listed_are_those_of_a_run_derived_ones_too(specs: Path, tmp_path: Path) -> None:
    listed = conformance("list", "cases", "--specs", specs, "-k", "float16", cwd=tmp_path).out.split()
    run = conformance(
        "run", "reference", "--here", "--specs", specs, "-k", "float16", "--output", "out", "-q", cwd=tmp_path
    )
    assert run.status == 0, run.err
    assert sorted(listed) == sorted(read_results(tmp_path / "out").cases)
    assert len(listed) > 3


def test_a_list_is_never_older_than_the_specs(specs: Path, tmp_path: Path) -> None:
    listed = ("list", "cases", "--specs", specs)
    before = conformance(*listed, cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path)).out
    assert conformance(*listed, cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path)).out == before
    path = specs / "gather_elements.yaml"
    path.write_text(path.read_text().replace("lucky-again:", "lucky-once-more:"))
    after = conformance(*listed, cwd=tmp_path, CONFORMANCE_HOME=str(tmp_path)).out
    assert after == before.replace("lucky-again", "lucky-once-more") != before


def test_targets_are_listed_with_their_tested_versions(tmp_path: Path) -> None:
    rows = {row["target"]: row for row in json.loads(conformance("list", "targets", "--json", cwd=tmp_path).out)}
    assert {"reference", "torch", "tensorflow", "mindspore"} <= set(rows)
    assert rows["torch"]["tested"] == "2.13.0"


def test_an_id_that_no_case_has_names_the_nearest_id_and_exits_4(tmp_path: Path) -> None:
    done = conformance("list", "cases", "scatter_nd.example.insert-for-scalars", cwd=tmp_path)
    assert done.status == 4
    assert "scatter_nd.example.insert-four-scalars" in done.err


def test_a_case_is_shown_with_its_call_expectation_and_sources(tmp_path: Path) -> None:
    done = conformance("show", "scatter_nd.example.insert-four-scalars", cwd=tmp_path)
    assert done.status == 0
    for part in ("tf.raw_ops.ScatterNd#example.1", "[[4], [3], [1], [7]]", "[0, 11, 0, 10, 9, 0, 0, 12]"):
        assert part in done.out


def test_derived_cases_are_named_below_their_case_and_shown_on_request(tmp_path: Path) -> None:
    out = conformance("show", "scatter_nd.example.insert-four-scalars", cwd=tmp_path).out
    assert ".float16" in out
    assert "float16 [" not in out
    out = conformance("show", "scatter_nd.example.insert-four-scalars/as-printed.float16", cwd=tmp_path).out
    assert "updates = float16 [9.0, 10.0, 11.0, 12.0]" in out


def test_a_clause_shows_where_it_is_written(tmp_path: Path) -> None:
    out = conformance("show", "scatter_nd.rule.updates-shape", cwd=REPOSITORY).out
    [(file, line)] = re.findall(r"scatter_nd\.rule\.updates-shape  \((.+):(\d+)\)", out)
    assert "updates-shape:" in (REPOSITORY / file).read_text().splitlines()[int(line) - 1]


def test_the_suites_own_specs_and_adapters_pass_their_check(tmp_path: Path) -> None:
    done = conformance("check", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert "32 operations" in done.out


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    shutil.copytree(FAKES / "specs", tmp_path / "specs")
    return tmp_path / "specs"


def test_check_reports_every_problem_of_a_spec_with_its_line_and_exits_4(specs: Path, tmp_path: Path) -> None:
    path = specs / "gather_elements.yaml"
    path.write_text(path.read_text().replace("summary:", "sumary:").replace("exam", "exma"))
    done = conformance("check", specs, cwd=tmp_path)
    assert done.status == 4
    assert "specs/gather_elements.yaml:2: unknown key 'sumary'" in done.err
    assert "unknown key 'exmaples'" in done.err


def test_check_takes_one_spec_file(specs: Path, tmp_path: Path) -> None:
    done = conformance("check", specs / "gather_elements.yaml", cwd=tmp_path)
    assert (done.status, done.out) == (0, "ok: 1 operation, 4 clauses, 4 cases, 2 documents\n")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(): pass\n", "no function is marked with @api"),
        ("def f(:\n", "not Python"),
        (
            '@api("x", operation="gather_elments")\ndef f(input, dim, index): return 1\n',
            "did you mean 'gather_elements'?",
        ),
        (
            '@api("x", operation="gather_nd")\ndef f(parms, indices): return 1\n',
            "does not take gather_nd's argument 'params'",
        ),
        (
            '@api("x", operation="gather_nd")\ndef f(params, indices):\n    raise Unsupported("no")\n',
            "always raises Unsupported",
        ),
        (
            '@api("x", operation="gather_nd", follows="tf.dynamic_partition")\ndef f(params, indices): return 1\n',
            "no document describes",
        ),
        (
            '@api("x", operation="gather_nd", in_place="parms")\ndef f(params, indices): return 1\n',
            "in_place: no such argument",
        ),
    ],
)
def test_check_reports_what_is_wrong_with_an_adapter(tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "mine.py").write_text("from conformance.adapter import Unsupported, api\n\n" + source)
    done = conformance("check", "mine.py", cwd=tmp_path)
    assert done.status == 4
    assert "mine.py:" in done.err
    assert message in done.err


def test_check_of_a_missing_file_is_an_error(tmp_path: Path) -> None:
    assert "spec not found" in conformance("check", "none.yaml", cwd=tmp_path).err
    assert "cannot be read" in conformance("check", "none.py", cwd=tmp_path).err

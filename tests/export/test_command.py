"""``conformance export onnx`` with the package onnx."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import conformance


def test_the_selected_cases_are_written_and_counted(tmp_path: Path) -> None:
    done = conformance("export", "onnx", "new", "gather_nd.rule", "-k", "depth", "--opset", "18", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    returns, raises = (
        json.loads((tmp_path / "new" / name).read_text())["cases"] for name in ("index.json", "raises.json")
    )
    assert returns
    assert raises
    assert all("depth" in case["case"] and case["opset"] == 18 for case in (*returns, *raises))
    assert f"{len(returns)} models of {len(returns)} cases that must return" in done.out


def test_drawn_calls_are_written_too(tmp_path: Path) -> None:
    done = conformance(
        "export", "onnx", "new", "--operation", "gather_nd", "-k", "draw", "--draws", "2", "--seed", "7", cwd=tmp_path
    )
    assert done.status == 0
    index = json.loads((tmp_path / "new" / "index.json").read_text())
    assert (index["draws"], index["seed"]) == (2, 7)
    assert index["cases"]


def test_the_exit_status_is_5_if_the_schemas_of_onnx_document_none_of_the_selected_cases(tmp_path: Path) -> None:
    done = conformance("export", "onnx", "new", "index_add", cwd=tmp_path)
    assert done.status == 5
    assert "no operator of ONNX does the same" in done.out


def test_an_unknown_opset_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    done = conformance("export", "onnx", "new", "--opset", "10", cwd=tmp_path)
    assert done.status == 4
    assert "11, 12, 13, 16, 18" in done.err


def test_a_word_that_is_no_id_is_refused(tmp_path: Path) -> None:
    done = conformance("export", "onnx", "new", "gather_dn", cwd=tmp_path)
    assert done.status == 4
    assert "'gather_dn' is not the id of a case" in done.err

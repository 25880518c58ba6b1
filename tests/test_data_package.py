"""opconform-data is built from a results file, and read where nothing else is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.environments.environment import prepare_uv
from conformance.results.order import write_results
from tests.reports.sample import sample

REPOSITORY = Path(__file__).parent.parent
READER = """
import json, typing, opconform_data as data, opconform_data.types as types

print(json.dumps({
    "version": data.__version__,
    "apis": sorted({row["api"] for row in data.behaviours()["behaviours"]}),
    "findings": [finding["id"] for finding in data.conclusions()["findings"]],
    "schemas": [data.schema(name)["title"] for name in ("behaviours", "conclusions", "support")],
    "cited": sorted({claim for row in data.behaviours()["behaviours"] for claim in row["claims"]} - set(data.claims())),
    "hints": sorted(typing.get_type_hints(types.Support)),
    "supported": sorted(data.support()["apis"]),
    "size": data.path("conclusions.json.gz").stat().st_size,
}))
try:
    data.path("results.jsonl")
except FileNotFoundError as error:
    print(error)
"""


@pytest.mark.frameworks  # the build backend comes from a package index
def test_the_built_package_is_read_in_an_empty_environment(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    write_results(sample(), results)
    source = tmp_path / "opconform-data"
    shutil.copytree(
        REPOSITORY / "opconform-data", source, ignore=shutil.ignore_patterns("*.json", "*.gz", "version.py", "dist")
    )
    subprocess.run([sys.executable, REPOSITORY / "opconform-data" / "write.py", results, source], check=True)
    (tmp_path / "home").mkdir()
    uv = prepare_uv(tmp_path / "home", print, offline=False)
    built = uv.run("build", str(source), "--out-dir", str(tmp_path / "dist"), *uv.index_options)
    assert built.ok, built.errors
    [wheel] = (tmp_path / "dist").glob("*.whl")
    python = tmp_path / "empty" / "bin" / "python"
    assert uv.run("venv", str(tmp_path / "empty"), "--python", sys.executable).ok
    installed = uv.run("pip", "install", "--python", str(python), "--no-deps", "--offline", "--no-index", str(wheel))
    assert installed.ok, installed.errors
    run = subprocess.run([python, "-I", "-c", READER], capture_output=True, text=True, check=True, cwd=tmp_path)
    line, mistake = run.stdout.splitlines()
    read = json.loads(line)
    assert read["version"] == wheel.name.split("-")[1]
    assert (len(read["apis"]) > 1, len(read["findings"]) > 1, read["size"] > 100) == (True, True, True)
    assert read["schemas"] == ["Behaviours", "ConclusionsFile", "SupportFile"]
    assert read["cited"] == []
    assert "apis" in read["hints"]
    assert set(read["apis"]) <= set(read["supported"])
    assert mistake == (
        "results.jsonl: not in opconform_data, which has behaviours.json.gz, behaviours.schema.json, "
        "conclusions.json.gz, conclusions.schema.json, support.json.gz, support.schema.json"
    )

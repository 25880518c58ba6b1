"""Only regular files are read, links are not followed to be replaced, and broken records are made anew."""

from __future__ import annotations

import gzip
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.environments.stored import Environment, read_environment, write_environment
from conformance.files import open_regular, read_regular, replace_text
from conformance.reports.counterexamples import write_counterexamples
from conformance.results.file import FILE_NAME, ResultsError, ResultsWriter, read_results
from conformance.results.order import write_results
from conformance.results.variations import FoundRecord
from tests.execution.harness import FAKES, THIS_ENVIRONMENT
from tests.reports.sample import sample
from tests.untrusted.command import command

SPECS = str(FAKES / "specs")
SECONDS = 60


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    """End a test that waits for a pipe."""

    def fail(*_: object) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, fail)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


@pytest.fixture(params=["pipe", "device"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file that never ends, under names that commands take."""
    for name in ("endless", "endless.yaml", "endless.py", "results.jsonl"):
        if request.param == "pipe":
            os.mkfifo(tmp_path / name)
        else:
            (tmp_path / name).symlink_to("/dev/zero")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "report endless",
        "report .",
        "diff endless endless",
        "matrix ./results.jsonl --output out",
        "run --resume . reference --here",
        "run --lf --output . reference --here",
        "repro --all --results endless --here",
        "known update endless",
        f"list clauses --specs {SPECS}/../endless-missing.yaml",
        "list clauses --specs endless.yaml",
        f"run --specs {SPECS} --case endless.yaml reference --here",
        f"run --specs {SPECS} ./endless.py --here",
        "check ./endless.py",
        "known update --known endless.yaml results.jsonl",
    ],
)
def test_a_file_that_never_ends_is_refused(endless: Path, words: str) -> None:
    done = command(*words.split(), cwd=endless)
    assert done.status == 4, done
    assert "Traceback" not in done.err


def test_a_regression_that_never_ends_is_refused(tmp_path: Path) -> None:
    (tmp_path / "regressions").mkdir()
    os.mkfifo(tmp_path / "regressions" / "endless.yaml")
    for file in Path(SPECS).glob("*.yaml"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    done = command("list", "clauses", "--specs", tmp_path, cwd=tmp_path)
    assert done.status == 4
    assert "endless.yaml:1: cannot be read: is not a regular file" in done.err


def test_a_link_to_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link") == b"text"
    with pytest.raises(OSError, match="is a folder"):
        open_regular(tmp_path)


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\x00garbage garbage", gzip.compress(b"x" * 99)[:-20], b"plain", b""])
@pytest.mark.parametrize("ending", [".gz", ".xz"])
def test_a_broken_compressed_file_is_an_error_that_names_it(tmp_path: Path, data: bytes, ending: str) -> None:
    path = tmp_path / f"{FILE_NAME}{ending}"
    path.write_bytes(data)
    with pytest.raises(ResultsError, match=rf"results\.jsonl\{ending}"):
        read_results(path)


def test_what_a_link_names_is_not_replaced(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "out"
    for path in (outside, outside / "counterexamples", folder):
        path.mkdir()
    outside_files = ["index.html", "results.jsonl", "counterexamples/a.found.b.yaml"]
    for name in outside_files:
        (outside / name).write_text("theirs")
    for name in ("index.html", "results.jsonl", "counterexamples"):
        (folder / name).symlink_to(outside / name)
    (folder / f".{os.getpid()}.index.html").symlink_to(outside / "index.html")
    replace_text(folder / "index.html", "ours")
    with ResultsWriter(folder / FILE_NAME) as writer:
        writer.write(sample().run)
    write_counterexamples(sample(), folder)
    assert [(outside / name).read_text() for name in outside_files] == ["theirs"] * 3
    assert (folder / "index.html").read_text() == "ours"


@pytest.mark.parametrize("name", ["../../outside", "a\0b/found.1", "x" * 5000, "a\nb: c/found.1"])
def test_the_name_of_a_counterexample_is_one_of_a_file_in_its_folder(tmp_path: Path, name: str) -> None:
    results = sample()
    case = replace(next(iter(results.cases.values())), id=name, variation=FoundRecord(), number=None)
    results.cases[name] = case
    (tmp_path / "out").mkdir()
    write_counterexamples(results, tmp_path / "out")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.parent for path in files] == [tmp_path / "out" / "counterexamples"]


def test_reports_are_written_beside_a_link_to_results(tmp_path: Path) -> None:
    for name in ("outside", "out"):
        (tmp_path / name).mkdir()
    write_results(sample(), tmp_path / "outside" / FILE_NAME)
    (tmp_path / "out" / FILE_NAME).symlink_to(tmp_path / "outside" / FILE_NAME)
    assert command("report", "out", cwd=tmp_path).status == 0
    assert [path.name for path in (tmp_path / "outside").iterdir()] == [FILE_NAME]


@pytest.mark.parametrize(
    "broken",
    [
        "", "[]", "null", "[" * 200_000, '{"format": 1}', '{"packages": []}', '{"packages": {"a": 1}}',
        '{"packages": {"a": {"b": {}}}}', '{"version": 5}', '{"python": ["x"]}', '{"recipe": null}', '{"new": 1}',
    ],
)  # fmt: skip
def test_a_broken_record_of_an_environment_is_made_anew(tmp_path: Path, broken: str) -> None:
    python = tmp_path / "python"
    python.touch()
    write_environment(replace(THIS_ENVIRONMENT, folder=tmp_path, python=python, recipe="r"), tmp_path)
    [file] = [path for path in tmp_path.iterdir() if path.suffix == ".json"]
    assert isinstance(read_environment(tmp_path), Environment)
    whole = json.loads(file.read_text())
    try:
        file.write_text(json.dumps({**whole, **json.loads(broken)}) if broken != '{"format": 1}' else broken)
    except (ValueError, TypeError, RecursionError):
        file.write_text(broken)
    assert read_environment(tmp_path) is None


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here cannot be read from its start")
def test_a_file_that_cannot_be_read_in_the_middle_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.conformance]\nspecs = "/proc/self/mem"\n')
    done = command("list", "clauses", cwd=tmp_path)
    assert (done.status, "Traceback" in done.err) == (7, False)
    assert "/proc/self/mem: Input/output error" in done.err

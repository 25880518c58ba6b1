"""docs/tutorial.md, followed step by step, and what can go wrong on the way."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.results.file import read_results
from conformance.results.records import ResultRecord
from tests.cli.command import Done, conformance
from tests.specification.specs_page import TUTORIAL

BLOCK = re.compile(r"(?:`([\w/.]+)`( continues| fixed)?:\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SPEC, REFERENCE = "max/tensor_scatter_nd_max.yaml", "max/reference.py"
DUPLICATES = "tensor_scatter_nd_max.behaviour.the-greatest-stays/duplicates"
STRETCHED = "tensor_scatter_nd_max.rule.updates-shape/break.one-update-for-three"


def _blocks() -> Iterator[tuple[str, str, bool]]:
    """Each block in order: a file's name, its text, and whether it continues the file; no name where it is what a user types."""
    for name, how, language, text in BLOCK.findall(TUTORIAL):
        assert bool(name) == (language != "console"), text
        yield name, text, how == " continues"


def _write(folder: Path, name: str, text: str, *, continues: bool) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{path.read_text()}\n{text}" if continues else text)


def _typed(text: str) -> list[tuple[list[str], list[str]]]:
    """The commands of a block, each with the lines that are shown of what it prints."""
    commands: list[tuple[list[str], list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            program, *arguments = shlex.split(line.removeprefix("$ "))
            assert program == "conformance"
            commands.append((arguments, []))
        else:
            commands[-1][1].append(line)
    return commands


def _run(folder: Path, *arguments: str) -> Done:
    return conformance(*arguments, cwd=folder, CONFORMANCE_HOME=str(folder / "home"), COLUMNS="200")


def _results(folder: Path) -> dict[str, ResultRecord]:
    return {result.case: result for result in read_results(folder / "conformance-report").results}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All files that a user has written at the end of the tutorial."""
    for name, text, continues in _blocks():
        if name:
            _write(tmp_path, name, text, continues=continues)
    return tmp_path


def test_every_command_of_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    ran = 0
    for name, text, continues in _blocks():
        if name:
            _write(tmp_path, name, text, continues=continues)
            continue
        for arguments, shown in _typed(text):
            done = _run(tmp_path, *arguments)
            printed = [*(done.out + done.err).splitlines(), f"exit status {done.status}"]
            for line in shown:
                assert any(line in one for one in printed), (arguments, line, printed)
            if arguments[0] == "run":
                assert done.status == int("exit status 1" in shown), printed
            ran += 1
    assert ran == 9
    draws = [result for case, result in _results(tmp_path).items() if "/draw." in case]
    assert len(draws) == 40
    assert {result.verdict for result in draws} == {"conforms"}


def test_the_first_attempt_is_found_wrong_on_duplicates_and_on_what_it_stretches(folder: Path) -> None:
    first, _ = [text for name, text, _ in _blocks() if name == "mine.py"]
    (folder / "mine.py").write_text(first)
    assert _run(folder, "run", "./mine.py", "--here", "--specs", "max/", "-q").status == 1
    diverging = {case: result for case, result in _results(folder).items() if result.verdict == "diverges"}
    assert diverging[STRETCHED].divergence == ["accepted"]
    assert diverging[DUPLICATES].divergence == ["value"]
    assert {(case.partition("/")[0], *result.divergence) for case, result in diverging.items()} == {
        (STRETCHED.partition("/")[0], "accepted"),
        (DUPLICATES.partition("/")[0], "value"),
    }, "other calls of theirs, and no other defect"
    assert {result.standing for result in diverging.values()} == {"own"}


def test_draws_show_the_defects_of_the_first_attempt_in_a_case_of_a_few_elements(folder: Path) -> None:
    first, _ = [text for name, text, _ in _blocks() if name == "mine.py"]
    (folder / "mine.py").write_text(first)
    drawn = ("-k", "draw.", "--draws", "20", "-q")
    assert _run(folder, "run", "./mine.py", "--here", "--specs", "max/", *drawn).status == 1
    files = sorted((folder / "conformance-report" / "counterexamples").iterdir())
    assert files
    for file in files:
        again = _run(
            folder, "run", "./mine.py", "--here", "--specs", "max/", "--case", str(file), "-q", "--output", "again"
        )
        assert again.status == 1, file.read_text()


@pytest.mark.parametrize(
    ("right", "wrong", "clause", "kind"),
    [
        ("np.maximum.at", "np.minimum.at", "example.three-elements-of-zeros", "value"),
        ("result = tensor.copy()", "result = tensor", "behaviour.the-greatest-stays", "input-changed"),
        ("return result", "return result.astype('int64')", "behaviour.the-greatest-stays", "dtype"),
        (
            "result = tensor.copy()",
            "result = tensor.copy()\n    updates = updates[-1:]",
            "behaviour.the-greatest-stays",
            "value",
        ),
    ],
)
def test_a_defect_in_the_implementation_is_found(folder: Path, right: str, wrong: str, clause: str, kind: str) -> None:
    text = (folder / "mine.py").read_text()
    assert text.count(right) == 1
    (folder / "mine.py").write_text(text.replace(right, wrong))
    done = _run(folder, "run", "./mine.py", f"tensor_scatter_nd_max.{clause}", "--here", "--specs", "max/", "-q")
    assert done.status == 1, done.out + done.err
    diverging = [result for result in _results(folder).values() if result.verdict == "diverges"]
    assert any(kind in result.divergence for result in diverging)


def test_without_a_reference_what_needs_one_is_left_out_and_the_rest_runs(folder: Path) -> None:
    (folder / REFERENCE).unlink()
    assert _run(folder, "check", "max/").status == 0
    done = _run(folder, "run", "./mine.py", "--here", "--specs", "max/", "--draws", "6", "-q")
    assert done.status == 0, done.out + done.err
    results = _results(folder)
    assert {result.verdict for result in results.values()} == {"conforms", "observed"}
    # Whether the shape of updates fits indices without axes, the rule does not say, nor would the reference; nor what follows
    # from an index outside. An error for a tensor without elements proves nothing, as the control has some.
    observed = {case.partition("/form.")[2] for case, result in results.items() if result.verdict == "observed"}
    assert {name for name in observed if ".beside-" in name}
    assert {name for name in observed if ".beside-" not in name} == {
        "empty-outer",
        "empty-outer-and-inner",
        "indices-of-shape-0",
        "indices-of-shape-0.index-float32",
        "indices-without-axes",
        "no-axes",
        "tensor-of-shape-0",
        "updates-of-shape-0",
    }
    assert {case.partition("/")[0] for case in results if "/draw." in case} == {
        "tensor_scatter_nd_max.rule.updates-shape"
    }
    assert f"{DUPLICATES}.strided" in results
    assert not [case for case in results if case.endswith((".float32", ".index-int64"))]


@pytest.mark.parametrize("changed", ["", "        behaviour: ignores\n"])
def test_a_call_whose_result_nobody_gives_is_an_error_with_its_line(folder: Path, changed: str) -> None:
    (folder / REFERENCE).unlink()
    text = (folder / SPEC).read_text()
    text = text.replace("        returns: [70, 20, 30, 43, 50]\n", changed)
    text = text.replace("[[3], [0], [3], [4], [0], [3]]", "[[3], [0], [3], [9], [0], [3]]") if changed else text
    (folder / SPEC).write_text(text)
    [line] = [number for number, one in enumerate(text.splitlines(), 1) if one.strip() == "duplicates:"]
    for arguments in (["check", "max/"], ["run", "./mine.py", "--here", "--specs", "max/"]):
        done = _run(folder, *arguments)
        assert done.status == 4
        assert f"{SPEC}:{line}: {DUPLICATES}: " in done.err
        assert "the reference does not implement tensor_scatter_nd_max; add returns" in done.err
        assert "1 problem " in done.err


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("import numpy as np", "import numpi as np", "No module named 'numpi'"),
        ("return result", "return result.tolist()", "returned list instead of an array"),
        ("return result", "return result.astype('int64')", "returned int64 of shape [8], but the spec says bool"),
        ("return result", "return result[..., None]", "but the spec says"),
        ("(tensor, indices,", "(tensor, index,", f"{REFERENCE}:11: reference.tensor_scatter_nd_max: does not take"),
        ('operation="tensor_', 'operation="sensor_', f"{REFERENCE}:10: reference.tensor_scatter_nd_max: undefined"),
        ("def describe", "def describe(", f"{REFERENCE}:6: not Python"),
    ],
)
def test_a_reference_that_cannot_be_used_is_an_error_that_says_why(
    folder: Path, right: str, wrong: str, message: str
) -> None:
    text = (folder / REFERENCE).read_text()
    assert text.count(right) == 1
    (folder / REFERENCE).write_text(text.replace(right, wrong))
    done = _run(folder, "check", "max/")
    assert done.status == 4
    assert message in done.err, done.err
    assert len(done.err.splitlines()) < 12, "one mistake is told a few times at most"


def test_a_wrong_reference_is_told_by_the_results_that_the_spec_prints(folder: Path) -> None:
    text = (folder / REFERENCE).read_text()
    (folder / REFERENCE).write_text(text.replace("np.maximum(result[where], updates[batch])", "updates[batch]"))
    done = _run(folder, "run", "./max/reference.py", "--here", "--specs", "max/", "-q")
    assert done.status == 1
    assert _results(folder)[DUPLICATES].divergence == ["value"]

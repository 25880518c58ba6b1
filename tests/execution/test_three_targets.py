"""Of three targets, one sends garbage and one hangs: the results of the right one survive whatever ends the run."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from conformance.results.exit_status import OK, USAGE
from conformance.results.file import FILE_NAME, Results, read_results
from tests.cli.command import conformance
from tests.execution.hanging import Run, wait
from tests.execution.harness import FAKES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

GARBAGE = """
import struct

import numpy as np

from conformance.adapter import api
from conformance.worker import frames

frame, garbled = frames.frame, []
frames.frame = lambda number, header, body: (
    frame(number, b"[]", struct.pack("<d", 0.0)) if garbled else frame(number, header, body)
)


@api("garbage.gather", operation="gather_elements")
def gather(input, dim, index):
    if 13 in input and input.dtype == np.int32 and input.flags.c_contiguous:
        garbled.append(True)
    return np.take_along_axis(input, index, dim)
"""
WRITTEN = ("-k", "not as-printed.")
"""Each of the derived calls would hang too, for as long as a call may take."""
WORDS = ("--here", "--specs", str(FAKES / "specs"), *WRITTEN, "--output", "out", "-q")
THREE = ("./leaves_processes.py", "./garbage.py", "reference")


def of_reference(results: Results) -> dict[str, str]:
    return {one.case: one.verdict for one in results.results if one.target.startswith("reference")}


def is_finished(folder: Path) -> bool:
    """Whether the right target and the one that sends garbage have ended."""
    file = folder / FILE_NAME
    targets = read_results(folder).targets if file.exists() and file.stat().st_size else []
    return sum(target.seconds is not None for target in targets) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_right_one_is_judged_and_the_run_can_be_resumed(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "garbage.py").write_text(GARBAGE)
    with Run(tmp_path, "--jobs", "3", *WRITTEN, more=THREE[1:]) as run:
        run.wait_until_it_hangs()
        wait(lambda: is_finished(tmp_path / "out"))
        second = conformance("run", *THREE, *WORDS, cwd=tmp_path)
        assert (second.status, "another run writes to it" in second.err) == (USAGE, True)
        assert run.process.poll() is None
        run.process.send_signal(number)
        run.process.wait()
    broken_off = read_results(tmp_path / "out")
    assert not broken_off.complete
    right = of_reference(broken_off)
    assert {*right.values()} == {"conforms"}
    done = conformance("run", *THREE, *WORDS[:5], "-q", "--resume", "out", "--timeout", "1", cwd=tmp_path)
    assert done.status not in (OK, USAGE)
    whole = read_results(tmp_path / "out")
    assert whole.complete
    assert of_reference(whole) == right
    assert right.keys() == whole.cases.keys()
    verdicts = {(one.case, one.api): one.verdict for one in whole.results}
    assert verdicts["gather_elements.example.unlucky/as-printed", "leaves.hang"] == "hung"
    assert verdicts["gather_elements.example.unlucky/as-printed", "garbage.gather"] == "died"
    assert verdicts["gather_elements.example.lucky-again/as-printed", "garbage.gather"] == "conforms"

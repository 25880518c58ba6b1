"""``conformance check --self`` catches every wrong adapter, and reports the ones that it misses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.app.errors import ConformanceError
from conformance.cli import selfcheck
from conformance.judging.vocabulary import Verdict
from conformance.results.exit_status import INTERNAL
from conformance.results.records import ResultRecord
from conformance.selfcheck import planted_defects, worker_faults, wrong_batches, wrong_derivatives
from conformance.selfcheck.catalogue import DEFECTS
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.planted_defects import missed, planted
from conformance.selfcheck.worker_faults import FAULT_LIST
from tests.cli.command import conformance
from tests.outcomes import ABORT, SEGFAULT, returned

KINDS = (
    *("along the first axis", "every floating dtype", "equal to the size", "the last position instead"),
    *("adds where it should set", "sets where it should add", "drops the tail", "drops the last", "clamps", "wraps"),
    *("changes its input", "returns its input", "depends on the order", "poisoned after an error", "crashes"),
    *("hangs", "noise", "eats memory", "vectorised", "makes rank 1 of rank 0", "in Fortran order"),
)
"""Parts of the names of defects that the catalogue must have."""
FEW_DEFECTS = DEFECTS[::8]
"""The command plants these, and as few hooks; test_planted_defects.py and test_planted_hooks.py plant each."""


def test_the_command_catches_every_fault_and_defect_and_blames_no_correct_adapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planted_defects, "DEFECTS", FEW_DEFECTS)
    for hooks in (wrong_derivatives, wrong_batches):
        monkeypatch.setattr(hooks, "WRONG", hooks.WRONG[::8])
        monkeypatch.setattr(hooks, "RIGHT", hooks.RIGHT[:1])
    done = conformance("check", "--self", "--json", cwd=tmp_path)
    assert done.status == 0, done.err
    detections = json.loads(done.out)
    assert [detection for detection in detections if not detection["caught"]] == []
    caught = [detection["name"] for detection in detections]
    assert [defect.name for defect in FEW_DEFECTS if not any(name.startswith(defect.name) for name in caught)] == []
    names = [*caught, *(defect.name for defect in DEFECTS)]
    assert [kind for kind in KINDS if not any(kind in name for name in names)] == []


@pytest.mark.parametrize("words", [("--json",), ("--self", "specs/scatter_nd.yaml")])
def test_self_cannot_be_combined_with_a_path_and_json_requires_it(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = conformance("check", *words, cwd=tmp_path)
    assert done.status == 4
    assert "conformance check --self" in done.err


def test_a_missed_defect_is_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = [Detection("crashes", "died", caught=True, found="died"), Detection("lies", "value", False, "conforms")]
    monkeypatch.setattr(selfcheck, "_detections", lambda: iter(outcomes))
    with pytest.raises(ConformanceError, match="lies: expected value, found conforms") as raised:
        selfcheck.check_self(as_json=False)
    assert raised.value.status == INTERNAL
    assert "MISSED: lies" in capsys.readouterr().out


def test_an_adapter_without_the_defect_is_not_reported_as_having_it(tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    defect = next(defect for defect in DEFECTS if defect.caught == "value")
    path.write_text(planted(replace(defect, new=defect.old)))
    assert missed(defect, path) == list(defect.operations)


def test_a_defect_that_no_longer_fits_the_reference_is_an_error() -> None:
    with pytest.raises(ValueError, match="'no such line' is not in the reference"):
        planted(replace(DEFECTS[0], old="no such line"))


def _result(case: str, verdict: Verdict, **more: Any) -> ResultRecord:
    return replace(ResultRecord(case, "t", "a", "c", returned(), "conforms", "portability"), verdict=verdict, **more)


@pytest.mark.parametrize(
    ("results", "actual"),
    [
        ([], "no result"),
        ([_result(FAULT_LIST[0].case, "conforms")], "conforms (signal None)"),
        (
            [_result(FAULT_LIST[0].case, "died", outcome=ABORT)],
            "died (signal SIGABRT)",
        ),
        (
            [
                _result(FAULT_LIST[0].case, "died", outcome=SEGFAULT),
                _result("another", "diverges"),
            ],
            "and diverges in another",
        ),
    ],
    ids=["none", "conforms", "other-signal", "other-case"],
)
def test_a_fault_is_caught_only_by_the_expected_outcome_in_the_expected_case(
    results: list[ResultRecord], actual: str
) -> None:
    outcome = worker_faults._detection(FAULT_LIST[0], results)
    assert not outcome.caught
    assert actual in outcome.found


def test_a_correct_adapter_with_a_divergence_is_reported_with_it() -> None:
    right = [_result("first", "conforms"), _result("second", "diverges", explanation="2 of 3 elements differ")]
    outcome = worker_faults._blame("mine", right)
    assert (outcome.caught, outcome.found) == (False, "diverges in second: 2 of 3 elements differ")
    assert worker_faults._blame("mine", right[:1]).caught

"""``conformance show API``: what it does, from the published run that the suite has."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from conformance.app.published import NAME, Published
from conformance.cli.show_api import show_apis
from tests.cli.command import REPOSITORY, conformance
from tests.findings.published import published_lines

REPORTS = REPOSITORY / "reports"


def behaviour(situation: str, verb: str, target: str = "torch==2.13.0@cpu", **more: object) -> dict[str, object]:
    usual = {"claims": ["page#a"], "of_all_calls": False, "calls": 3, "of": 3, "verdicts": {"conforms": 3}}
    about = {"api": "torch.f", "operation": "take", "target": target, "situation": situation, "verb": verb}
    return {**about, **usual, **more}


def shown(capsys: pytest.CaptureFixture[str], *behaviours: dict[str, object]) -> list[str]:
    titles = ["index past the end", "negative index", "no indices", "int8 indices", "int16 indices", "arguments"]
    names = ["past-the-end", "below-zero", "no-indices", "int8-indices", "int16-indices", "arguments"]
    content = {
        "started": "2026-11-26T16:01:22Z",
        "suite_version": "0.1.0",
        "spec_digest": "7507ce5ee01fc197",
        "situations": dict(zip(names, titles, strict=True)),
        "behaviours": behaviours,
    }
    show_apis(["torch.f"], Published(content), as_json=False)
    return capsys.readouterr().out.splitlines()


def test_the_question_of_a_negative_index_is_answered_in_a_few_lines_with_the_version(tmp_path: Path) -> None:
    done = conformance("show", "torch.gather", cwd=tmp_path)
    assert done.status == 0
    lines = done.out.splitlines()
    assert "gather_elements" in lines[0]
    assert "on torch==" in lines[0]
    [answer] = [line for line in lines if line.startswith("  negative index: ")]
    assert "raises" in answer
    assert lines[-1].startswith("(published run of 20")
    assert len(lines) <= 14


def test_a_situation_has_its_verbs_and_whether_they_are_documented(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(
        capsys,
        behaviour("past-the-end", "raises", verdicts={"own": 1, "conforms": 2}),
        behaviour("below-zero", "clamps", calls=1, claims=[]),
        behaviour("below-zero", "raises", calls=2, claims=[]),
        behaviour("no-indices", "returns"),
        behaviour("int8-indices", "returns"),
        behaviour("int16-indices", "returns", claims=[], of_all_calls=True),
        behaviour("arguments", "keeps-arguments"),
    ) == [
        "torch.f (take) on torch==2.13.0@cpu",
        "  index past the end: raises, in 1 call against its documentation",
        "  negative index: clamps in 1 of 3 calls, raises in 2 of 3 calls, its documentation does not say",
        "  no indices; int8, int16 indices: returns, as documented",
        "(published run of 2026-11-26, suite 0.1.0, specs 7507ce5e)",
    ]


def test_another_mode_is_said_to_do_the_same_or_where_it_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    here = [behaviour("past-the-end", "raises"), behaviour("no-indices", "returns")]
    same = [behaviour("past-the-end", "raises", "torch==2.13.0[compile]@cpu")]
    other = [behaviour("past-the-end", "returns", "torch==2.13.0[meta]@cpu")]
    lines = shown(capsys, *here, *same, *other)
    assert "  on torch==2.13.0[compile]@cpu: the same in 1 situation, the only one tried there" in lines
    assert "  on torch==2.13.0[meta]@cpu: not the same with index past the end" in lines


def test_only_calls_that_conform_are_as_documented(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(
        capsys,
        behaviour("past-the-end", "dies", verdicts={"died": 3}),
        behaviour("below-zero", "raises", verdicts={"own": 3}),
        behaviour("no-indices", "returns", verdicts={"conforms": 1, "observed": 2}),
        behaviour("int8-indices", "raises", verdicts={"observed": 3}),
    )
    assert lines[1:5] == [
        "  index past the end: ends the process, whatever its documentation says",
        "  negative index: raises, against its documentation",
        "  no indices: returns, in 1 call as documented",
        "  int8 indices: raises, its documentation does not say",
    ]


def test_another_mode_differs_only_in_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    here = behaviour("past-the-end", "raises", calls=2, of=18)
    there = behaviour("past-the-end", "raises", "torch==2.13.0[compile]@cpu", calls=4, of=20, claims=[])
    assert "  on torch==2.13.0[compile]@cpu: the same" in shown(capsys, here, there)


def test_its_records_are_those_of_behaviours_json(tmp_path: Path) -> None:
    lines = conformance("show", "torch.gather", "--json", cwd=tmp_path).out.splitlines()
    assert {json.loads(line)["api"] for line in lines} == {"torch.gather"}


def test_a_misspelt_api_is_told_with_the_nearest_before_cases_are_built(tmp_path: Path) -> None:
    done = conformance("show", "torch.gathr", cwd=tmp_path)
    assert (done.status, done.out) == (4, "")
    assert "did you mean 'torch.gather'?" in done.err


def test_a_clause_is_shown_beside_an_api(tmp_path: Path) -> None:
    done = conformance("show", "gather_elements.rule.index-range", "torch.gather", cwd=tmp_path)
    assert done.status == 0
    assert "(published run of" in done.out
    assert "gather_elements.rule.index-range  (specs/gather_elements.yaml:" in done.out


def test_the_file_is_of_the_published_results() -> None:
    content = json.loads(gzip.decompress((REPORTS / NAME).read_bytes()))
    run = json.loads(next(published_lines()))
    names = ("started", "suite_version", "spec_digest")
    assert [content[name] for name in names] == [run[name] for name in names]

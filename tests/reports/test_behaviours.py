"""The behaviour table in behaviours.json, in sentences and on the page."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import TypeAdapter

from conformance.findings.verbs import VERBS
from conformance.reports.behaviours import WORDS, Behaviours, behaviours_json
from conformance.results.file import Results
from tests.outcomes import returned
from tests.reports.sample import sample
from tests.reports.sample_porting import NAMES, TARGETS, results_to_port
from tests.reports.site_of import site_of


def verbs_of(results: Results, situation: str, target: str) -> list[tuple[str, str]]:
    file = TypeAdapter(Behaviours).validate_json(behaviours_json(results))
    return [
        (behaviour.verb, behaviour.api)
        for behaviour in file.behaviours
        if (behaviour.situation, behaviour.target) == (situation, target)
    ]


def test_the_file_has_a_behaviour_on_each_line_and_a_title_for_each_situation() -> None:
    text = behaviours_json(results_to_port())
    file = json.loads(text)
    assert len(text.splitlines()) == len(file["behaviours"]) + 2
    assert {behaviour["situation"] for behaviour in file["behaviours"]} == file["situations"].keys()
    assert file["schema"] == 2
    assert verbs_of(results_to_port(), "past-the-end", TARGETS["torch"]) == [("raises", NAMES["torch"])]


def test_every_verb_has_a_word_and_an_icon_of_its_own() -> None:
    assert tuple(WORDS) == VERBS
    assert len({icon for icon, _ in WORDS.values()}) == len(WORDS) == len({word for _, word in WORDS.values()})


def test_the_colour_of_arguments_is_about_the_arguments() -> None:
    results = results_to_port()
    wrong = [replace(one, verdict="diverges", divergence=["value"]) for one in results.results]
    file = TypeAdapter(Behaviours).validate_json(behaviours_json(replace(results, results=wrong)))
    verdicts = {sort for one in file.behaviours if one.verb == "keeps-arguments" for sort in one.verdicts}
    assert verdicts == {"conforms"}
    changed = [
        replace(one, outcome=returned(changed=("params",)), verdict="diverges", divergence=["input-changed"])
        for one in results.results
    ]
    file = TypeAdapter(Behaviours).validate_json(behaviours_json(replace(results, results=changed)))
    of_verbs = {(one.verb, sort) for one in file.behaviours for sort in one.verdicts}
    assert {sort for verb, sort in of_verbs if verb == "changes-arguments"} == {"portability"}
    assert {sort for verb, sort in of_verbs if verb != "changes-arguments"} <= {"conforms", "observed"}


@pytest.mark.parametrize("results", [Results(sample().run), sample(complete=False)])
def test_results_without_any_situation_make_a_page_and_a_file(results: Results) -> None:
    assert site_of(results)["index.html"].endswith("</html>")
    TypeAdapter(Behaviours).validate_json(behaviours_json(results))

"""The account of one result says everything to whoever has nothing but this."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.judging.vocabulary import Behaviour, Determinism
from conformance.outcomes.model import Warned
from conformance.reports.details import details, determinism_text
from conformance.reports.remarks import mixed_entry_texts, varying_texts
from conformance.results.file import Results
from conformance.results.records import Difference, Differences, KnownRecord, ResultRecord
from tests.outcomes import returned
from tests.reports.sample import sample
from tests.reports.sample_cases import MINDSPORE, TORCH


def _diverging(results: Results, target: str, clause: str) -> ResultRecord:
    return next(one for one in results.results if (one.target, one.clause, one.verdict) == (target, clause, "diverges"))


def test_it_says_whether_an_api_breaks_its_own_documentation_or_differs_from_anothers() -> None:
    results = sample()
    own = _diverging(results, MINDSPORE, "scatter_nd.rule.shape-positive")
    assert details(results, own).startswith("mindspore.ops.scatter_nd breaks its own documentation (standing: own)\n")
    other = _diverging(results, TORCH, "scatter_nd.relation.zeros-then-add")
    first = details(results, other).splitlines()[0]
    assert first.startswith("torch.Tensor.index_put_ differs from other documentation: tf.raw_ops.ScatterNd")


def test_it_names_device_and_mode_the_rule_and_each_claim_in_words() -> None:
    results = sample()
    text = details(results, _diverging(results, MINDSPORE, "scatter_nd.rule.shape-positive"))
    clause = results.clauses["scatter_nd.rule.shape-positive"]
    assert f"target: {MINDSPORE}, device cpu, mode " in text
    assert f"rule: {clause.requires}" in text
    for citation in clause.citations:
        assert f"  {citation.document}, {citation.locator}: {citation.says}" in text


def test_a_cause_without_a_script_says_why() -> None:
    results = sample()
    result = _diverging(results, TORCH, "scatter_nd.relation.zeros-then-add")
    assert "no script" not in details(results, result)
    assert "no script: it died elsewhere" in details(results, replace(result, no_script="it died elsewhere"))


def test_five_elements_are_shown_with_the_greatest_difference_and_the_bound_that_it_broke() -> None:
    results = sample()
    result = _diverging(results, TORCH, "scatter_nd.relation.zeros-then-add")
    first = [Difference([at], 0.0, 0.5 + at) for at in range(12)]
    largest = replace(first[11], difference=11.5)
    text = details(results, replace(result, differences=Differences(12, 40, first, largest, bound=0.05)))
    assert "differing elements: 12 of 40\n  [0]: expected 0.0, actual 0.5\n" in text
    assert text.count(": expected 0.0, actual") == 5
    assert "  and 7 more\nlargest difference: 11.5 at [11] (0.05 allowed)" in text
    exact = details(results, replace(result, differences=Differences(12, 40, first, largest)))
    assert "largest difference: 11.5 at [11] (exact match required)" in exact


def test_what_is_known_has_its_reason_and_link() -> None:
    results = sample()
    result = next(one for one in results.results if one.known)
    entry = KnownRecord("mindspore", str(result.known), "The kernel\nsays so.", "unreported", "divergences.yaml:3")
    text = details(replace(results, known={("mindspore", entry.id): entry}), result)
    assert f"known divergence: {entry.id}: The kernel says so. (unreported)" in text


@pytest.mark.parametrize(
    ("grade", "said"),
    [
        (Determinism(4, 1, "same-bits", permitted=True), "the same bits each time, a permitted result"),
        (Determinism(4, 1, "same-bits", permitted=False), "the same bits each time, not a permitted result"),
        (Determinism(4, 1, "same-bits", permitted=None), "the same bits each time"),
        (Determinism(4, 3, "varies", permitted=True), "3 different results, all of them permitted"),
        (Determinism(4, 3, "varies", permitted=False), "3 different results, not all of them permitted"),
    ],
)
def test_what_repetitions_gave_is_a_sentence(grade: Determinism, said: str) -> None:
    assert determinism_text(grade) == f"repeated 4 times because of duplicate indices: {said}"
    threads = replace(grade, threads=2)
    assert determinism_text(threads) == f"repeated 4 times because of duplicate indices, with 2 threads: {said}"


def test_a_summary_counts_what_varies_and_names_one() -> None:
    results = sample()
    assert varying_texts(results) == []
    first, *others = results.results
    varies = replace(first, determinism=Determinism(4, 2, "varies", permitted=True))
    [text] = varying_texts(replace(results, results=[varies, *others]))
    assert text == (
        f"1 call with duplicate indices gave different results when repeated, e.g. {first.api} on {first.target} "
        f"in {first.case}"
    )


def test_warnings_are_sentences() -> None:
    results = sample()
    result = results.results[0]
    outcome = returned(warnings=(Warned("this will change", 3),))
    assert "warning, 3 times: this will change" in details(results, replace(result, outcome=outcome))


def test_an_entry_whose_results_treat_an_index_in_several_ways_is_named() -> None:
    results = sample()
    first, second = results.results[:2]
    framework = next(target.framework for target in results.targets if target.id == first.target)
    entry = KnownRecord(framework, "outside", "a reason", "unreported", "divergences.yaml:3")

    def texts(one: Behaviour, other: Behaviour) -> list[str]:
        treated = [
            replace(first, known=entry.id, behaviour=one),
            replace(first, known=entry.id, behaviour=other),
            second,
        ]
        return mixed_entry_texts(replace(results, results=treated, known={(framework, entry.id): entry}))

    assert texts("clamps", "ignores") == [
        "the known divergence outside (divergences.yaml:3) records results of several kinds: clamps 1, ignores 1; say with "
        "behaviour which it is about"
    ]
    assert texts("clamps", "other") == texts("clamps", "clamps") == []

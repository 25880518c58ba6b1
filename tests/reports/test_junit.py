from __future__ import annotations

from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree as ET

from conformance.reports.junit import junit_xml
from conformance.results.file import Results
from tests.reports.sample import sample
from tests.reports.sample_cases import JAX, MINDSPORE, TENSORFLOW, TORCH


def suites(results: Results) -> dict[str, ET.Element]:
    root = ET.fromstring(junit_xml(results).encode())
    return {suite.get("name", ""): suite for suite in root}


def case(suite: ET.Element, name: str) -> ET.Element:
    return next(one for one in suite.iter("testcase") if one.get("name") == name)


def test_each_target_is_a_suite_and_each_result_a_case_of_its_operation() -> None:
    found = suites(sample())
    assert list(found) == ["reference@cpu", TORCH, TENSORFLOW, MINDSPORE, JAX]
    one = case(found[TORCH], "gather_elements.behaviour.nan-payload/1 [torch.gather]")
    assert one.get("classname") == "gather_elements"
    assert one.get("time") == "0.0042"


def test_the_counts_of_suites_and_of_the_whole_are_those_of_their_cases() -> None:
    root = ET.fromstring(junit_xml(sample()))
    whole: Counter[str] = Counter()
    for suite in root:
        tags = {"failures": "failure", "errors": "error", "skipped": "skipped"}
        counts = {name: len(suite.findall(f"testcase/{tag}")) for name, tag in tags.items()}
        counts["tests"] = len(suite.findall("testcase"))
        assert {name: int(suite.get(name, "-1")) for name in counts} == counts
        whole.update(counts)
    assert {name: int(root.get(name, "-1")) for name in whole} == whole


def test_results_that_are_wrong_for_one_reason_are_one_case_that_names_them_all() -> None:
    results = sample()
    wrong = [
        replace(one, divergence=["value"], explanation=f"{number} elements differ.")
        for number, one in enumerate(one for one in results.results if one.target == TORCH)
        if one.clause.startswith("gather_elements.")
    ]
    judged = [replace(one, verdict="diverges", standing="portability", known=None) for one in wrong]
    suite = suites(replace(results, results=judged))[TORCH]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    [failure] = suite.iter("failure")
    assert str(failure.get("message")).endswith(f"(and {len(wrong) - 1} more results)")
    for one in wrong:
        assert one.case in ET.tostring(suite, encoding="unicode")


def test_only_conforming_results_pass() -> None:
    results = sample()
    passed = sum(len(one) == 0 for suite in suites(results).values() for one in suite.iter("testcase"))
    assert passed == sum(result.verdict == "conforms" for result in results.results)


def test_a_verdict_has_the_element_that_consumers_know() -> None:
    found = suites(sample())
    expected = {
        (MINDSPORE, "scatter_nd.rule.shape-positive/broken.1 [mindspore.ops.scatter_nd]"): ("failure", "own diverges"),
        (MINDSPORE, "scatter_nd.rule.shape-positive/broken.2 [mindspore.ops.scatter_nd]"): (
            "skipped", "known own diverges"),
        (TORCH, "scatter_nd.relation.zeros-then-add/1 [torch.Tensor.index_put_]"): ("failure", "portability diverges"),
        (TENSORFLOW, "scatter_nd.rule.shape-positive/broken.1 [tf.raw_ops.ScatterNd]"): ("error", "died"),
        (TENSORFLOW, "scatter_nd.rule.updates-shape/broken.1 [tf.scatter_nd]"): ("error", "hung"),
        (TENSORFLOW, "scatter_nd.rule.updates-shape/broken.1 [tf.raw_ops.ScatterNd]"): ("error", "blocked"),
        (TORCH, "scatter_nd.example.insert-two-slices/as-printed [torch.Tensor.index_put_]"): (
            "skipped", "unsupported"),
        (TORCH, "scatter_nd.behaviour.index-out-of-bounds/1 [torch.Tensor.index_put_]"): ("skipped", "observed"),
    }  # fmt: skip
    for (target, name), (tag, kind) in expected.items():
        [judged] = case(found[target], name)
        assert (judged.tag, judged.get("type")) == (tag, kind), name


def test_a_failure_says_on_one_line_what_happened_and_below_everything_else() -> None:
    one = case(suites(sample())[MINDSPORE], "scatter_nd.relation.zeros-then-add/1 [mindspore.ops.scatter_nd]")
    assert one[0].get("message") == "value, unstable: 2 of 8 elements differ."
    text = str(one[0].text)
    for part in (
        "indices = int32 [[4], [3], [1], [7]]",
        "expected (computed by the reference): int32 (8,)\n[0, 11, 0, 10, 9, 0, 0, 12]",
        "actual: int32 (8,)\n[0, 11, 0, 10, 9, 0, 7, -12]",
        "[6]: expected 0, actual 7",
        "largest difference: 24 at [7]",
        "tf.raw_ops.ScatterNd, paragraph 4",
        "specs/scatter_nd.yaml:40",
        "warning, 2 times: FutureWarning",
    ):
        assert part in text


def test_what_was_not_judged_has_its_reason_and_no_details() -> None:
    suite = suites(sample())[TORCH]
    skipped = [one for one in suite.iter("skipped") if one.get("type") in ("observed", "unsupported")]
    assert skipped
    assert all(one.get("message") and not one.text for one in skipped)


def test_a_known_divergence_is_skipped_with_its_details_and_its_id() -> None:
    [judged] = case(suites(sample())[MINDSPORE], "scatter_nd.rule.shape-positive/broken.2 [mindspore.ops.scatter_nd]")
    assert "known divergence: " in str(judged.text)
    assert str(judged.get("message")).startswith("known as ")


def test_a_target_that_did_not_start_is_a_suite_with_one_error() -> None:
    suite = suites(sample())[JAX]
    assert (suite.get("tests"), suite.get("errors")) == ("1", "1")
    assert "no version of jax==0.10.0" in str(suite.find("testcase/error[@type='blocked']").get("message"))  # type: ignore[union-attr]


def test_properties_say_what_was_run_how() -> None:
    suite = suites(sample())[TORCH]
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert properties["version"] == "2.13.0"
    assert properties["device"] == "cpu"
    assert properties["mode"] == "eager"
    assert properties["seed"] == "7"
    assert "shard" not in properties


def test_an_incomplete_run_has_an_error_of_its_own() -> None:
    assert "conformance" not in suites(sample())
    suite = suites(sample(complete=False))["conformance"]
    assert suite.get("errors") == "1"
    assert "Incomplete run" in str(suite[0][0].get("message"))


def test_characters_that_xml_cannot_hold_are_spelled_out() -> None:
    text = junit_xml(sample())
    assert "\x1b" not in text
    assert "#x1B[31mred" in text
    [judged] = case(
        suites(sample())[MINDSPORE], "gather_elements.rule.hostile/broken.1 [mindspore.ops.gather_elements]"
    )
    assert "</script><img src=x onerror=alert(1)> #x1B[31mred#x1B[0m #x00nul" in str(judged.text)
    assert "]]>" in str(judged.text)


def test_hostile_names_do_not_break_the_file() -> None:
    results = sample()
    hostile = [replace(one, api='a"b<c>&\x00', case="x\ud800y") for one in results.results[:1]]
    suite = suites(replace(results, results=hostile))["reference@cpu"]
    assert [one.get("name") for one in suite.iter("testcase")] == ['x#xD800y [a"b<c>&#x00]']

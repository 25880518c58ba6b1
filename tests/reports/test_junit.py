from __future__ import annotations

import html
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from conformance.findings.conclusions import Conclusions
from conformance.judging.vocabulary import FailOn
from conformance.reports.junit import junit_xml
from conformance.reports.text import one_line
from conformance.results.exit_status import exit_status
from conformance.results.file import Results
from conformance.results.records import EndRecord, ResultRecord, UnexpectedRecord
from tests.reports.sample import sample
from tests.reports.sample_cases import JAX, MINDSPORE, TENSORFLOW, TORCH


def suites(results: Results) -> dict[str, ET.Element]:
    root = ET.fromstring(junit_xml(results).encode())
    return {suite.get("name", ""): suite for suite in root}


def case(suite: ET.Element, api: str, clause: str) -> ET.Element:
    [one] = (one for one in suite.iter("testcase") if (one.get("classname"), one.get("name")) == (api, clause))
    return one


def judged(suite: ET.Element, api: str, clause: str) -> list[tuple[str, str | None]]:
    return [(element.tag, element.get("type")) for element in case(suite, api, clause) if element.tag != "system-out"]


def counts(test: ET.Element) -> str:
    return str(test.findtext("system-out")).splitlines()[0]


def test_each_target_is_a_suite_with_one_test_for_each_of_its_apis_and_clauses() -> None:
    results = sample()
    found = suites(results)
    assert list(found) == ["reference@cpu", TORCH, TENSORFLOW, MINDSPORE, JAX]
    for target in (TORCH, TENSORFLOW, MINDSPORE):
        tests = [(str(one.get("classname")), str(one.get("name"))) for one in found[target].iter("testcase")]
        of_target = [one for one in results.results if one.target == target and one.verdict != "unsupported"]
        assert sorted(tests) == sorted({(one.api, one.clause) for one in of_target})
    assert case(found[TORCH], "torch.gather", "gather_elements.behaviour.nan-payload").get("time") == "0.0042"


def test_a_test_has_the_number_of_its_results_of_each_sort() -> None:
    test = case(suites(sample())[TENSORFLOW], "tf.raw_ops.ScatterNd", "scatter_nd.rule.shape-positive")
    assert counts(test) == "3 results: 1 conforms, 2 died"


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


POSITIVE, UPDATES, ZEROS = (
    "scatter_nd.rule.shape-positive", "scatter_nd.rule.updates-shape", "scatter_nd.relation.zeros-then-add"
)  # fmt: skip


def test_what_fails_the_run_fails_its_test_and_what_does_not_is_skipped() -> None:
    found = suites(sample())
    expected = {
        (MINDSPORE, "mindspore.ops.scatter_nd", POSITIVE): [("failure", "own")],
        (TENSORFLOW, "tf.raw_ops.ScatterNd", POSITIVE): [("error", "died")],
        (TENSORFLOW, "tf.scatter_nd", UPDATES): [("error", "hung")],
        (TORCH, "torch.Tensor.index_put_", ZEROS): [("skipped", "portability")],
        (TENSORFLOW, "tf.raw_ops.ScatterNd", UPDATES): [("skipped", "blocked")],
        (TORCH, "torch.Tensor.index_put_", "scatter_nd.behaviour.index-out-of-bounds"): [("skipped", "observed")],
        (TENSORFLOW, "tf.scatter_nd", POSITIVE): [],
    }
    assert {key: judged(found[key[0]], *key[1:]) for key in expected} == expected


def test_a_form_that_an_api_does_not_have_is_no_test_and_is_listed_with_its_reason() -> None:
    results = sample()
    suite = suites(results)[TORCH]
    missing = [one for one in results.results if one.target == TORCH and one.verdict == "unsupported"]
    [number] = [one.get("value") for one in suite.iter("property") if one.get("name") == "no-such-form"]
    assert number == str(len(missing)) == "1"
    [line] = str(suite.findtext("system-out")).splitlines()[1:]
    assert line == f"{missing[0].api}: no reason recorded (1 call)"


def test_what_fails_depends_on_what_the_run_fails_on() -> None:
    results = sample()
    for fail_on, expected in (("any", [("failure", "portability")]), ("never", [("skipped", "portability")])):
        of_run = replace(results, run=replace(results.run, fail_on=fail_on))  # type: ignore[arg-type]
        assert judged(suites(of_run)[TORCH], "torch.Tensor.index_put_", ZEROS) == expected


def test_a_known_divergence_is_skipped_with_its_id() -> None:
    results = sample()
    known = [replace(one, known="an-entry") for one in results.results if one.standing == "own"]
    suite = suites(replace(results, results=known))[TORCH]
    [element] = suite.iter("skipped")
    assert element.get("type") == "known"
    assert "known as an-entry: value in 1 of 1 case" in str(element.get("message"))
    assert suite.get("failures") == suite.get("errors") == "0"


def test_a_failure_says_on_one_line_what_happened_and_below_everything_else() -> None:
    results = sample()
    of_run = replace(results, run=replace(results.run, fail_on="any"))
    element = case(suites(of_run)[MINDSPORE], "mindspore.ops.scatter_nd", ZEROS)[0]
    assert element.get("message") == (
        "differs from another API's documentation: value, unstable in 1 of 1 case: 2 of 8 elements differ."
    )
    text = str(element.text)
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
    [last] = text.partition("to repeat it:\n  ")[2].splitlines()
    assert last.startswith(f"conformance repro {ZEROS}/")
    assert last.endswith(" --api mindspore.ops.scatter_nd --results conformance-report")  # since it is flaky


def test_the_command_that_repeats_a_failure_has_the_interpreter_and_the_specs_of_the_run() -> None:
    results = sample()
    asked = "conformance run mindspore --python='a b/python' -k nd --specs mine --fail-on any"
    of_run = replace(results, run=replace(results.run, command=asked, fail_on="any"))
    text = str(case(suites(of_run)[MINDSPORE], "mindspore.ops.scatter_nd", ZEROS)[0].text)
    assert text.endswith(
        " --api mindspore.ops.scatter_nd --results conformance-report --python 'a b/python' --specs mine"
    )


def test_a_test_names_its_findings_with_their_causes() -> None:
    conclusions = Conclusions(sample())
    text = junit_xml(conclusions.results)
    for cause in conclusions.causes:
        for finding in cause.findings:
            assert f"finding {finding.id} of cause {one_line(cause.id)}: " in html.unescape(text)


def test_a_test_with_several_findings_names_the_worst_and_counts_the_others() -> None:
    [element] = case(suites(sample())[MINDSPORE], "mindspore.ops.scatter_nd", POSITIVE).iter("failure")
    assert "accepted in 1 of 3 cases" in str(element.get("message"))
    unknown = [replace(one, known=None) for one in sample().results]
    suite = suites(replace(sample(), results=unknown))[MINDSPORE]
    [element] = case(suite, "mindspore.ops.scatter_nd", POSITIVE).iter("failure")
    assert str(element.get("message")).endswith("(and 1 more finding)")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sample().results),
            st.sampled_from([None, "an-entry"]),
        ),
        max_size=4,
    ),
    st.sampled_from(["own", "any", "never"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_a_test_fails_exactly_where_the_exit_status_does(
    chosen: list[tuple[ResultRecord, str | None]], fail_on: FailOn, complete: bool, passes: bool, blocked: bool
) -> None:
    unexpected = [UnexpectedRecord(TORCH, "an-entry", "passed", [], "it passed")] if passes else []
    results = sample()
    of_run = replace(
        results,
        run=replace(results.run, fail_on=fail_on),
        targets=[target for target in results.targets if blocked or target.blocked is None],
        results=[replace(result, known=known) for result, known in chosen],
        end=EndRecord(complete, {}, None if complete else "interrupted", unexpected),
    )
    root = ET.fromstring(junit_xml(of_run).encode())
    failed = root.get("failures") != "0" or root.get("errors") != "0"
    assert failed is (exit_status(of_run, fail_on) != 0)


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
    results = sample()
    text = junit_xml(replace(results, run=replace(results.run, fail_on="any")))
    assert "\x1b" not in text
    assert "#x1B[31mred" in text
    whole = html.unescape(text)
    assert "</script><img src=x onerror=alert(1)> #x1B[31mred#x1B[0m #x00nul" in whole
    assert "]]>" in whole


def test_hostile_names_do_not_break_the_file() -> None:
    results = sample()
    hostile = [replace(one, api='a"b<c>&\x00', clause="x\ud800y") for one in results.results[:1]]
    [test] = suites(replace(results, results=hostile))["reference@cpu"].iter("testcase")
    assert (test.get("classname"), test.get("name")) == ('a"b<c>&#x00', "x#xD800y")

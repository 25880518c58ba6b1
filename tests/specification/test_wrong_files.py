"""What a user who writes a spec gets wrong, and what `check` says of it."""

from __future__ import annotations

import cProfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.specification.loader import load_sound_specs, load_specs
from conformance.specification.problems import SpecError, nearest
from tests.cli.command import conformance
from tests.specification.small import DOCUMENTS, SPEC, changed, write_specs

BACKWARDS = "call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [2, 1, 0, 0]}}\n    returns"


def problems(folder: Path, spec: str, documents: str = DOCUMENTS) -> list[str]:
    return [str(problem) for problem in load_sound_specs(write_specs(folder, spec=spec, documents=documents))[1]]


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("{int32: [10, 20, 30]}", "{int32: ones([5, 3])}", 9,
         'ones([5, 3]) needs quotes, because YAML interprets its brackets and commas; write "ones([5, 3])"'),
        ("{int32: [10, 20, 30]}", "{int32: arange(1, 13)}", 9,
         'arange(1, 13) needs quotes, because YAML interprets its commas; write {int32: "arange(1, 13)"}'),
        ("{int32: [10, 20, 30]}", "{int32: [[1, 2], [3]]}", 9,
         "the lists are ragged: a list of 1 at [1], but a list of 2 at [0]"),
        ("{int32: [10, 20, 30]}", "{int32: [[1, 2], 3]}", 9,
         "the lists are ragged: one element at [1], but a list of 2 at [0]"),
        ("{int32: [10, 20, 30]}", "{int32: [1, [2, 3]]}", 9,
         "the lists are ragged: a list of 2 at [1], but one element at [0]"),
        ("summary: Take elements", "summary: Take: elements", 2,
         'write summary: "Take: elements of a tensor along an axis."'),
        ('"index.rank == input.rank"', '"index.dtype in [int32, int64]"', 21,
         "undefined name 'int32'; write the name of a dtype or dtype family in quotes: 'int32'"),
        ('"index.rank == input.rank"', "[1]", 21, "an expression is text in quotes"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line_and_with_what_to_write(
    tmp_path: Path, right: str, wrong: str, line: int, message: str
) -> None:
    [problem] = problems(tmp_path, changed(SPEC, right, wrong))
    assert f"gather_elements.yaml:{line}: " in problem
    assert message in problem


def test_a_colon_in_a_claim_within_braces_asks_for_quotes(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, "says: A picture shows it.", "says: A picture: it shows")
    [problem] = problems(tmp_path, SPEC, documents)
    assert 'documents.yaml:11: says: text with a colon needs quotes; write says: "A picture: it shows"' in problem


@pytest.mark.parametrize(("written", "value"), [("true", True), ("false", False), ('"True"', True)])
def test_a_truth_value_of_yaml_is_an_expression_too(tmp_path: Path, written: str, value: bool) -> None:
    spec = changed(SPEC, "dtype: input.dtype}", f"dtype: input.dtype, accumulates: {written}}}")
    operation = load_specs(write_specs(tmp_path, spec=spec)).operations["gather_elements"]
    assert operation.result_accumulates.value({}) is value


def test_text_that_lacks_quotes_hides_no_other_problem(tmp_path: Path) -> None:
    spec = changed(SPEC, "{int32: [10, 20, 30]}", "{int32: ones([3])}")
    spec = changed(spec, "{int32: [10, 20, 30]}", "{int32: zeros([3])}")
    spec = changed(spec, "[rank, example.1]", "[rnk, example.1]")
    assert [problem.partition("yaml:")[2].partition(": ")[0] for problem in problems(tmp_path, spec)] == [
        "9",
        "14",
        "20",
    ]


def test_problems_of_every_stage_and_file_come_together_and_each_once(tmp_path: Path) -> None:
    spec = changed(SPEC, "{int32: [10, 20, 30]}", "{int32: ones([3])}")  # YAML
    spec = changed(spec, "    raises: IndexError\n", "    raises: IndexError\n    nota: x\n")  # form
    spec = changed(spec, "index: {int64: [1]}", "index: {int65: [1]}")  # a literal
    spec = changed(spec, "index: {int64: [[1]]}", "index: {int64: [1]}")  # a rule that should be broken
    spec += """  result:
    states: A result is as index.
    cite: {json.page: [rank]}
    ensure: "result.shape == index.shape"
    keep: {one-axis: {call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [1]}}, returns: [[1]]}}
"""  # a case that cannot be
    documents = changed(DOCUMENTS, "official: true", "oficial: true")
    folder = write_specs(tmp_path / "specs", spec=spec, documents=documents)
    (folder / "other.yaml").write_text(
        changed(changed(SPEC, "gather_elements", "gather_nd"), "summary: Take", "summmary: Take")
    )
    done = conformance("check", folder, cwd=tmp_path)
    assert done.status == 4
    expected = [
        "documents.yaml:4: unknown key 'oficial'",
        "documents.yaml:2: documents.json.page: key 'official' is missing",
        ":9: ones([3]) needs quotes",
        "unknown key 'nota' in examples.outside; did you mean 'note'?",
        "rules.rank.keep.one-axis.call.index: undefined dtype 'int65'",
        "gather_elements.rule.rank/break.two-axes: should break rank, but keeps it",
        "gather_elements.rule.result/keep.one-axis: expected result has shape [1, 1], but result: says [1]",
        "other.yaml:2: unknown key 'summmary' in the file; did you mean 'summary'?",
        "other.yaml:1: the file: key 'summary' is missing",
    ]
    for message in expected:
        assert message in done.err, (message, done.err)
    assert f"{len(expected)} problems found" in done.err, done.err


def test_what_is_left_out_of_a_file_is_not_missed(tmp_path: Path) -> None:
    """A rule with a mistake is one that others may imply, and a call with one is still there to be extended."""
    spec = changed(SPEC, '"index.rank == input.rank"', '"index.rank == inpt.rank"\n    implies: [other]')
    spec += (
        SPEC[SPEC.index("  rank:\n") :]
        .replace("  rank:", "  other:")
        .replace("    states", "    implies: [rank]\n    statos", 1)
    )
    assert sorted(problem.partition("yaml:")[2] for problem in problems(tmp_path, spec)) == [
        "21: rules.rank.require: undefined name 'inpt'; did you mean 'input'?",
        "28: rules.other: key 'states' is missing",
        "30: unknown key 'statos' in rules.other; did you mean 'states'?",
    ]


def test_strict_readers_refuse_what_is_read_in_part(tmp_path: Path) -> None:
    folder = write_specs(tmp_path, spec=changed(SPEC, "{int32: [10, 20, 30]}", "{int32: ones([3])}"))
    with pytest.raises(SpecError, match="needs quotes"):
        load_specs(folder)


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ('"index.rank == input.rank"', '"sum(1 for i in range(1000000000)) == 0"', 21,
         "'sum(1 for i in range(1000000000)) == 0': it visits more than 10000 elements; at most 10000 are allowed"),
        ("dim: 0, index: {int64: [3]}", f"dim: {'1' * 5000}, index: {{int64: [3]}}", 14,
         "a number has 5000 characters; at most 100 are allowed"),
        ("dim: 0, index: {int64: [3]}", f"dim: {'[' * 99}, index: {{int64: [3]}}", 14,
         "lists and mappings are nested more than 50 levels deep; at most 50 are allowed"),
    ],
)  # fmt: skip
def test_what_would_cost_too_much_is_refused_with_file_line_and_limit(
    tmp_path: Path, right: str, wrong: str, line: int, message: str
) -> None:
    write_specs(tmp_path, spec=changed(SPEC, right, wrong))
    done = conformance("check", tmp_path, cwd=tmp_path)
    assert done.status == 4
    assert f"gather_elements.yaml:{line}: {message}" in done.err


def _with_calls(calls: Iterator[str]) -> str:
    """The spec with other calls that keep its rule."""
    keep = "    keep: {one-axis: {call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [1]}}}}\n"
    return changed(SPEC, keep, "    keep:\n" + "".join(f"      {call}\n" for call in calls))


def test_a_file_has_tensors_of_limited_size_in_all(tmp_path: Path) -> None:
    zeros = "{call: {input: {int8: 'zeros([16777216])'}, dim: 0, index: {int64: [1]}}}"
    found = problems(tmp_path, _with_calls(f"c{n}: {zeros}" for n in range(4)))
    assert "the tensors before this one have 33554445 elements" in found[0]
    assert "at most 33554432 are allowed in a file" in found[0]


def test_an_operation_has_a_limited_number_of_rules(tmp_path: Path) -> None:
    rule = SPEC[SPEC.index("  rank:\n") :]
    spec = SPEC + "".join(rule.replace("  rank:", f"  rank-{n}:") for n in range(100))
    assert "rules: expected at most 100 entries; found 101" in problems(tmp_path, spec)[0]


def test_the_work_of_a_check_grows_with_the_size_of_a_spec(tmp_path: Path) -> None:
    def work(count: int) -> int:
        """How many functions are called to load a spec with so many calls, most of which name what does not exist."""
        call = "call: {input: {int32: [1, 2]}, dimm: 0, index: {int64: [1]}}"
        pairs = (
            (f"k{n}: {{extends: none{n}, {call}}}", f"l{n}: {{extends: base, call: {{dim: 0}}}}") for n in range(count)
        )
        calls = [f"base: {{{call}}}", *(text for pair in pairs for text in pair)]
        examples = "".join(
            f"  e{n}:\n    states: A.\n    cite: {{json.page: [d{n}]}}\n    unknown: 1\n    {call}\n    returns: [1]\n"
            for n in range(count)
        )
        claims = "".join(f"      c{n}: Text.\n" for n in range(count))
        folder = write_specs(
            tmp_path,
            spec=changed(_with_calls(iter(calls)), "examples:\n", f"examples:\n{examples}"),
            documents=changed(DOCUMENTS, "    claims:\n", f"    claims:\n{claims}"),
        )
        profile = cProfile.Profile()
        profile.enable()
        found = load_sound_specs(folder)[1]
        profile.disable()
        assert len(found) > 3 * count
        return sum(entry.callcount for entry in profile.getstats())

    assert work(500) < 2.2 * work(250)


def test_of_many_problems_the_first_are_described(tmp_path: Path) -> None:
    found = problems(tmp_path, SPEC + "".join(f"unknown{n}: 1\n" for n in range(5000)))
    assert len(found) == 101
    assert any("unknown key 'unknown0' in the file; allowed: " in problem for problem in found)
    assert sum(problem.endswith("more problems of this file are not listed") for problem in found) == 1
    calls = "".join(
        f"      k{n}: {{call: {{input: {{int32: [1]}}, dimm: 0, index: {{int64: [0]}}}}}}\n" for n in range(200)
    )
    write_specs(tmp_path, spec=changed(SPEC, "    break:\n", f"    break:\n{calls}"))
    done = conformance("check", tmp_path, cwd=tmp_path)
    assert done.status == 4
    assert len(done.err.splitlines()) == 102
    assert done.err.splitlines()[-1] == f"and {int(done.err.split()[1]) - 100} more"


def test_of_many_names_a_similar_one_is_found_and_some_are_listed() -> None:
    names = [f"clause-{n:04}" for n in range(2000)]
    assert nearest("clause-1xx7", names).startswith("; did you mean 'clause-1")
    assert nearest("?", names).endswith("clause-0039 and 1960 more")

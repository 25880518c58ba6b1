"""What conclusions.json says of behaviours and of changes between versions."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from pydantic import TypeAdapter

from conformance.reports.conclusions import conclusions_json
from conformance.reports.statements import BehaviourEntry, ConclusionsFile
from conformance.results.file import Results
from conformance.results.variations import BatchRecord, DerivativeRecord, VariationRecord
from tests.reports.sample_questions import CASES, OLD_TORCH, TORCH, results_to_ask
from tests.reports.sample_several import several


def file_of(results: Results) -> ConclusionsFile:
    return TypeAdapter(ConclusionsFile).validate_json(conclusions_json(results))


def behaviours(results: Results, api: str, target: str, situation: str) -> list[BehaviourEntry]:
    return [
        each
        for each in file_of(results).behaviours
        if (each.api, each.target, each.situation) == (api, target, situation)
    ]


def test_each_call_of_a_situation_is_in_exactly_one_behaviour() -> None:
    for results in (results_to_ask(), several()):
        entries = file_of(results).behaviours
        calls = Counter(
            (each.target, each.api, each.operation, each.situation, case) for each in entries for case in each.cases
        )
        assert entries
        assert set(calls.values()) <= {1}
        shown: Counter[tuple[str, ...]] = Counter()
        for each in entries:
            shown[each.target, each.api, each.operation, each.situation] += sum(each.verdicts.values())
            assert len(each.cases) == (0 if each.verb == "keeps-arguments" else sum(each.verdicts.values()))
        assert shown == {(each.target, each.api, each.operation, each.situation): each.of for each in entries}


def test_a_behaviour_that_is_new_says_the_range_and_the_older_version_has_its_own() -> None:
    [now] = behaviours(results_to_ask(), "torch.gather", TORCH.id, "int32-indices")
    [then] = behaviours(results_to_ask(), "torch.gather", OLD_TORCH.id, "int32-indices")
    assert (now.verb, now.cases, then.verb, then.since) == ("returns", [CASES["in int32"].id], "raises", None)
    assert now.since is not None
    assert (now.since.first, now.since.not_in) == (TORCH.version, OLD_TORCH.version)


def test_a_behaviour_names_the_claims_of_the_documents_about_its_api_only() -> None:
    results = results_to_ask()
    entries = file_of(results).behaviours
    cited = {claim for each in entries if each.api == "torch.gather" for claim in each.claims}
    assert cited == {"torch.gather#out-of-bounds"}
    assert not any(each.claims for each in file_of(replace(results, documents=[])).behaviours)


def test_a_change_names_the_versions_between_which_it_happened_and_the_calls_that_show_it() -> None:
    changes = file_of(results_to_ask()).changes
    [change] = [each for each in changes if each.api == "torch.gather"]
    assert (change.first, change.second, change.cases) == (OLD_TORCH.id, TORCH.id, (CASES["in int32"].id,))
    assert (change.was, change.now) == ("raises RuntimeError", "returns")


def test_a_transform_has_its_arguments_and_the_axis_of_a_batch_as_fields() -> None:
    results, base, one = results_to_ask(), CASES["gathered"], {"float32": [1]}
    variations: dict[str, VariationRecord] = {
        f"{base.id}.vjp.input": DerivativeRecord(base.id, "vjp", "input", one),
        f"{base.id}.vmap.input": BatchRecord(base.id, {"input": one}, "first"),
        f"{base.id}.vmap.input+index.last": BatchRecord(base.id, {"input": one, "index": one}, "last"),
    }
    [called] = [each for each in results.results if (each.case, each.target) == (base.id, TORCH.id)]
    file = file_of(
        replace(
            results,
            cases=results.cases | {name: replace(base, id=name, variation=each) for name, each in variations.items()},
            results=[*results.results, *(replace(called, case=name) for name in variations)],
        )
    )
    assert [(each.transform, each.of, each.arguments, each.axis) for each in file.transforms] == [
        ("vjp", "input", ["input"], None),
        ("vmap", "input", ["input"], "first"),
        ("vmap", "input+index.last", ["input", "index"], "last"),
    ]


def test_each_statement_is_a_line() -> None:
    text = conclusions_json(results_to_ask())
    file = json.loads(text)
    lines = sum(len(statements) for statements in file.values() if isinstance(statements, list))
    assert lines < len(text.splitlines()) < lines + 40

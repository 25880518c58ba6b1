"""How much of a documentation is read, since when it makes a claim, and which target stands for its framework."""

from __future__ import annotations

from dataclasses import replace

from conformance.findings.sentences import ClaimHistory, Coverage, coverage, newest, version_of
from conformance.results.records import TargetRecord
from tests.reports.sample_questions import CITATION, COMPILED, OLD_TORCH, TF, TORCH, results_to_ask

OBJECT = "torch.gather"


def covered(target: str) -> Coverage:
    return next(each for each in coverage(results_to_ask()) if (each.target, each.api) == (target, OBJECT))


def test_a_sentence_is_read_by_a_claim_untestable_or_unread() -> None:
    assert covered(TORCH.id) == Coverage(TORCH.id, OBJECT, sentences=4, claimed=1, untestable=2, unread=1)


def test_a_sentence_that_a_version_does_not_ship_does_not_count() -> None:
    results = results_to_ask()
    targets = [replace(each, sentences={OBJECT: ["bb", "new"]}) for each in results.targets if each == TORCH]
    [found] = [each for each in coverage(replace(results, targets=targets)) if each.api == OBJECT]
    assert (found.sentences, found.claimed, found.untestable, found.unread) == (2, 0, 1, 1)


def test_an_api_without_a_text_has_no_documentation_of_its_own() -> None:
    [found] = {each.is_documented for each in coverage(results_to_ask()) if each.api == "torch.index_put"}
    assert not found


def test_a_target_whose_documentation_was_not_asked_for_is_left_out() -> None:
    assert TF.id not in {each.target for each in coverage(results_to_ask())}


def test_a_claim_is_made_since_the_oldest_version_without_interruption() -> None:
    results = results_to_ask()
    standing = ClaimHistory(results).standing(CITATION, TORCH.id)
    assert standing is not None
    assert (standing.since, standing.is_oldest) == (OLD_TORCH, True)
    other = [replace(each, sentences={OBJECT: ["bb"]}) if each == OLD_TORCH else each for each in results.targets]
    changed = ClaimHistory(replace(results, targets=other)).standing(CITATION, TORCH.id)
    assert changed is not None
    assert (changed.since.version, changed.is_oldest) == ("2.13.0", False)
    assert ClaimHistory(replace(results, targets=other)).standing(CITATION, OLD_TORCH.id) is None


def test_another_mode_is_no_version() -> None:
    standing = ClaimHistory(results_to_ask()).standing(CITATION, COMPILED.id)
    assert standing is not None
    assert standing.since == COMPILED


def target(
    version: str | None, framework: str = "torch", mode: str = "eager", blocked: str | None = None
) -> TargetRecord:
    return TargetRecord(f"{framework}=={version}[{mode}]@cpu", framework, version, "cpu", mode, blocked=blocked)


def test_versions_are_compared_as_versions_and_the_first_of_the_newest_is_taken() -> None:
    some = [target("2.9.0"), target("2.13.0"), target("2.13.0", mode="compile"), target("2.2.0")]
    assert newest(some) == {"torch": some[1]}


def test_a_version_that_did_not_start_stands_for_its_framework_only_if_none_did() -> None:
    gone, there = target("3.0", blocked="no wheel"), target("2.0")
    assert newest([gone, there]) == {"torch": there}
    assert newest([gone]) == {"torch": gone}


def test_what_is_no_version_counts_as_the_oldest() -> None:
    assert version_of("main-1234") == version_of(None) < version_of("0.1")
    assert newest([target("main-1234"), target("0.1")])["torch"].version == "0.1"

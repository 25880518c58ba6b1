"""Which target stands for its framework."""

from __future__ import annotations

from conformance.findings.newest import newest, version_of
from conformance.results.records import TargetRecord


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

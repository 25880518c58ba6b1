"""What two results files differ in, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from conformance.results.exit_status import FailOn, fails
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord


@dataclass(frozen=True)
class Pair:
    """One target in both files: the same framework, mode and device, whatever the version."""

    before: TargetRecord
    after: TargetRecord

    @property
    def text(self) -> str:
        """``torch==2.12.0@cpu -> torch==2.13.0@cpu``, or the one name that it has in both."""
        one, other = self.before.id, self.after.id
        return one if one == other else f"{one} -> {other}"


@dataclass(frozen=True)
class Change:
    """One case on one API that did otherwise in the second file, with its spec unchanged."""

    pair: Pair
    before: ResultRecord
    after: ResultRecord

    def is_regression(self, fail_on: FailOn) -> bool:
        """Whether a run would now fail on it and did not before, or fails on it for another kind of reason."""
        if not fails(self.after, fail_on):
            return False
        return not fails(self.before, fail_on) or self._kinds(self.before) != self._kinds(self.after)

    @staticmethod
    def _kinds(result: ResultRecord) -> tuple[str, str, frozenset[str]]:
        return result.verdict, result.standing, frozenset(result.divergence)


@dataclass(frozen=True)
class Edited:
    """A case whose call or expectation is another one in the second file, and how many of its results changed."""

    case: CaseRecord
    results: int
    changed: int


@dataclass(frozen=True)
class Difference:
    """Everything in which a second results file differs from a first one; behaviour and specs are kept apart."""

    pairs: tuple[Pair, ...]
    changes: tuple[Change, ...]
    same: int
    """Results that are the same in both."""
    gone_targets: tuple[TargetRecord, ...]
    new_targets: tuple[TargetRecord, ...]
    stopped: tuple[Pair, ...]
    """Targets that started before and no longer do."""
    started: tuple[Pair, ...]
    """Targets that start now and did not before."""
    gone_apis: tuple[tuple[Pair, str], ...]
    new_apis: tuple[tuple[Pair, str], ...]
    gone_cases: tuple[CaseRecord, ...]
    new_cases: tuple[CaseRecord, ...]
    edited: tuple[Edited, ...]
    missing: int
    """Results that only one file has although both have the case and the API: a run that broke off, as a rule."""
    selected: bool = False
    """Another selection or shard of the cases is in each file: what one leaves out is neither gone nor new."""

    def regressions(self, fail_on: FailOn) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.is_regression(fail_on))

    def fails(self, fail_on: FailOn) -> bool:
        """Whether there are regressions; a target that no longer starts is one."""
        return fail_on != "never" and bool(self.stopped or self.regressions(fail_on))

    @cached_property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        lists = (self.changes, self.gone_targets, self.new_targets, self.stopped, self.started)
        return not any((*lists, self.gone_apis, self.new_apis, self.gone_cases, self.new_cases, self.edited))

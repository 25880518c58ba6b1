"""The differences between two results files, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from conformance.results.exit_status import FailOn, fails
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord


@dataclass(frozen=True)
class TargetPair:
    """A target in both files: the same framework, mode and device; the versions may differ."""

    before: TargetRecord
    after: TargetRecord

    @property
    def text(self) -> str:
        """``torch==2.12.0@cpu -> torch==2.13.0@cpu``, or the id alone if both are equal."""
        before, after = self.before.id, self.after.id
        return before if before == after else f"{before} -> {after}"


@dataclass(frozen=True)
class ResultChange:
    """A case whose result on one API differs in the second file, although its spec is unchanged."""

    pair: TargetPair
    before: ResultRecord
    after: ResultRecord

    def is_regression(self, fail_on: FailOn) -> bool:
        """Whether a run now fails because of it and did not before, or fails for a different kind of reason."""
        if not fails(self.after, fail_on):
            return False
        return not fails(self.before, fail_on) or self._kinds(self.before) != self._kinds(self.after)

    @staticmethod
    def _kinds(result: ResultRecord) -> tuple[str, str, frozenset[str]]:
        return result.verdict, result.standing, frozenset(result.divergence)


@dataclass(frozen=True)
class EditedCase:
    """A case whose call or expectation changed in the second file."""

    case: CaseRecord
    results: int
    """Results of the case in both files."""
    changed: int
    """Those that differ."""


@dataclass(frozen=True)
class Difference:
    """All differences of a second results file from a first one; behaviour and specs are separate."""

    pairs: tuple[TargetPair, ...]
    changes: tuple[ResultChange, ...]
    same: int
    """Results that are the same in both files."""
    gone_targets: tuple[TargetRecord, ...]
    new_targets: tuple[TargetRecord, ...]
    stopped: tuple[TargetPair, ...]
    """Targets that started before and no longer start."""
    started: tuple[TargetPair, ...]
    """Targets that did not start before and start now."""
    gone_apis: tuple[tuple[TargetPair, str], ...]
    new_apis: tuple[tuple[TargetPair, str], ...]
    gone_cases: tuple[CaseRecord, ...]
    new_cases: tuple[CaseRecord, ...]
    edited: tuple[EditedCase, ...]
    missing: int
    """Results in only one file although both have the case and the API, usually because a run was interrupted."""
    unconfirmed: int = 0
    """Results of which one was not confirmed in a fresh process; they are not compared."""
    selected: bool = False
    """Whether a selection or shard restricts the cases: excluded cases count as neither gone nor new."""
    incomplete: bool = False
    """Whether a run was interrupted: what is missing in its file counts as neither gone nor new."""

    def regressions(self, fail_on: FailOn) -> tuple[ResultChange, ...]:
        return tuple(change for change in self.changes if change.is_regression(fail_on))

    def fails(self, fail_on: FailOn) -> bool:
        """Whether there are regressions, including targets that no longer start."""
        return fail_on != "never" and bool(self.stopped or self.regressions(fail_on))

    @cached_property
    def is_empty(self) -> bool:
        """Whether the files do not differ."""
        lists = (self.changes, self.gone_targets, self.new_targets, self.stopped, self.started)
        return not any((*lists, self.gone_apis, self.new_apis, self.gone_cases, self.new_cases, self.edited))

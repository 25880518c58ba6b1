"""A target in one's own tests: the fixture ``conformance_target``."""

from __future__ import annotations

import pytest

from conformance.api.own_tests import Case
from conformance.pytest_plugin.fates import Fate, fate_of
from conformance.pytest_plugin.tested import TestedTarget
from conformance.reports.details import details
from conformance.results.records import ResultRecord


class TargetForTests:
    """A target of the session; its calls are made in processes of its own, as those of its items."""

    def __init__(self, target: TestedTarget) -> None:
        self._target = target

    @property
    def id(self) -> str:
        """Its canonical name, such as ``torch==2.13.0@cpu``."""
        return self._target.session.record.id

    def apis(self, operation: str) -> list[str]:
        """The names of its APIs for an operation."""
        return [api["name"] for api in self._target.session.target.apis if api["operation"] == operation]

    def check(self, case: Case, api: str | None = None) -> None:
        """Run a case on one API, or on all that implement its operation, and judge it as an item would.

        AssertionError with the account of the first failure; pytest.xfail if every failure is known, and pytest.skip if
        no API supports the call.
        """
        apis = [
            entry
            for entry in self._target.session.target.apis
            if entry["operation"] == case.operation and api in (None, entry["name"])
        ]
        results = self._target.results([(case.suite_case, entry) for entry in apis])
        fates = [(result, fate_of(result, self._target.known, self._target.fail_on)) for result in results]
        for result, fate in fates:
            if fate.kind in ("failed", "blocked"):
                raise AssertionError(self._account(case, result, fate))
        for _, fate in fates:
            if fate.kind == "xfailed":
                pytest.xfail(fate.reason)
        if not any(fate.kind in ("passed", "observed") for _, fate in fates):
            pytest.skip(fates[0][1].reason if fates else f"{self.id} has no API for {case.operation}")

    def _account(self, case: Case, result: ResultRecord, fate: Fate) -> str:
        return f"{fate.reason}\n\n{details(self._target.records([case.suite_case]), result)}"

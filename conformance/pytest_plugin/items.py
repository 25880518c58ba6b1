"""The items that the plugin adds: a clause on an API, or one case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.data_folders import data_folder
from conformance.execution.session import Batch
from conformance.execution.target import Pair
from conformance.judging.vocabulary import BINDING
from conformance.pytest_plugin.failure import Account, Diverged, account_of
from conformance.pytest_plugin.fates import Fate, fate_of
from conformance.pytest_plugin.settings import command_of
from conformance.pytest_plugin.tested import TestedTarget
from conformance.reports.text import visible
from conformance.results.records import Record, ResultRecord, TargetRecord

HAS_SUBTESTS = hasattr(pytest, "Subtests")
"""pytest 9 has them."""
Judged = list[tuple[ResultRecord, Fate]]


class Root(pytest.Collector):
    """Has the first part of the ids, or the target that is their second part."""

    def collect(self) -> list[pytest.Item]:
        """Nothing: the session adds the items."""
        return []


def _with_subtests(request: pytest.FixtureRequest, subtests: Any) -> None:
    if request.config.pluginmanager.has_plugin("capturemanager"):
        request.getfixturevalue("capsys")  # otherwise pytest opens two files for each subtest, which print nothing
    request.node.judge(subtests)


def _without_subtests(request: pytest.FixtureRequest) -> None:
    request.node.judge(None)


class ConformanceItem(pytest.Function):
    """Some cases of a clause on one API."""

    def __init__(self, *, target: TestedTarget, pairs: Sequence[Pair], **arguments: Any) -> None:
        super().__init__(**arguments)
        self._target = target
        self._pairs = pairs
        self._begun: Batch | None = None
        self._judged: Judged = []
        self._explained: set[tuple[str, ...]] = set()
        case, _ = pairs[0]
        for marker in markers_of(target, pairs):
            self.add_marker(marker)
        self._location = _path_of(case.clause.location.file), case.clause.location.line - 1

    @classmethod
    def of(
        cls, parent: pytest.Collector, target: TestedTarget, name: str, pairs: Sequence[Pair], *, by_case: bool
    ) -> ConformanceItem:
        check = _with_subtests if HAS_SUBTESTS and not by_case else _without_subtests
        item: ConformanceItem = cls.from_parent(parent, name=name, callobj=check, target=target, pairs=pairs)
        return item

    @property
    def target(self) -> TestedTarget:
        """The target that it tests."""
        return self._target

    @property
    def operation(self) -> str:
        """The operation of its cases."""
        return self._pairs[0][0].operation.name

    @property
    def clause(self) -> str:
        """The id of the clause that it is about."""
        return self._pairs[0][0].clause.id

    @property
    def id(self) -> Any:
        """The id in parts as pytest reads it back from text: otherwise --lf, which compares parts, finds nothing."""
        own = super().id
        return type(own).parse(str(own))

    def begin(self) -> None:
        """Begin to run the cases, which ``setup`` waits for."""
        if self._begun is None:
            self._begun = self._target.session.begin(self._pairs)

    def setup(self) -> None:
        """Run the cases; fails if nothing can be judged."""
        super().setup()
        begun, self._begun = self._begun, None  # an item that runs again makes its calls again
        results = self._target.results(self._pairs, begun)
        fates = [(result, fate_of(result, self._target.known, self._target.fail_on)) for result in results]
        self._judged = [(result, fate) for result, fate in fates if fate.kind != "observed"]
        if self._judged and all(fate.kind == "blocked" for _, fate in self._judged):
            account = self._account(*self._judged[0])
            pytest.fail(f"{account.reason}\n\n{account.text}", pytrace=False)

    def judge(self, subtests: Any) -> None:
        """Report each case as a subtest, if there are any, and then all of them together."""
        for result, fate in self._judged if subtests is not None else ():
            with subtests.test(result.case):
                self._report(result, fate)
        self._report_all(reported=subtests is not None)

    def _report_all(self, *, reported: bool) -> None:
        """reported: whether each case has been."""
        failed = [(result, fate) for result, fate in self._judged if fate.kind in ("failed", "blocked")]
        if failed and reported:
            pytest.fail(f"{len(failed)} of {len(self._judged)} cases failed: {failed[0][1].reason}", pytrace=False)
        if failed:
            self._report(*failed[0])
        if self._target.passes:
            says = "\n".join(f"[XPASS(strict)] {record.says}" for record in self._target.passes)
            pytest.fail(visible(says), pytrace=False)
        fates = [fate for _, fate in self._judged]
        for fate in fates:
            if fate.kind == "xfailed":
                pytest.xfail(fate.reason)
        if not any(fate.kind == "passed" for fate in fates):
            raise _skipped(fates[0].reason if fates else "nothing documented applies to it: only observed")

    def _report(self, result: ResultRecord, fate: Fate) -> None:
        match fate.kind:
            case "failed" | "blocked":
                raise Diverged(self._account(result, fate))
            case "xfailed":
                pytest.xfail(fate.reason)
            case "skipped":
                raise _skipped(fate.reason)
            case _:
                pass

    def _account(self, result: ResultRecord, fate: Fate) -> Account:
        """The whole account of the first case of each kind, since the others differ in little."""
        kind = (result.verdict, *result.divergence)
        brief = kind in self._explained
        self._explained.add(kind)
        records = self._target.records([case for case, _ in self._pairs])
        repro = self._target.repro(result, records.cases.get(result.case))
        commands = [command_of(self.config, self._target.name, self.nodeid), repro]
        return account_of(records, result, fate.reason, commands, brief=brief)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the clause."""
        return (*self._location, self.name)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """What happened, without the suite's own traceback."""
        if isinstance(excinfo.value, Diverged):
            return excinfo.value.account.representation()
        if isinstance(excinfo.value, pytest.xfail.Exception):
            return str(excinfo.value)  # pytest shows the reason; a traceback of the suite's code takes time
        return super().repr_failure(excinfo)

    def take_records(self) -> list[Record]:
        """The records for the results file since the last time."""
        return self._target.take_records()


class BlockedItem(pytest.Item):
    """A target that could not be started."""

    def __init__(self, *, reason: str, record: TargetRecord, **arguments: Any) -> None:
        """record: of the target, for the results file."""
        super().__init__(**arguments)
        self._reason = reason
        self._record = record
        self.add_marker(pytest.mark.conformance)

    def setup(self) -> None:
        pytest.fail(self._reason, pytrace=False)

    def runtest(self) -> None:
        """Nothing: it fails before."""

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name

    def take_records(self) -> list[Record]:
        """The record of the target."""
        return [self._record]


def markers_of(target: TestedTarget, pairs: Sequence[Pair]) -> list[pytest.MarkDecorator]:
    """``conformance``, the operation, the family, ``clause`` with its id, and ``own``."""
    case, _ = pairs[0]
    names = ["conformance", case.operation.name, case.clause.family]
    if any(target.session.standing(pair) in BINDING for pair in pairs):
        names.append("own")
    return [*(getattr(pytest.mark, name) for name in names), pytest.mark.clause(id=case.clause.id)]


def _skipped(reason: str) -> BaseException:
    return pytest.skip.Exception(reason, _use_item_location=True)


def _path_of(file: str) -> Path:
    """The absolute path of a spec; the suite's are shown relative to its data."""
    inside = data_folder() / file
    return inside if inside.exists() else Path(file).absolute()

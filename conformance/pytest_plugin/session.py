"""The plugin of a session that tests targets: it adds items, and writes the report at the end."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from conformance.app.options import OUTPUT
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.execution.target import Pair, unstarted_record
from conformance.processes.early_starts import EarlyStarts
from conformance.processes.worker_code import staged_worker
from conformance.pytest_plugin.items import BlockedItem, ConformanceItem, Root
from conformance.pytest_plugin.report import Report
from conformance.pytest_plugin.settings import is_judged, settings_of
from conformance.pytest_plugin.starting import failures_of_usage
from conformance.pytest_plugin.tested import TestedTarget
from conformance.reports.text import visible
from conformance.results.file import record_line
from conformance.results.records import Record

ROOT = "conformance"
"""The first part of the id of each item."""
FAMILIES = ("example", "rule", "behaviour", "relation")
_LINES = "conformance_lines"
"""The attribute of a report, and the entry of the output of a worker of xdist, with lines for the results file, which the
worker sends to the controller."""


class ConformanceSession:
    """Collects and runs items; in xdist's controller, which does neither, it writes the report."""

    def __init__(self, config: pytest.Config, early: EarlyStarts | None, stack: contextlib.ExitStack) -> None:
        """early: the targets that are starting. stack: closed at the end of the session."""
        self._config = config
        self._selected = _take_ids(config)
        self._settings = settings_of(config, is_named=bool(self._selected or config.option.keyword))
        self._stack = stack
        self._is_worker = hasattr(config, "workerinput")
        self._tested: dict[str, TestedTarget] = {}
        self._items_made: Counter[TestedTarget] = Counter()
        self._blocked: dict[str, str] = {}
        """Why the other targets did not start."""
        self._early = early
        self._report = Report(self._settings)
        for name, about in {"conformance": "an item of the conformance suite", "own": "judged by the API's own document",
                            "clause": "clause(id): a clause of the specs"}.items():  # fmt: skip
            config.addinivalue_line("markers", f"{name}: {about}")

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of the targets."""
        return self._settings.targets

    def target(self, name: str) -> TestedTarget:
        """A target that was started; the test fails if it could not be."""
        if name in self._blocked:
            pytest.fail(self._blocked[name], pytrace=False)
        return self._tested[name]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """In xdist's controller, report errors in specs and adapters: nobody sees what its workers print."""
        if session.config.pluginmanager.has_plugin("dsession"):
            with failures_of_usage():
                self._settings.plans()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Add the items of all targets before others deselect some; nothing deselects a target that did not start."""
        with failures_of_usage():
            added = list(self._items(session))
        self._check_ids(added)
        # pytest counts what it has collected by these reports
        session.ihook.pytest_collectreport(report=pytest.CollectReport(ROOT, "passed", None, [*added]))
        items += [item for item in added if not isinstance(item, BlockedItem)]
        yield
        self._count_selected([item for item in items if isinstance(item, ConformanceItem)])
        items += [item for item in added if isinstance(item, BlockedItem)]

    def _items(self, session: pytest.Session) -> Iterator[pytest.Item]:
        script = self._stack.enter_context(staged_worker())
        self._add_markers()
        _import_hypothesis(self._config)
        root = Root.from_parent(session, name=ROOT, nodeid=ROOT)
        for name in self._settings.targets:
            for item in self._items_of(Root.from_parent(root, name=name), name, script):
                if self._selected is None or _is_selected(item, self._selected):
                    yield item

    def _count_selected(self, selected: list[ConformanceItem]) -> None:
        """Tell each target of which items are deselected what its others are about: it counts what it leaves out of that."""
        for target, made in self._items_made.items():
            its_own = {item.name: item.clause for item in selected if item.target is target}
            if len(its_own) < made:
                target.select(frozenset(its_own.values()))

    def _check_ids(self, items: list[pytest.Item]) -> None:
        """UsageError for an id among the arguments that no item has."""
        for prefix in self._selected or ():
            if not any(_is_selected(item, [prefix]) for item in items):
                raise pytest.UsageError(
                    f"not found: {prefix}; pytest --conformance TARGET --collect-only -q lists all ids. "
                    "Is the target named as with --conformance, and is --conformance-items the same?"
                )

    def _items_of(self, parent: Root, name: str, script: Path) -> Iterator[pytest.Item]:
        plan = self._settings.plan(name, self._early)
        try:
            target = TestedTarget(plan, script, self._settings.options.fail_on, self._settings.output or OUTPUT)
        except (TargetBlocked, TargetError) as error:
            self._blocked[name] = reason = visible(str(error))
            record = unstarted_record(plan.jobs[0].target, str(error))
            yield BlockedItem.from_parent(parent, name="start", reason=reason, record=record)
            return
        self._stack.callback(target.close)
        self._tested[name] = target
        by_case = self._settings.by_case
        groups: dict[str, list[Pair]] = {}
        for case, api in ((case, api) for case, api in target.session.pairs if is_judged(case)):
            groups.setdefault(f"{case.id if by_case else case.clause.id}[{api['name']}]", []).append((case, api))
        self._items_made[target] = len(groups)
        for item_name, pairs in groups.items():
            yield ConformanceItem.of(parent, target, item_name, pairs, by_case=by_case)

    def _add_markers(self) -> None:
        for name in (*FAMILIES, *self._settings.inputs.catalogue.operations):
            self._config.addinivalue_line("markers", f"{name}: a family of clauses, or an operation")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Begin to run the cases of all items, in their final order."""
        # All cases exist from now on; the garbage collector would take a tenth of the session to traverse them.
        gc.freeze()
        if not self._is_worker:
            self._report.expect(
                item.nodeid for item in session.items if isinstance(item, ConformanceItem | BlockedItem)
            )
        if not self._is_worker and not session.config.option.collectonly:
            _begin(session.items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """In a worker of xdist, which knows no more of the order, begin to run the cases of the next item."""
        if self._is_worker:
            _begin([item, nextitem])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown" and isinstance(item, ConformanceItem | BlockedItem):
            records = item.take_records()
            if self._is_worker:
                setattr(report, _LINES, [record_line(record) for record in records])
            else:
                self._report.add_of_item(item.nodeid, records)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        lines = getattr(report, _LINES, None)
        if lines is not None and not self._is_worker:
            self._report.add_lines(lines, report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """End what runs, and write the report; a known divergence that no longer happens fails the session."""
        stopped = bool(session.shouldstop or session.shouldfail)
        whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not stopped
        last = list(self._last_records(session)) if whole and not session.config.option.collectonly else []
        self._stack.close()
        if self._is_worker:
            session.config.workeroutput[_LINES] = [record_line(record) for record in last]  # type: ignore[attr-defined]
            return
        self._report.add(last)
        if self._report.is_empty:
            return
        lost = self._report.lost if whole else None
        self._report.write(complete=whole and lost is None, reason=lost if whole else "interrupted")
        if (self._report.unexpected or lost is not None) and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_unconfigure(self) -> None:
        """Release what a session holds whose end raised an error."""
        self._stack.close()
        self._report.close()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """In xdist's controller, note the items that its workers will run."""
        self._report.expect(name for name in ids if name.startswith(f"{ROOT}::"))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """In xdist's controller, take the last records of a worker, which has none if it was killed."""
        lines = getattr(node, "workeroutput", {}).get(_LINES)
        if lines is None:
            self._report.lose(f"the worker {node.gateway.id} of pytest-xdist ended before its session: {error}")
        else:
            self._report.add_lines(lines)

    def _last_records(self, session: pytest.Session) -> Iterator[Record]:
        """Those of the targets with items; of several workers of xdist, the first one runs their examples."""
        operations: dict[TestedTarget, set[str]] = {}
        for item in session.items:
            if isinstance(item, ConformanceItem):
                operations.setdefault(item.target, set()).add(item.operation)
        is_first = not self._is_worker or self._config.workerinput["workerid"] == "gw0"  # type: ignore[attr-defined]
        for target, names in operations.items():
            yield from target.end(names, examples=is_first)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
        """At the very end, below the list of failures."""
        yield
        self._report.show(terminalreporter)


def _import_hypothesis(config: pytest.Config) -> None:
    """Import it while frameworks start: its own plugin does so at the end of every session, which takes half a second."""
    if config.pluginmanager.has_plugin("hypothesispytest"):
        threading.Thread(target=import_module, args=("hypothesis",), daemon=True).start()


def _begin(items: Iterable[pytest.Item | None]) -> None:
    for item in items:
        if isinstance(item, ConformanceItem):
            item.begin()


def _take_ids(config: pytest.Config) -> list[str] | None:
    """The ids of items among the arguments, which pytest would take for files; None if there are none.

    Below its root folder, pytest prints the first part of an id as if it were a path.
    """
    printed = os.path.relpath(config.rootpath / ROOT, config.invocation_params.dir)
    begins = tuple(f"{root}::" for root in (ROOT, printed))
    ids = [argument for argument in config.args if argument.startswith(begins)]
    if ids:
        config.args = [argument for argument in config.args if argument not in ids]
    return ["::".join([ROOT, *argument.split("::")[1:]]) for argument in ids] or None


def _is_selected(item: pytest.Item, ids: list[str]) -> bool:
    """Whether an id is that of the item or the beginning of it; a target that did not start stands for all its items."""
    if isinstance(item, BlockedItem):
        assert item.parent is not None
        target = f"{item.parent.nodeid}::"
        return any(f"{prefix}::".startswith(target) or target.startswith(f"{prefix}::") for prefix in ids)
    return any(item.nodeid == prefix or item.nodeid.startswith(f"{prefix}::") for prefix in ids)

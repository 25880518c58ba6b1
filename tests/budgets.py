"""What tests may use: the processes that they start and the cases that they build, which unlike seconds are the same on every machine.

A test over the budget of its room fails, and so does a fixture that several tests share. The end of a session says what each room has used.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import wraps
from multiprocessing.popen_spawn_posix import Popen as Spawned
from typing import Any, ParamSpec, TypeVar

import pytest

from conformance.cases.model import Case

STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})
"""The audit events of a process that starts another one."""
PROPERTY = "used"
MOST_SHOWN = 5

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Used:
    """By a test, a fixture or a room; or the most that may be."""

    processes: int = 0
    cases: int = 0

    def __add__(self, other: Used) -> Used:
        return Used(self.processes + other.processes, self.cases + other.cases)

    def __sub__(self, other: Used) -> Used:
        return Used(self.processes - other.processes, self.cases - other.cases)

    def fits(self, budget: Used) -> bool:
        return self.processes <= budget.processes and self.cases <= budget.cases

    def __str__(self) -> str:
        return f"{self.processes:,} processes, {self.cases:,} cases"


BUDGETS: dict[str, Used] = {
    "adapters": Used(3, 500),
    "adapters/test_trying.py": Used(8, 33_000),
    "api": Used(4, 500),
    "api/test_api.py": Used(14, 500),
    "api/test_follows.py": Used(40, 5_000),
    "app": Used(3, 13_000),
    "cases": Used(3, 3_000),
    "cases/store/test_suite.py": Used(3, 9_000),
    "cases/test_dtypes.py": Used(3, 13_000),
    "cases/test_forms.py": Used(3, 6_100),
    "cases/test_views.py": Used(3, 4_400),
    "cli": Used(20, 5_200),
    "cli/test_adapter.py": Used(20, 40_000),
    "cli/test_draws.py": Used(20, 84_000),
    "cli/test_matrix.py": Used(20, 6_900),
    "cli/test_new_operation.py": Used(21, 5_200),
    "cli/test_repro_all.py": Used(39, 5_200),
    "cluster": Used(20, 6_000),
    "documentation": Used(3, 500),
    "environments": Used(21, 500),
    "environments/test_environment.py": Used(32, 500),
    "environments/test_extending.py": Used(21, 3_500),
    "environments/test_install.py": Used(36, 500),
    "environments/test_real_environments.py": Used(50, 500),
    "execution": Used(4, 500),
    "execution/test_deaths_among_many_calls.py": Used(4, 1_800),
    "execution/test_exported.py": Used(6, 500),
    "execution/test_faults.py": Used(20, 500),
    "execution/test_forked_workers.py": Used(5, 500),
    "execution/test_probes.py": Used(4, 1_200),
    "execution/test_shrinking.py": Used(4, 5_000),
    "execution/test_stray_replies.py": Used(6, 500),
    "execution/test_three_targets.py": Used(19, 500),
    "execution/test_two_devices.py": Used(15, 500),
    "export": Used(6, 2_000),
    "export/test_onnx_run.py": Used(16, 2_000),
    "faults": Used(5, 500),
    "findings": Used(3, 500),
    "frameworks": Used(150, 8_000),
    "judging": Used(3, 3_000),
    "judging/test_dtype_claims.py": Used(3, 13_000),
    "known": Used(3, 500),
    "matrix": Used(3, 500),
    "planted": Used(12, 500),
    "planted/test_faults.py": Used(15, 500),
    "processes": Used(4, 500),
    "processes/test_early.py": Used(6, 500),
    "pytest_plugin": Used(6, 13_000),
    "reports": Used(3, 500),
    "reports/test_github.py": Used(5, 500),
    "repro": Used(4, 500),
    "repro/test_reproducing.py": Used(6, 500),
    "repro/test_transforms.py": Used(4, 1_800),
    "results": Used(3, 500),
    "specification": Used(3, 500),
    "specification/test_documentation.py": Used(3, 1_600),
    "specification/test_errata.py": Used(50, 500),
    "specification/test_programs.py": Used(3, 900),
    "test_data_package.py": Used(9, 500),
    "tests": Used(5, 500),
    "untrusted": Used(7, 500),
    "worker": Used(3, 500),
}
"""The most that one test, or one fixture that tests share, may use: in the files of a folder, and in those that need more.

With an empty cache and no environment: a test that makes one starts about ten processes for it.
"""


class Counts:
    """What this process has used, without what is made once for all tests."""

    def __init__(self) -> None:
        self.processes = 0
        self.cases = 0
        self.pauses = 0

    @property
    def used(self) -> Used:
        return Used(self.processes, self.cases)

    def start(self) -> None:
        """Count from now on, as long as this process lives: an audit hook is never removed."""
        launch, init = Spawned._launch, Case.__init__  # type: ignore[attr-defined]

        def audited(event: str, _: tuple[Any, ...]) -> None:
            if event in STARTS and not self.pauses:
                self.processes += 1

        def launching(*args: Any) -> None:  # by a system call of its own, which is not audited
            self.processes += not self.pauses
            launch(*args)

        @wraps(init)
        def building(*args: Any, **kwargs: Any) -> None:
            self.cases += not self.pauses
            init(*args, **kwargs)

        sys.addaudithook(audited)
        Spawned._launch = launching  # type: ignore[attr-defined]
        Case.__init__ = building  # type: ignore[method-assign]

    def uncounted(self, function: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
        """A function that makes what is made once: which test is the first to need it depends on their order."""

        @wraps(function)
        def paused(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Value:
            self.pauses += 1
            try:
                return function(*args, **kwargs)
            finally:
                self.pauses -= 1

        return paused


class Budgets:
    """The plugin: counts in the process that runs tests, and reports in the one that a user has started."""

    def __init__(self, *, are_held: bool) -> None:
        self.counts = Counts()
        self.are_held = are_held
        self.shared = Used()
        """By fixtures that tests share."""
        self.before = Used()
        self.reported = Used()
        self.by_test: dict[str, Used] = {}
        self.by_room: defaultdict[str, Used] = defaultdict(Used)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Charge what tests share to the fixture, and not to the test that happens to be the first."""
        if fixturedef.scope == "function":
            return (yield)
        before, inside = self.counts.used, self.shared
        result = yield
        used = self.counts.used - before - (self.shared - inside)
        self.shared += used
        self.hold(f"the fixture {fixturedef.argname}", fixturedef.baseid, used)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        self.before = self.counts.used - self.shared
        yield

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        yield
        self.hold("this test", item.nodeid, self.counts.used - self.shared - self.before)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        yield
        own, shared = self.counts.used - self.shared - self.before, self.shared - self.reported
        self.reported = self.shared
        item.user_properties.append((PROPERTY, [own.processes, own.cases, shared.processes, shared.cases]))

    def hold(self, what: str, nodeid: str, used: Used) -> None:
        """Fail if more was used than is allowed."""
        budget = budget_of(nodeid)
        if self.are_held and not used.fits(budget):
            pytest.fail(
                f"{what} has used {used}, and may use {budget}: let it start fewer processes or build the cases of one operation,"
                " share what it makes with the tests beside it, or give its file a line in BUDGETS of tests/budgets.py",
                pytrace=False,
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "teardown":
            return
        for name, value in report.user_properties:
            if name == PROPERTY and isinstance(value, list):
                own, shared = Used(*value[:2]), Used(*value[2:])
                self.by_test[report.nodeid] = own
                self.by_room[room_of(report.nodeid)] += own + shared

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """What each room has used, and the tests that have used most."""
        used = [(room, used) for room, used in sorted(self.by_room.items()) if used != Used()]
        if not used:
            return
        most = {
            test: own
            for name in ("processes", "cases")
            for test, own in sorted(self.by_test.items(), key=lambda pair: -getattr(pair[1], name))[:MOST_SHOWN]
            if getattr(own, name)
        }
        terminalreporter.section("processes that tests have started, cases that they have built")
        for name, numbers in (*used, *most.items()):
            terminalreporter.write_line(f"{numbers.processes:10,}{numbers.cases:12,}  {name}")


def room_of(nodeid: str) -> str:
    """The folder of a test: ``cli`` of ``tests/cli/test_run.py::test_x``, ``tests`` if it is in none."""
    folders = nodeid.partition("::")[0].split("/")[:-1]
    return folders[1] if len(folders) > 1 else "tests"


def budget_of(nodeid: str) -> Used:
    """That of a file, else that of its folder, else nothing."""
    file = nodeid.partition("::")[0].partition("/")[2]
    return BUDGETS.get(file) or BUDGETS.get(room_of(nodeid)) or Used()

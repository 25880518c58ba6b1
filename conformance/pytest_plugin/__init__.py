"""The pytest plugin: with ``--conformance TARGET`` it adds an item for each clause on each API of the target.

Every start of pytest imports this module, so it imports nothing until the option or the setting is used.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.pytest_plugin.own_tests import TargetForTests

GROUP = "conformance"
SESSION = "conformance-session"
"""The name of the plugin of a session that tests targets."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup(GROUP, "conformance of scatter and gather operations")
    group.addoption("--conformance", action="append", default=[], metavar="TARGET",
                    help="Test a target, such as torch or ./adapter.py; may be repeated. In the settings: conformance = [...].")  # fmt: skip
    group.addoption("--conformance-items", choices=["clause", "case"], default="clause",
                    help="One item for each clause on each API, its cases as subtests (default), or one for each case.")  # fmt: skip
    group.addoption("--conformance-operation", action="append", default=[], metavar="NAME",
                    help="Collect only this operation; may be repeated.")  # fmt: skip
    group.addoption("--conformance-draws", type=int, metavar="N", help="Random calls per rule, as in conformance run.")
    group.addoption("--conformance-seed", type=int, default=0, metavar="N", help="Seed of the random calls.")
    group.addoption("--conformance-specs", metavar="PATH", help="Your own spec file or folder instead of the suite's.")
    group.addoption("--conformance-fail-on", choices=["own", "any"], help="Which divergences fail.  [default: own]")
    group.addoption("--conformance-timeout", type=float, default=30.0, metavar="S", help="Seconds per call.")
    group.addoption("--conformance-python", metavar="PATH", help="Run targets in this interpreter.")
    group.addoption("--conformance-here", action="store_true",
                    help="Run targets in the interpreter of pytest, as adapter files without a target.toml always are.")  # fmt: skip
    group.addoption("--conformance-offline", action="store_true", help="Use only installed or cached packages.")
    group.addoption("--conformance-output", metavar="DIR", help="Folder of the report.")
    parser.addini("conformance", "Targets to test, as with --conformance.", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--conformance") or config.getini("conformance"):
        stack = contextlib.ExitStack()
        config.add_cleanup(stack.close)
        with _plain_imports(config):
            from conformance.pytest_plugin.starting import starting

            early = stack.enter_context(starting(config))
            from conformance.pytest_plugin.session import ConformanceSession

        config.pluginmanager.register(ConformanceSession(config, early, stack), SESSION)


@contextlib.contextmanager
def _plain_imports(config: pytest.Config) -> Iterator[None]:
    """Import without pytest's rewriting of assertions: it marks all modules of a distribution with a plugin, here hundreds."""
    hook: Any = config.pluginmanager.rewrite_hook
    place = sys.meta_path.index(hook) if hook in sys.meta_path else None
    if place is not None:
        del sys.meta_path[place]
    try:
        yield
    finally:
        if place is not None:
            sys.meta_path.insert(place, hook)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "conformance_target" in metafunc.fixturenames:
        session = metafunc.config.pluginmanager.get_plugin(SESSION)
        names = session.targets if session is not None else [None]
        metafunc.parametrize("conformance_target", names, indirect=True)


@pytest.fixture
def conformance_target(request: pytest.FixtureRequest) -> TargetForTests:
    """Each target of --conformance: ``check(case)`` runs a case of ``conformance.cases`` on its APIs, in its own process."""
    if request.param is None:
        pytest.skip("needs a target: pytest --conformance TARGET")
    from conformance.pytest_plugin.own_tests import TargetForTests

    session = request.config.pluginmanager.get_plugin(SESSION)
    assert session is not None
    return TargetForTests(session.target(request.param))

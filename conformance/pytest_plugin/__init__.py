"""The pytest plugin: with ``--conformance TARGET`` it adds an item for each clause on each API of the target.

Every start of pytest imports this module, so it imports only the list of options until one that tests targets or the setting is used.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import TYPE_CHECKING, Any

import pytest

from conformance.app.options import DEFAULTS, IN_PYTEST, Option

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
    for name, option in IN_PYTEST.items():
        shown = f"  [default: {DEFAULTS[name]}]" if DEFAULTS[name] else ""
        group.addoption(option.pytest_flag, help=f"{option.help}{shown}", **_form(option))
    group.addoption("--conformance-output", metavar="DIR", help="Folder of the report.")
    parser.addini("conformance", "Targets to test, as with --conformance.", type="args", default=[])


def _form(option: Option) -> dict[str, Any]:
    """How argparse takes an option. None says that it was not given, so that the project's settings count."""
    if option.kind is bool:
        return {"action": "store_true"}
    if option.several:
        return {"action": "append", "default": [], "metavar": option.metavar}
    kind = option.kind if option.kind in (int, float) else str
    return {"type": kind, "metavar": option.metavar, "choices": option.choices or None}


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--conformance") or config.getini("conformance"):
        stack = contextlib.ExitStack()
        config.add_cleanup(stack.close)
        config.add_cleanup(gc.unfreeze)  # after pytest has collected garbage, not to traverse all cases once more
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
    """Each target of --conformance: ``check(case)`` runs a case of ``conformance.load_cases`` on its APIs, in its own process."""
    if request.param is None:
        pytest.skip("needs a target: pytest --conformance TARGET")
    from conformance.pytest_plugin.own_tests import TargetForTests

    session = request.config.pluginmanager.get_plugin(SESSION)
    assert session is not None
    return TargetForTests(session.target(request.param))

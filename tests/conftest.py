"""Settings for all tests."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import once
from tests.budgets import Budgets
from tests.once import make_once

make_once()

# A shell starts what runs in the background with this signal ignored, and tests interrupt runs with it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Both measure wall time, which says nothing on a busy machine.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mutations", type=int, default=40, help="Mutations of each kind in tests/untrusted/test_fuzz.py."
    )
    parser.addoption(
        "--whole", action="store_true", help="Run all cases in tests/frameworks/test_real_run.py, not a part of them."
    )
    parser.addoption("--published", action="store_true", help="Check every statement about the published run.")
    parser.addoption("--first-mutation", type=int, default=0, help="The seed of the first of them.")


def pytest_configure(config: pytest.Config) -> None:
    more = config.getoption("--whole") or config.getoption("--published") or config.getoption("--mutations") > 40
    budgets = Budgets(are_held=not more)
    budgets.counts.start()
    once._suite_cases = budgets.counts.uncounted(once._suite_cases)  # type: ignore[assignment]
    config.pluginmanager.register(budgets, "budgets")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file without a test that is asked for by its marker: nine of ten files have none for frameworks."""
    asked = config.getoption("markexpr")
    if collection_path.suffix != ".py" or not re.fullmatch(r"\w+( or \w+)*", asked):
        return None
    text = collection_path.read_text(encoding="utf-8")
    return None if any(f"mark.{name}" in text for name in asked.split(" or ")) else True

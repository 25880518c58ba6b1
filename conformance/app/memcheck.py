"""Whether targets can run below memcheck."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.app.errors import ConformanceError
from conformance.environments.errors import TargetBlocked
from conformance.environments.prepared_target import mode_of
from conformance.environments.resolve import Target
from conformance.processes.memcheck import Valgrind, installed
from conformance.results.exit_status import USAGE


def memcheck_for(targets: Sequence[Target]) -> Valgrind:
    """Memcheck for these targets; ConformanceError for one that cannot run below it, or if it is not installed."""
    for target in targets:
        if target.device_kind != "cpu":
            text = f"{target.asked}: --memcheck watches the memory of a CPU, not of {target.device}"
            raise ConformanceError(f"{text}; see docs/memory.md", USAGE)
        if mode_of(target).together > 1:
            text = f"{target.asked}: this mode compiles many calls at once, and --memcheck tells what each of them does"
            raise ConformanceError(f"{text}; choose the default mode", USAGE)
    try:
        return installed()
    except TargetBlocked as error:
        raise ConformanceError(str(error), TargetBlocked.exit_status) from None

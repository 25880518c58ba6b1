"""Which cases a target runs on which of its APIs."""

from __future__ import annotations

from collections.abc import Collection

from conformance.cases.model import Case


def is_planned(case: Case, operation: str, devices: Collection[str | None], *, lacks_kernel: bool) -> bool:
    """Whether a case is run on an API that implements an operation.

    devices: the kinds of devices whose cases the target runs. lacks_kernel: the API has no kernel for the target's device.
    """
    return (
        operation == case.operation.name
        and case.device in devices
        and (case.provenance == "written" or not lacks_kernel)
    )

"""The operations of the suite, the rules that calls can break, and what the reference says."""

from __future__ import annotations

from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.specification.loader import load_specs
from conformance.specification.model import Operation, Rule

CATALOGUE = load_specs()
OPERATIONS = [name for name, operation in CATALOGUE.operations.items() if operation.layout is not None]
"""Those of which calls are drawn: not those about keys of slices, windows and offsets, whose specs have no layout."""
RULES = [
    (operation.name, rule.name)
    for operation in CATALOGUE.operations.values()
    for rule in operation.rules
    if rule.require is not None and operation.layout is not None
]
REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")


def rule_of(operation: str, name: str) -> tuple[Operation, Rule]:
    found = CATALOGUE.operations[operation]
    [rule] = [rule for rule in found.rules if rule.name == name]
    return found, rule

"""Whether a rule is checked by another call of a composed adapter function, so that it says nothing about the API."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.cases.draws.forms import key_of
from conformance.cases.model import Case
from conformance.specification.applied import Applied
from conformance.specification.model import Raises


def helper_of(case: Case, helpers: Mapping[str, str]) -> str | None:
    """The call that checks what a case breaks; None if the API itself does, or if the case breaks nothing.

    helpers: as in ``@api``: an argument, or a property of one, and the call that checks it.
    """
    if not helpers or case.control is None or not isinstance(case.expectation, Raises):
        return None
    owners = [_owner(term, helpers) for term in _broken_terms(case, case.control)]
    return " and ".join(dict.fromkeys(owner for owner in owners if owner)) if owners and all(owners) else None


def _broken_terms(case: Case, control: Applied) -> list[str]:
    """What the broken rules are about; for a clause that is no rule, the arguments that differ from the control."""
    broken = set(case.call.broken_rules)
    if case.clause.rule is None or case.clause.rule.name not in broken:
        return [
            name
            for name, value, same in zip(case.call.arguments, key_of(case.call), key_of(control), strict=True)
            if value != same
        ]
    broken -= set(case.clause.rule.implies)
    requirements = [rule.require for rule in case.operation.rules if rule.name in broken and rule.require is not None]
    return sorted({term for requirement in requirements for term in requirement.terms})


def _owner(term: str, helpers: Mapping[str, str]) -> str | None:
    argument, _, _ = term.partition(".")
    return helpers.get(term) or helpers.get(argument)

"""``conformance check --frameworks``: each variant of a mapped API that a framework has is mapped, or excused with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.app import loading
from conformance.cli.docs_target import session_of
from conformance.execution.plan import Interpreters
from conformance.execution.session import Session
from conformance.reports.text import counted
from conformance.specification.problems import Problem
from conformance.specification.variants import Accounts, accounts, variant_problems, variants_beside


@dataclass(frozen=True)
class Asked:
    """The variants of a target's APIs, in its tested version."""

    summary: str
    problems: Sequence[Problem]


def check_variants(target: str, adapter: Path) -> Asked | None:
    """The problems of the variants that a target has; None if nothing beside its adapter speaks of them.

    ConformanceError if it does not start.
    """
    said = variants_beside(adapter)
    if said is None:
        return None
    with session_of(target, loading.catalogue(None), Interpreters()) as session:
        accounted = accounts_of(session)
        name = session.target.record.id
    assert accounted is not None, "the file was read"
    excused = counted(len(accounted.unmapped), "variant that is not mapped has", "variants that are not mapped have")
    return Asked(f"{excused} a reason in {name}", variant_problems(said, accounted, name))


def accounts_of(session: Session) -> Accounts | None:
    """What became of the variants that a started target has; None if nothing beside its adapter speaks of them."""
    said = variants_beside(session.job.target.adapter)
    if said is None:
        return None
    return accounts(said, session.variants(said.words), [api["name"] for api in session.target.apis])

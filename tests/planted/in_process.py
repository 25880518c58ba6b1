"""Judges an adapter on the cases of the suite in the current process, as a run does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.cases.build import build_cases
from conformance.cases.expectations import Agrees
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variation import Transformed
from conformance.cases.wire import manner_of
from conformance.data_folders import reference_adapter
from conformance.execution.attempt import judged_here
from conformance.execution.target import changed_around
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.specification.loader import load_specs
from conformance.worker import adapters
from conformance.worker.adapters import Adapter

REFERENCE = reference_adapter()


@dataclass(frozen=True)
class JudgedCase:
    """A case, and the judgement of an adapter on it."""

    case: Case
    judgement: Judgement

    @property
    def is_blamed(self) -> bool:
        """Whether the suite says something against the adapter."""
        return self.judgement.verdict not in ("conforms", "observed") and not (
            self.judgement.verdict == "blocked" and is_transformed(self.case)
        )


def is_transformed(case: Case) -> bool:
    """Whether it is a derivative or a batch; that of a call that raises, as it should, is blocked, whoever computes it."""
    return isinstance(case.variation, Transformed)


def all_cases() -> tuple[Case, ...]:
    """All cases of the suite."""
    return tuple(case for operation in load_specs().operations for case in all_cases_of(operation))


@cache
def all_cases_of(operation: str) -> tuple[Case, ...]:
    """All cases of an operation: a defect of one needs those of no other."""
    return tuple(build_cases(load_specs().only([operation]), load_reference(REFERENCE)))


def cpu_cases() -> tuple[Case, ...]:
    """The cases for a CPU that are a single call, that is, all but relations, and meant for APIs and modes of any framework."""
    return tuple(case for case in all_cases() if _is_for_cpu(case))


def _is_for_cpu(case: Case) -> bool:
    return (
        case.device != "gpu"
        and not isinstance(case.expectation, Agrees)
        and not case.clause.only_documented
        and manner_of(case.call).is_of_any_mode
    )


@cache
def cases_of(operation: str) -> Sequence[Case]:
    """Those of them that are about an operation, the smallest first, since most of the time goes into few large ones."""
    return sorted(filter(_is_for_cpu, all_cases_of(operation)), key=lambda case: case.size)


@cache
def reference() -> Adapter:
    """The reference, loaded once."""
    return load(REFERENCE)


def load(path: Path) -> Adapter:
    """The adapter of a file."""
    return adapters.load(str(path))


def results(adapter: Adapter, cases: Iterable[Case], *, error_types: bool = False) -> Iterator[JudgedCase]:
    """The judgements of an adapter on these cases; ``error_types`` as in ``Subject``."""
    for case in cases:
        for api in adapter.apis:
            if api.operation == case.operation.name:
                subject = Subject(
                    "portability",
                    api.in_place,
                    immutable=False,
                    error_types=error_types,
                    changed_around=changed_around(case.call.manner, api.in_place),
                )
                yield JudgedCase(case, judged_here(adapter, api, case, subject).judgement)

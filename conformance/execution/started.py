"""A target whose worker was started, and the worker's description of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.documentation.speaking import Spoken
from conformance.judging.standing import DescribedApi, concerns
from conformance.results.records import MappingRecord, TargetRecord
from conformance.specification.model import Clause
from conformance.targets.name import exact_version
from conformance.targets.prepared import Prepared
from conformance.targets.resolve import Target
from conformance.targets.sources import module_paths, source_digest
from conformance.worker.frames import Message


@dataclass(frozen=True)
class StartedTarget:
    """A target that is ready for calls."""

    prepared: Prepared
    record: TargetRecord
    apis: Sequence[Message]
    """Descriptions from the worker."""
    immutable: bool
    """The framework's tensors cannot be changed."""
    spoken: Mapping[str, Spoken] = field(default_factory=dict)
    """By API, the claims whose sentences are in the documentation that ships with it."""
    _described: dict[tuple[str, str | None], DescribedApi] = field(default_factory=dict, init=False, compare=False)

    @property
    def keeps_error_types(self) -> bool:
        """Errors have the same types in its mode as when nothing is compiled."""
        return self.prepared.mode.keeps_error_types

    def described(self, api: Message) -> DescribedApi:
        """An API with the claims that its documentation makes."""
        key = api["name"], api["follows"]
        if key not in self._described:
            citations = self.spoken.get(api["name"], Spoken()).citations
            self._described[key] = DescribedApi(self.record.framework, self.record.version, *key, citations)
        return self._described[key]

    def concerns(self, clause: Clause, api: Message) -> bool:
        """Whether the calls of a clause are made on an API."""
        return concerns(clause, self.described(api), composed=api["composed"])

    def mappings(self) -> list[MappingRecord]:
        """A record of each API."""
        return [_mapping(self.record.id, api) for api in self.apis]


def started(prepared: Prepared, ready: Message) -> StartedTarget:
    """The target of a worker that is ready; TargetBlocked if its version is not the one requested."""
    return StartedTarget(prepared, _record(prepared, ready), ready["apis"], bool(ready["about"].get("immutable")))


def unstarted_record(target: Target, reason: str) -> TargetRecord:
    """The record of a target that could not be started, or gave up."""
    return TargetRecord(
        id=target.asked,
        framework=target.framework,
        version=None,
        device=target.device,
        mode=target.mode,
        blocked=reason,
        asked=target.asked,
        default_mode=_is_default_mode(target),
        requested=_requested(target),
    )


def _record(prepared: Prepared, ready: Message) -> TargetRecord:
    target = prepared.target
    modules = module_paths(target, ready["modules"])
    version = ready["about"].get("version") or prepared.environment.version
    return TargetRecord(
        id=prepared.identify(version),
        framework=ready["about"].get("framework") or _undescribed(target),
        version=version,
        device=target.device,
        mode=target.mode,
        python=ready["python"],
        numpy=ready["numpy"],
        packages=dict(prepared.environment.packages),
        variables=dict(prepared.variables),
        gpu=target.gpu,
        title=ready["about"].get("framework") or target.title if target.is_file else target.title,
        issues=target.definition.issues if target.definition else None,
        asked=target.asked,
        default_mode=_is_default_mode(target),
        path=prepared.mode.path,
        requested=_requested(target),
        sources=source_digest(target, modules),
        modules=modules,
        unconverted=dict(ready["unconverted"]),
    )


def _undescribed(target: Target) -> str:
    """The framework of an adapter that does not name it; that of a user's file is none that a document describes."""
    return target.adapter.name if target.is_file else target.framework


def _is_default_mode(target: Target) -> bool:
    return target.definition is None or target.mode == target.definition.default_mode


def _requested(target: Target) -> str | None:
    return exact_version(target.specifier) if target.specifier is not None else None


def _mapping(target: str, api: Message) -> MappingRecord:
    return MappingRecord(
        target=target,
        api=api["name"],
        operation=api["operation"],
        composed=api["composed"],
        source=api["source"],
        in_place=api["in_place"],
        follows=api["follows"],
        helpers=api["helpers"],
        devices=api["devices"],
        lacks_kernel=api["lacks_kernel"],
        documentation=list(api["documentation"]),
    )

"""The documentation of a target, for the commands `conformance docs`."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

import click

from conformance.app.errors import ConformanceError
from conformance.documentation.speaking import documents_of
from conformance.environments.definition import definitions
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.events import Event, TargetPreparing
from conformance.execution.plan import Interpreters, Plan, jobs
from conformance.execution.session import Session
from conformance.execution.shipped import Shipped
from conformance.processes.worker_code import staged_worker
from conformance.specification.adapter_files import api_names
from conformance.specification.model import Catalogue, Document
from conformance.specification.problems import SpecError, nearest

_LIMIT = 60.0
"""Seconds to read all documentation of a target."""


def shipped_by(name: str, catalogue: Catalogue, interpreters: Interpreters) -> Shipped:
    """The documentation of a target; ConformanceError if it does not start."""
    with session_of(name, catalogue, interpreters) as session:
        return session.shipped


@contextmanager
def session_of(name: str, catalogue: Catalogue, interpreters: Interpreters) -> Iterator[Session]:
    """A target that makes no calls; ConformanceError if it does not start."""
    try:
        [job] = jobs([name], interpreters)
        with (
            staged_worker() as script,
            closing(Session(Plan.alone(job, [], catalogue.documents, _LIMIT), job, script, _tell)) as session,
        ):
            session.start()
            yield session
    except (TargetError, SpecError) as error:
        raise ConformanceError(str(error)) from None
    except TargetBlocked as error:
        raise ConformanceError(f"{name}: {error}", error.exit_status) from None


def _tell(event: Event) -> None:
    if isinstance(event, TargetPreparing):
        click.echo(f"{event.target}: {event.message}", err=True)


def target_of(apis: Sequence[str], target: str | None) -> str:
    """The target that was named, or else the one whose adapter maps the first API."""
    if target is not None:
        return target
    mapped = {api: definition.name for definition in definitions().values() for api in api_names(definition.adapter)}
    if not apis:
        raise ConformanceError("expected an API such as torch.gather, or --target T for all APIs of a target")
    if apis[0] not in mapped:
        raise ConformanceError(f"no adapter maps {apis[0]}{nearest(apis[0], mapped)} (--target T reads any API of T)")
    return mapped[apis[0]]


def objects(shipped: Shipped, apis: Sequence[str]) -> list[str]:
    """The objects with the documentation of APIs, which may be patterns; by default of all APIs."""
    names = {name: None for api in shipped.apis for name in api.documentation}
    names |= dict.fromkeys(shipped.texts)  # claims name more objects, which another mode or version may lack
    if not apis:
        return list(names)
    of_api = {api.name: api.documentation for api in shipped.apis} | {name: (name,) for name in names}
    selected: dict[str, None] = {}
    for api in apis:
        matching = [name for known, own in of_api.items() if fnmatch.fnmatchcase(known, api) for name in own]
        if not matching and api not in of_api:
            raise ConformanceError(f"{shipped.target} has no API {api!r}{nearest(api, of_api)}")
        selected |= dict.fromkeys(matching or of_api[api])
    return list(selected)


def documents_about(catalogue: Catalogue, shipped: Shipped) -> Iterable[Document]:
    """The documents of the target's framework, and of the APIs that its APIs follow."""
    return documents_of(catalogue.documents.values(), shipped.framework, shipped.apis)

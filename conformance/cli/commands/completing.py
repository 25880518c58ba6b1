"""What the shell offers for the beginning of a word: targets, operations, APIs, environments, and ids of clauses and cases."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from conformance.cases.store.listing import Listing

Offered = list[CompletionItem]


def targets(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:  # noqa: ARG001
    """Names of targets; of one that is followed by a bracket or an at-sign, those with its modes or devices; or files."""
    if begun.startswith((".", "/", "~")):
        return [CompletionItem(begun, type="file")]
    return _beginning(begun, _targets(begun))


def operations(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:  # noqa: ARG001
    return _beginning(begun, iter(_listing(context)))


def ids(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:  # noqa: ARG001
    """Ids of clauses, and those of cases once a clause is whole."""
    return _beginning(begun, _ids(context, cases="/" in begun))


def ids_and_apis(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:
    return [*ids(context, parameter, begun), *apis(context, parameter, begun)]


def apis(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:  # noqa: ARG001
    return _beginning(begun, _apis())


def environments(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:  # noqa: ARG001
    return _beginning(begun, _environments())


def listed(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:
    """What may follow the kind of a list."""
    return (targets if context.params.get("kind") == "unmapped" else ids)(context, parameter, begun)


def targets_and_ids(context: click.Context, parameter: click.Parameter, begun: str) -> Offered:
    return [*targets(context, parameter, begun), *ids(context, parameter, begun)]


def _beginning(begun: str, names: Iterator[str]) -> Offered:
    with contextlib.suppress(Exception):  # a shell has no place for a message about a broken file
        return [CompletionItem(name) for name in names if name.startswith(begun)]
    return []


def _targets(begun: str) -> Iterator[str]:
    from conformance.environments.packages import outlines

    for name, outline in outlines().items():
        if begun.startswith((f"{name}[", f"{name}@")):
            yield from (f"{name}[{mode}]" for mode in outline.modes)
            yield from (f"{name}@{device}" for device in outline.devices)
        else:
            yield name


def _apis() -> Iterator[str]:
    from conformance.environments.packages import target_folders
    from conformance.specification.adapter_files import api_operations

    yield from sorted({api for target in target_folders().values() for api, _ in api_operations(target.adapter)})


def _environments() -> Iterator[str]:
    from conformance.environments.stored import home_folder, stored_environments

    yield from (stored.name for stored in stored_environments(home_folder()))


def _ids(context: click.Context, *, cases: bool) -> Iterator[str]:
    for operation in _listing(context).values():
        yield from (clause.id for clause in operation.clauses)
        yield from (case.id for case in operation.cases if cases)


def _listing(context: click.Context) -> Listing:
    from conformance.app.listings import listing

    return listing(context.params.get("specs"))

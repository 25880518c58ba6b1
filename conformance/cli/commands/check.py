"""``conformance check``: its arguments and options."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.cli.commands.announced import announced


@click.command(name="check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[SPEC | ADAPTER | TARGET]...")
@click.option("--all", "every", is_flag=True, help="Also check what has passed before and has not changed since.")
@click.option(
    "--frameworks",
    is_flag=True,
    help="Also execute what the documents' errata and claims need a framework for, and ask frameworks for variants that no adapter maps.",
)
@click.option(
    "--update-epoch",
    is_flag=True,
    help="Publish the cases of the suite's specs: the epoch is raised if a published one went or changed; docs/versions.md.",
)
@click.option(
    "--update-listing",
    is_flag=True,
    help="Write the listing of the suite's cases (specs/listing.json), which commands read instead of building all cases.",
)
def command(paths: tuple[Path, ...], *, every: bool, **what: bool) -> int:
    """Check specs and adapters; by default those of the suite.

    What has passed before and has not changed since is not checked again, unless you add --all.

    Specs: keys, literals, expressions, citations, and that every call keeps or breaks the rules as declared. Adapters
    (a .py file, a target.toml or its folder, or the name of a target): the keys of target.toml, imports, names of operations and arguments, that no API always raises Unsupported, and that each
    entry of divergences.yaml beside it matches a case and an API. With --frameworks, also that each variant of a mapped API that the
    tested version of a framework has is mapped, or has a reason in variants.yaml.
    """
    for name in ("update_epoch", "update_listing"):
        if what[name] and paths:
            flag = f"--{name.replace('_', '-')}"
            raise ConformanceError(f"{flag} is about the suite's own specs: conformance check {flag}")
    with announced(f"checking {', '.join(map(str, paths)) or 'the specs and adapters of the suite'}"):
        from conformance.cli.check import What, check_files

        return check_files(paths, What(every, **what))

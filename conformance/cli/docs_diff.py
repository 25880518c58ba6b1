"""``conformance docs diff``: which sentences changed between two versions, beside what changed in behaviour."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import click

from conformance.cli import loading
from conformance.cli.docs_show import wrapped
from conformance.cli.failures import USAGE, Failure
from conformance.cli.results_files import load_results
from conformance.cli.shipping import documents_about, objects, shipped_by
from conformance.diff.compare import compare_results
from conformance.documentation.comparing import TextChange, text_changes
from conformance.documentation.reading import read
from conformance.execution.preparing import Interpreters
from conformance.execution.shipped import Shipped
from conformance.reports.text import counted, visible
from conformance.specification.model import Document


def compare_documentation(
    before: str, after: str, apis: Sequence[str], results: tuple[Path, Path] | None, specs: Path | None,
    interpreters: Interpreters,
) -> int:  # fmt: skip
    """Print what changed in the documentation from one target to another, and beside it what changed in behaviour."""
    catalogue = loading.catalogue(specs)
    was, now = (shipped_by(name, catalogue, interpreters) for name in (before, after))
    if was.framework != now.framework:
        raise Failure(USAGE, f"{was.target} and {now.target} are not versions of one framework")
    changes = {name: change for name in objects(now, apis) if (change := _changes(was, now, name))}
    for line in _lines(was, now, changes, list(documents_about(catalogue, now))):
        click.echo(line)
    if results is not None:
        for line in _beside_behaviour(was, now, changes, results):
            click.echo(line)
    return 0


def _changes(was: Shipped, now: Shipped, name: str) -> tuple[TextChange, ...]:
    """The changes of an object that has documentation in both versions."""
    return text_changes(was.texts[name], now.texts[name]) if name in was.texts and name in now.texts else ()


def _lines(
    was: Shipped, now: Shipped, changes: Mapping[str, Sequence[TextChange]], documents: Sequence[Document]
) -> Iterator[str]:
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    yield f"documentation of {was.target} -> {now.target}"
    for name, of_object in changes.items():
        claims = {
            statement.piece.hash: [str(citation) for citation in statement.claims]
            for statement in read(documents, name, was.texts[name]).statements
        }
        yield ""
        yield f"{name}: {counted(len(of_object), 'change')}"
        for change in of_object:
            yield from _change_lines(change, claims, width)
    for title, one, other in (("only in the first", was, now), ("only in the second", now, was)):
        names = sorted(set(one.texts) - set(other.texts))
        if names:
            yield ""
            yield from wrapped(f"{title}: {', '.join(names)}", "", width)
    sentences = sum(map(len, changes.values()))
    yield ""
    yield f"{counted(sentences, 'change')} in {counted(len(changes), 'text')} of {len(set(was.texts) & set(now.texts))}"


def _change_lines(change: TextChange, claims: Mapping[str, Sequence[str]], width: int) -> Iterator[str]:
    piece = change.after or change.before
    assert piece is not None
    what = "reworded" if change.before and change.after else "new" if change.after else "removed"
    yield f"  {what}, {piece.place}"
    yield from wrapped(visible(change.by_word), "      ", width)
    resting = claims.get(change.before.hash, ()) if change.before is not None else ()
    if resting:
        yield from wrapped(f"of {', '.join(resting)}", "    -> ", width)


def _beside_behaviour(was: Shipped, now: Shipped, changes: Collection[str], files: tuple[Path, Path]) -> Iterator[str]:
    difference = compare_results(load_results(files[0]), load_results(files[1]))
    behaviour = Counter(
        change.after.api
        for change in difference.changes
        if (change.pair.before.id, change.pair.after.id) == (was.target, now.target)
    )
    reworded = {api.name for api in now.apis if set(api.documentation) & set(changes)}
    groups = {
        "behaviour changed, text did not": {api: behaviour[api] for api in sorted(behaviour.keys() - reworded)},
        "behaviour and text changed": {api: behaviour[api] for api in sorted(behaviour.keys() & reworded)},
        "text changed, behaviour did not": dict.fromkeys(sorted(reworded - behaviour.keys()), 0),
    }
    for title, apis in groups.items():
        yield ""
        yield f"{title} ({counted(len(apis), 'API')})"
        yield from (f"  {api}" + (f": {counted(count, 'result')}" if count else "") for api, count in apis.items())

"""``conformance docs diff``: which sentences changed between two versions, beside what changed in behaviour."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.results_files import load_results
from conformance.cli.docs_target import documents_about, objects, shipped_by
from conformance.documentation.comparing import TextChange, text_changes
from conformance.documentation.pieces import Piece
from conformance.documentation.reading import Statement, read
from conformance.execution.plan import Interpreters
from conformance.execution.shipped import Shipped
from conformance.findings.compare import compare, sides
from conformance.findings.difference import edited_cases
from conformance.reports.text import counted, visible, wrapped
from conformance.specification.model import Document

Behaviour = Counter[tuple[str, str]]
"""The number of results that changed, by what they were and what they are."""


@dataclass(frozen=True)
class DocumentationChanges:
    """What changed from one version of a framework to another."""

    was: Shipped
    now: Shipped
    former: Mapping[str, str]
    """By object of the second version, the one of the first that it is compared with."""
    changes: Mapping[str, Sequence[TextChange]]
    """By object of the second version, if there are any."""
    documents: Sequence[Document]
    """Those about the framework."""
    behaviour: Mapping[str, Behaviour] | None
    """By API, the results that changed; None if there are no results to compare."""

    def statement(self, name: str, piece: Piece | None) -> Statement | None:
        """What the documents make of a sentence of an object's text in one of the versions."""
        return self._statements[name].get(piece.hash) if piece is not None else None

    @cached_property
    def _statements(self) -> Mapping[str, Mapping[str, Statement]]:
        return {
            name: {
                statement.piece.hash: statement
                for object_name, shipped in ((self.former[name], self.was), (name, self.now))
                for statement in read(self.documents, object_name, shipped.texts[object_name]).statements
            }
            for name in self.changes
        }

    def only_in(self, shipped: Shipped) -> list[str]:
        """The objects that have documentation in this version alone."""
        compared = self.former.values() if shipped is self.was else self.former.keys()
        return sorted(set(shipped.texts).difference(compared))

    def beside_behaviour(self) -> dict[str, dict[str, Behaviour]]:
        """By what changed, the APIs and their results that did."""
        if self.behaviour is None:
            return {}
        behaviour = self.behaviour
        reworded = {api.name for api in self.now.apis if set(api.documentation) & set(self.changes)}
        return {
            "behaviour changed, text did not": {api: behaviour[api] for api in sorted(behaviour.keys() - reworded)},
            "behaviour and text changed": {api: behaviour[api] for api in sorted(behaviour.keys() & reworded)},
            "text changed, behaviour did not": {api: Counter() for api in sorted(reworded - behaviour.keys())},
        }


def compare_documentation(
    before: str, after: str, apis: Sequence[str], results: tuple[Path, Path] | None, specs: Path | None,
    interpreters: Interpreters, *, markdown: bool,
) -> int:  # fmt: skip
    """Print what changed in the documentation from one target to another, and beside it what changed in behaviour."""
    catalogue = loading.catalogue(specs)
    was, now = (shipped_by(name, catalogue, interpreters) for name in (before, after))
    if was.framework != now.framework:
        raise ConformanceError(f"{was.target} and {now.target} are not versions of one framework")
    former = {name: old for name in now.texts if (old := _former(was, now, name)) is not None}
    changes = DocumentationChanges(
        was,
        now,
        former,
        {
            name: change
            for name in objects(now, apis)
            if name in former and (change := text_changes(was.texts[former[name]], now.texts[name]))
        },
        list(documents_about(catalogue, now)),
        _behaviour(was, now, results) if results is not None else None,
    )
    for line in _markdown(changes) if markdown else _lines(changes):
        click.echo(line)
    return 0


def _former(was: Shipped, now: Shipped, name: str) -> str | None:
    """The object of the first version that is compared with one of the second: the same, or what documented its API then."""
    if name in was.texts:
        return name
    documented = now.apis_of(name)
    before = [old for api in was.apis if api.name in documented for old in api.documentation]
    return next((old for old in before if old in was.texts and old not in now.texts), None)


def _behaviour(was: Shipped, now: Shipped, files: tuple[Path, Path]) -> dict[str, Behaviour]:
    first, second = map(load_results, files)
    old, new = sides(first).get(was.target), sides(second).get(now.target)
    if old is None or new is None:
        return {}
    edited = edited_cases(first, second)
    behaviour: dict[str, Behaviour] = {}
    for change in compare(old, new, "behaviour").changes:
        if change.second.case not in edited:
            behaviour.setdefault(change.second.api, Counter())[change.was, change.now] += 1
    return behaviour


def _behaviour_text(changed: Behaviour) -> str:
    """Such as ``: 9 results, 7 of them from raises TypeError to returns``; empty if there are none."""
    if not changed:
        return ""
    [((before, after), count)] = changed.most_common(1)
    return f": {counted(changed.total(), 'result')}, {count} of them from {before} to {after}"


def _lines(changes: DocumentationChanges) -> Iterator[str]:
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    yield f"documentation of {changes.was.target} -> {changes.now.target}"
    for name, of_object in changes.changes.items():
        yield ""
        yield f"{name}: {counted(len(of_object), 'change')}"
        for change in of_object:
            yield from _change_lines(change, changes.statement(name, change.before), width)
    for title, shipped in (("only in the first", changes.was), ("only in the second", changes.now)):
        if names := changes.only_in(shipped):
            yield ""
            yield from wrapped(f"{title}: {', '.join(names)}", width, "", deeper=0)
    yield ""
    yield _summary(changes)
    for title, apis in changes.beside_behaviour().items():
        yield ""
        yield f"{title} ({counted(len(apis), 'API')})"
        for api, changed in apis.items():
            yield from wrapped(f"{api}{_behaviour_text(changed)}", width, "  ", deeper=0)


def _summary(changes: DocumentationChanges) -> str:
    sentences = sum(map(len, changes.changes.values()))
    return f"{counted(sentences, 'change')} in {counted(len(changes.changes), 'text')} of {len(changes.former)}"


def _change_lines(change: TextChange, former: Statement | None, width: int) -> Iterator[str]:
    yield f"  {change.kind}, {change.piece.place}"
    yield from wrapped(visible(change.by_word), width, "      ", deeper=0)
    if former is not None and former.claims:
        yield from wrapped(f"of {', '.join(map(str, former.claims))}", width, "    -> ", deeper=0)


def _markdown(changes: DocumentationChanges) -> Iterator[str]:
    """The same without the text, which is somebody else's: places, hashes, and claims in the suite's words."""
    yield f"## Documentation of {changes.was.target} and {changes.now.target}"
    yield ""
    yield f"{_summary(changes)}."
    for title, apis in changes.beside_behaviour().items():
        if apis:
            yield ""
            yield f"{title[0].upper()}{title[1:]}:"
            yield ""
            yield from (f"- `{api}`{visible(_behaviour_text(changed))}" for api, changed in apis.items())
    for name, of_object in changes.changes.items():
        yield ""
        yield f"### `{name}`"
        yield ""
        for change in of_object:
            yield f"- {change.kind}: {change.piece.place} (`{change.piece.hash}`)"
            statement = changes.statement(name, change.before) or changes.statement(name, change.after)
            yield from _notes(statement) if statement is not None else ()
    for shipped in (changes.was, changes.now):
        if names := changes.only_in(shipped):
            yield ""
            yield f"Only in {shipped.target}: {', '.join(f'`{name}`' for name in names)}."


def _notes(statement: Statement) -> Iterator[str]:
    for citation in statement.claims:
        yield f"  - `{citation}`: {visible(citation.claim.says)}"
    for _, group in statement.untestable:
        yield f"  - untestable: {visible(group.reason)}"

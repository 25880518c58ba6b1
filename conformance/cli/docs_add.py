"""``conformance docs add``: write the entries of sentences into the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from conformance.app.errors import ConformanceError, invalid
from conformance.cli.docs_target import documents_about, objects, shipped_by
from conformance.data_folders import specs_folder
from conformance.documentation.pieces import Piece
from conformance.documentation.reading import read
from conformance.documentation.splitter import split
from conformance.execution.plan import Interpreters
from conformance.execution.shipped import Shipped
from conformance.specification.documents_editing import Entry, NewDocument, add_entries
from conformance.specification.loader import load_sound_specs
from conformance.specification.model import Catalogue
from conformance.specification.problems import SpecError


@dataclass(frozen=True)
class NewEntries:
    """What the entries of sentences say; the options of the command."""

    document: str
    locator: str | None
    says: str | None
    refers: str | None
    group: str | None
    reason: str | None


def add_sentences(
    sentences: Sequence[str], target: str, new: NewEntries, specs: Path | None, interpreters: Interpreters
) -> int:
    """Write the entries of sentences into the documents."""
    catalogue = _catalogue(specs)
    shipped = shipped_by(target, catalogue, interpreters)
    named = list(_named(sentences, catalogue, shipped))
    texts = _texts_of(new.document, catalogue, shipped, [name for name, _ in named])
    if new.group is not None:
        rests = [_rests(piece.hash, texts) for _, piece in named]
        entries = [Entry(new.document, new.group, each, reason=new.reason, is_group=True) for each in rests]
    else:
        entries = [
            Entry(new.document, new.locator or piece.place.locator, _rests(piece.hash, texts), new.says, new.refers)
            for _, piece in named
        ]
    folder = specs or specs_folder()
    try:
        locations = add_entries(
            folder if folder.is_dir() else folder.parent, entries, _new(new.document, shipped, texts)
        )
    except (SpecError, ValueError) as error:
        raise invalid(error.problems) if isinstance(error, SpecError) else ConformanceError(str(error)) from None
    for entry, location in zip(entries, locations, strict=True):
        click.echo(f"{location}: {new.document}#{entry.name}")
    return 0


def _catalogue(specs: Path | None) -> Catalogue:
    """The valid part of the specs: an entry whose sentences are missing is a problem that this command solves."""
    try:
        return load_sound_specs(specs)[0]
    except SpecError as error:
        raise invalid(error.problems, "in the specs") from None


def _named(sentences: Sequence[str], catalogue: Catalogue, shipped: Shipped) -> Iterator[tuple[str, Piece]]:
    """The statements with these hashes, and the unread ones of these APIs, each with its object."""
    by_hash = {piece.hash: (name, piece) for name, text in shipped.texts.items() for piece in split(text)}
    for sentence in sentences:
        if sentence in by_hash:
            yield by_hash[sentence]
            continue
        for name in objects(shipped, [sentence]):
            if name not in shipped.texts:
                raise ConformanceError(shipped.problems[name])
            reading = read(documents_about(catalogue, shipped), name, shipped.texts[name])
            yield from ((name, statement.piece) for statement in reading.unread)


def _texts_of(document: str, catalogue: Catalogue, shipped: Shipped, named: Iterable[str]) -> dict[str, frozenset[str]]:
    """The hashes of the texts of the named objects, and of those that a document is about."""
    existing = catalogue.documents.get(document)
    described = existing.describes if existing is not None else ()
    names = {*named} | {name for api in shipped.apis if api.name in described for name in api.documentation}
    return {
        name: frozenset(piece.hash for piece in split(shipped.texts[name]))
        for name in sorted(names)
        if name in shipped.texts
    }


def _rests(sentence: str, texts: dict[str, frozenset[str]]) -> dict[str, tuple[str, ...]]:
    return {name: (sentence,) for name, hashes in texts.items() if sentence in hashes}


def _new(document: str, shipped: Shipped, texts: Iterable[str]) -> NewDocument:
    apis = [api for name in texts for api in shipped.apis_of(name)]
    return NewDocument(f"Documentation of {document}", shipped.framework, tuple(dict.fromkeys(apis)) or tuple(texts))

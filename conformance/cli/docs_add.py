"""``conformance docs add``: write the entries of sentences into the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from conformance.cli import loading
from conformance.cli.commands.options import specs_option
from conformance.cli.failures import USAGE, Failure, invalid
from conformance.cli.shipping import documents_about, interpreter_options, objects, shipped_by
from conformance.data_folders import specs_folder
from conformance.documentation.pieces import Piece
from conformance.documentation.reading import read
from conformance.documentation.splitter import split
from conformance.execution.preparing import Interpreters
from conformance.execution.shipped import Shipped
from conformance.specification.model import Catalogue
from conformance.specification.problems import SpecError
from conformance.specification.resting import Entry, NewDocument, add_entries


@click.command(name="add")
@click.argument("sentences", nargs=-1, required=True, metavar="HASH|API...")
@click.option("--target", required=True, metavar="T", help="The target whose documentation has the sentences.")
@click.option("--document", required=True, metavar="ID", help="The document; it is created if it does not exist.")
@click.option("--locator", metavar="L", help="The locator of the claim; by default where the sentence stands.")
@click.option("--says", metavar="TEXT", help="What the claim says, in your own words.")
@click.option("--refers", metavar="OBJECT", help="The object to whose documentation the sentences refer.")
@click.option("--untestable", "group", metavar="GROUP", help="Add them to a group of sentences that no case can test.")
@click.option("--reason", metavar="TEXT", help="Why no case can test the group, in your own words.")
@specs_option
@interpreter_options
def command(
    sentences: tuple[str, ...], target: str, document: str, locator: str | None, says: str | None, refers: str | None,
    group: str | None, reason: str | None, specs: Path | None, python: Path | None, *, here: bool, offline: bool,
) -> int:  # fmt: skip
    """Write the hashes of sentences into the documents, each as a claim to be put into words.

    A claim that exists gets more sentences. For the name of an API, all its unread statements are added. A sentence that
    several of the document's APIs have is added for each of them.
    """
    catalogue = loading.catalogue(specs)
    shipped = shipped_by(target, catalogue, Interpreters(python, here, offline))
    named = list(_named(sentences, catalogue, shipped))
    texts = _texts_of(document, catalogue, shipped, [name for name, _ in named])
    if group is not None:
        rests = [_rests(piece.hash, texts) for _, piece in named]
        entries = [Entry(document, group, each, reason=reason, is_group=True) for each in rests]
    else:
        entries = [
            Entry(document, locator or piece.place.locator, _rests(piece.hash, texts), says, refers)
            for _, piece in named
        ]
    folder = specs or specs_folder()
    try:
        locations = add_entries(folder if folder.is_dir() else folder.parent, entries, _new(document, shipped, texts))
    except (SpecError, ValueError) as error:
        raise invalid(error.problems) if isinstance(error, SpecError) else Failure(USAGE, str(error)) from None
    for entry, location in zip(entries, locations, strict=True):
        click.echo(f"{location}: {document}#{entry.name}")
    return 0


def _named(sentences: Sequence[str], catalogue: Catalogue, shipped: Shipped) -> Iterator[tuple[str, Piece]]:
    """The statements with these hashes, and the unread ones of these APIs, each with its object."""
    by_hash = {piece.hash: (name, piece) for name, text in shipped.texts.items() for piece in split(text)}
    for sentence in sentences:
        if sentence in by_hash:
            yield by_hash[sentence]
            continue
        for name in objects(shipped, [sentence]):
            if name not in shipped.texts:
                raise Failure(USAGE, shipped.problems[name])
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

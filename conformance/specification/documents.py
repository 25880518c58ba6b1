"""Reads documents.yaml and documents/*.yaml: pages and docstrings, and their claims, with the lock files beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from conformance.specification.dtypes import FAMILIES, NAMES
from conformance.specification.errata import build_errata
from conformance.specification.expressions import FUNCTIONS, Expression, ExpressionError, compile_expression
from conformance.specification.file_format import ClaimPart, DocumentPart, DocumentsFile
from conformance.specification.helpers import with_helpers
from conformance.specification.in_framework import program_problem
from conformance.specification.locks import Lock, lock_beside, read_lock
from conformance.specification.model import Citation, Claim, Document, Untestable
from conformance.specification.parse import Parsed, parse_sound
from conformance.specification.problems import Lines, Location, Path_, Problem, SpecError, nearest


@dataclass(frozen=True)
class Documents:
    """The readable documents, and the problems of the others."""

    by_id: Mapping[str, Document]
    problems: list[Problem]
    unread: frozenset[str] | None
    """Documents and citations that cannot be read; None if a whole file cannot be read."""


def load_documents(paths: Sequence[Path]) -> Documents:
    """The readable documents of files by id."""
    by_id: dict[str, Document] = {}
    problems: list[Problem] = []
    unread: frozenset[str] | None = frozenset()
    for file in map(_load, paths):
        problems += file.problems
        unread = None if unread is None or file.unread is None else unread | file.unread
        for name, document in file.by_id.items():
            if by_id.setdefault(name, document) is not document:
                text = f"document {name!r} is already defined at {by_id[name].location}"
                problems.append(Problem(document.location, text))
    return Documents(by_id, problems, unread)


def _load(path: Path) -> Documents:
    try:
        parsed = parse_sound(path, DocumentsFile)
    except SpecError as error:
        return Documents({}, error.problems, None)
    if parsed.content is None:
        return Documents({}, parsed.problems, None)
    lock, unreadable = read_lock(lock_beside(path))
    problems = [*parsed.problems, *unreadable, *_stale(lock, parsed, path)]
    documents = {
        name: _document(name, part, parsed.lines, lock, problems) for name, part in parsed.content.documents.items()
    }
    return Documents(documents, problems, frozenset(map(_citation_of, parsed.omitted)))


def _citation_of(path: Path_) -> str:
    document = str(path[1]) if len(path) > 1 else ""
    return f"{document}#{path[3]}" if path[2:3] == ("claims",) and len(path) > 3 else document


def _stale(lock: Lock, parsed: Parsed[DocumentsFile], path: Path) -> Iterator[Problem]:
    """Lines of a lock file about entries that the file of documents does not have."""
    assert parsed.content is not None
    reported: set[Path_] = set()
    for line, location in lock.locations():
        document = parsed.content.documents.get(line.document)
        entries: Mapping[str, object] = getattr(document, line.part, {})
        entry: Path_ = ("documents", line.document, line.part, line.name)
        is_omitted = any(entry[:length] in parsed.omitted for length in range(1, len(entry) + 1))
        if line.name in entries or is_omitted or entry in reported:
            continue
        reported.add(entry)
        what = (
            f"{line.document} has no {line.part} entry {line.name!r}{nearest(line.name, entries)}"
            if document is not None
            else f"{path.name} has no document {line.document!r}{nearest(line.document, parsed.content.documents)}"
        )
        yield Problem(
            location, f"{what}; rename the lines of an entry that was renamed, and delete those of one that is gone"
        )


def _document(name: str, part: DocumentPart, lines: Lines, lock: Lock, problems: list[Problem]) -> Document:
    def versions(text: str, *path: str) -> SpecifierSet:
        try:
            return SpecifierSet(text)
        except InvalidSpecifier:
            location = lines.location(("documents", name, *path))
            problems.append(Problem(location, f"not a version range: {text!r}; write one as '>=2.9,<3'"))
            return SpecifierSet()

    def claim(locator: str, written: str | ClaimPart) -> Claim:
        location = lines.location(("documents", name, "claims", locator))
        rests = lock.sentences(name, "claims", locator)
        if isinstance(written, str):
            return Claim(locator, written, None, None, location, rests=rests)
        since = versions(written.versions, "claims", locator, "versions") if written.versions is not None else None
        _check_dtypes(written, lines, ("documents", name, "claims", locator, "dtypes"), problems)
        dtypes = {argument: tuple(names) for argument, names in written.dtypes.items()}
        _check_program(written, locator, location, problems)
        if written.refers is not None and not rests:
            problems.append(
                Problem(location, without_sentences(name, part.framework, locator, lock.file, f"--locator {locator}"))
            )
        return Claim(
            locator,
            written.says,
            since,
            written.untestable,
            location,
            dtypes,
            with_helpers(written.program) if written.program is not None else None,
            written.device,
            rests,
            written.refers,
            tuple(written.keeps),
            written.history,
            _condition(written.derivative, locator, location, problems),
            tuple(written.situations),
            written.broken,
            written.transform,
            tuple(written.also),
        )

    def group(slug: str, reason: str) -> Untestable:
        rests = lock.sentences(name, "untestable", slug)
        if not rests:
            location = lines.location(("documents", name, "untestable", slug))
            problems.append(
                Problem(location, without_sentences(name, part.framework, slug, lock.file, f"--untestable {slug}"))
            )
        return Untestable(slug, reason, rests)

    return Document(
        id=name,
        title=part.title,
        official=part.official,
        framework=part.framework,
        describes=tuple(part.describes),
        versions=versions(part.versions, "versions"),
        url=part.url,
        claims={locator: claim(locator, written) for locator, written in part.claims.items()},
        errata=build_errata(name, part, lines, lock, problems),
        location=lines.location(("documents", name)),
        untestable=tuple(group(slug, reason) for slug, reason in part.untestable.items()),
    )


def without_sentences(document: str, framework: str, entry: str, lock: str, option: str) -> str:
    """The message about an entry whose lines are missing, with the command that writes them."""
    return (
        f"{document}: {entry} rests on no sentence in {lock}; `conformance docs add HASH --target {framework} --document {document!r} "
        f"{option}` writes one, and `conformance docs` prints the hashes"
    )


def _condition(text: str | None, locator: str, location: Location, problems: list[Problem]) -> Expression | None:
    """The condition for a derivative; whether its names are arguments is checked once there are operations."""
    if text is None:
        return None
    try:
        return compile_expression(text, {*_NAME.findall(text)} - FUNCTIONS.keys(), location=location)
    except ExpressionError as error:
        problems.append(Problem(location, f"{locator}: derivative: {error}"))
        return None


_NAME = re.compile(r"[A-Za-z_]\w*")


def _check_dtypes(claim: ClaimPart, lines: Lines, path: tuple[str, ...], problems: list[Problem]) -> None:
    allowed = [*NAMES, *FAMILIES]
    for argument, names in claim.dtypes.items():
        for name in names:
            if name not in allowed:
                location = lines.location((*path, argument))
                problems.append(Problem(location, f"undefined dtype or family {name!r}{nearest(name, allowed)}"))


def _check_program(claim: ClaimPart, locator: str, location: Location, problems: list[Problem]) -> None:
    message = program_problem(claim.program) if claim.program is not None else None
    if message is not None:
        problems.append(Problem(location, f"{locator}: program {message}"))


class CitationError(Exception):
    """An unknown citation; the message suggests a similar one."""


def find_citation(document: str, locator: str, documents: Mapping[str, Document]) -> Citation:
    """The claim of a document."""
    if document not in documents:
        raise CitationError(f"undefined document {document!r}{nearest(document, documents)}")
    claims = documents[document].claims
    if locator not in claims:
        raise CitationError(f"{document} has no claim {locator!r}{nearest(locator, claims)}")
    return Citation(documents[document], claims[locator])

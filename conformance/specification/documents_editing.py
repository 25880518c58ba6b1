"""Writes claims into the documents of a folder of specs, keeping their comments and order, and their sentences into lock files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.files import replace_text
from conformance.specification.documents import load_documents
from conformance.specification.file_format import DocumentsFile
from conformance.specification.loader import FOLDER, find_document_files
from conformance.specification.locks import Line, Part, lock_beside, lock_fault, lock_text, read_lock
from conformance.specification.parse import parse
from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.specification.vocabulary import Sentences
from conformance.specification.yaml_editing import append, loaded, on_one_line, replace, save

PLACEHOLDER = "TODO: say in your own words what it states"


@dataclass(frozen=True)
class NewDocument:
    """What a document needs that is not in the files yet."""

    title: str
    framework: str
    describes: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """Sentences for a claim, or for a group of sentences that no case can test."""

    document: str
    name: str
    """The locator of the claim, or the name of the group."""
    rests: Sentences
    says: str | None = None
    refers: str | None = None
    reason: str | None = None
    """For a group, why no case can test them; None for a claim."""
    is_group: bool = False

    @property
    def part(self) -> Part:
        return "untestable" if self.is_group else "claims"

    @property
    def lines(self) -> list[Line]:
        return [
            Line(self.document, self.part, self.name, name, sentence)
            for name, hashes in self.rests.items()
            for sentence in hashes
        ]


def add_entries(folder: Path, entries: list[Entry], new: NewDocument) -> list[Location]:
    """Write entries into the documents of a folder; a claim or group that exists gets more sentences.

    SpecError, without any change, if the files would not be valid. Returns where the entries are now.
    """
    file = _file_of(folder, entries[0].document) or folder / FOLDER / f"{new.framework}.yaml"
    content = loaded(file.read_text(encoding="utf-8") if file.exists() else "")
    documents = content.setdefault("documents", loaded(""))
    for entry in entries:
        if entry.document not in documents:
            documents[entry.document] = _new_document(new)
        _add(documents[entry.document], entry)
    lock_file = lock_beside(file)
    text = _lock_text(lock_file, entries)
    try:
        save(file, content, lambda written: parse(written, DocumentsFile))
        replace_text(lock_file, text)
    except OSError as error:
        message = f"cannot be written: {error.strerror}; choose your own folder with --specs"
        raise SpecError([Problem(Location(display_path(file)), message)]) from None
    of_document = load_documents([file]).by_id[entries[0].document]
    return [of_document.location if entry.is_group else of_document.claims[entry.name].location for entry in entries]


def _lock_text(file: Path, entries: list[Entry]) -> str:
    """The text of a lock file with the lines of entries; SpecError if one of its lines, old or new, is none."""
    lock, problems = read_lock(file)
    added = [line for entry in entries for line in entry.lines]
    faults = (lock_fault(line) for line in added)
    problems += [Problem(Location(lock.file), fault) for fault in faults if fault is not None]
    if problems:
        raise SpecError(problems)
    return lock_text([*lock.lines, *added])


def _file_of(folder: Path, document: str) -> Path | None:
    for file in find_document_files(folder):
        if document in (loaded(file.read_text(encoding="utf-8")).get("documents") or ()):
            return file
    return None


def _new_document(new: NewDocument) -> Any:
    content = loaded("")
    content |= {
        "title": new.title,
        "official": True,
        "framework": new.framework,
        "describes": on_one_line(list(new.describes)),
    }
    return content


def _add(document: Any, entry: Entry) -> None:
    group = document.setdefault(entry.part, loaded(""))
    if entry.name not in group:
        append(group, entry.name, _written(entry))
    elif entry.refers is not None:
        if isinstance(group[entry.name], str):
            fields = loaded("")
            fields["says"] = group[entry.name]
            replace(group, entry.name, fields)
        group[entry.name]["refers"] = entry.refers


def _written(entry: Entry) -> Any:
    """A claim or a group that is new."""
    if entry.is_group:
        return entry.reason or PLACEHOLDER
    if entry.refers is None:
        return entry.says or PLACEHOLDER
    fields = loaded("")
    fields["says"] = entry.says or PLACEHOLDER
    fields["refers"] = entry.refers
    return fields

"""Writes the hashes of sentences into the documents of a folder of specs, keeping their comments and order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.specification.documents import load_documents
from conformance.specification.loader import FOLDER, find_document_files
from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.specification.vocabulary import Sentences
from conformance.specification.yaml_editing import append, loaded, on_one_line, replace, save

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap

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
    try:
        save(file, content, _check)
    except OSError as error:
        message = f"cannot be written: {error.strerror}; choose your own folder with --specs"
        raise SpecError([Problem(Location(display_path(file)), message)]) from None
    of_document = load_documents([file]).by_id[entries[0].document]
    return [of_document.location if entry.is_group else of_document.claims[entry.name].location for entry in entries]


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
    key = "untestable" if entry.is_group else "claims"
    group = document.setdefault(key, loaded(""))
    existing = group.get(entry.name)
    if existing is None:
        append(group, entry.name, _fields(entry))
        return
    if isinstance(existing, str):
        fields = loaded("")
        fields["says"] = existing
        replace(group, entry.name, fields)
        existing = fields
    if entry.refers is not None:
        existing["refers"] = entry.refers
    rests = existing.setdefault("rests", on_one_line({}))
    for name, hashes in entry.rests.items():
        rests[name] = on_one_line(list(dict.fromkeys([*rests.get(name, ()), *hashes])))


def _fields(entry: Entry) -> CommentedMap:
    fields = loaded("")
    if entry.is_group:
        fields["reason"] = entry.reason or PLACEHOLDER
    else:
        fields["says"] = entry.says or PLACEHOLDER
    fields["rests"] = on_one_line({name: on_one_line(list(hashes)) for name, hashes in entry.rests.items()})
    if entry.refers is not None:
        fields["refers"] = entry.refers
    return fields


def _check(file: Path) -> None:
    problems = load_documents([file]).problems
    if problems:
        raise SpecError(problems)

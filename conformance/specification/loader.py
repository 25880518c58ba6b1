"""Loads specs: the documents and one file per operation; all problems are reported together."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.data_folders import DOCUMENTS, NO_OPERATIONS, PROGRAMS, specs_folder
from conformance.files import read_regular
from conformance.specification.build import load_operation
from conformance.specification.case_files import regression_files, with_regressions
from conformance.specification.documents import Documents, load_documents
from conformance.specification.epoch import read_epoch
from conformance.specification.locks import lock_beside
from conformance.specification.model import Catalogue, Gaps, Operation
from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.specification.programs.file import load_programs
from conformance.specification.relations import called_by, linked

FOLDER = "documents"
REFERENCE = "reference.py"


def load_specs(path: Path | None = None, only: Collection[str] | None = None) -> Catalogue:
    """The specs of a folder or a single file; by default those of the suite.

    A file, or a folder without documents.yaml, cites the documents of the suite. SpecError lists all problems of all
    files. only: the names of the files of operations to read, without ``.yaml``; None for all.
    """
    catalogue, problems = load_sound_specs(path, only)
    if problems:
        raise SpecError(problems)
    return catalogue


def load_sound_specs(path: Path | None = None, only: Collection[str] | None = None) -> tuple[Catalogue, list[Problem]]:
    """The valid specs, and the problems of the rest; SpecError if there are no specs."""
    path = specs_folder() if path is None else path
    every_file = spec_files(path)
    files = [file for file in every_file if only is None or file.stem in only]
    documents_folder = _documents_folder(path)
    document_files = find_document_files(documents_folder)
    documents = load_documents(document_files)
    problems = [*documents.problems]
    operations, gaps = _operations(files, documents, problems)
    if documents.problems:
        gaps |= Gaps(files=True)
    operations = _linked(operations, files, documents, problems, gaps)
    folder = path if path.is_dir() else path.parent
    regressions = regression_files(folder)
    operations = with_regressions(operations, regressions, problems, gaps, whole=path.is_dir() and only is None)
    programs = specs_folder() / PROGRAMS
    operations = {name: replace(each, programs=load_programs(programs)) for name, each in operations.items()}
    reference = [folder / REFERENCE] if (folder / REFERENCE).is_file() else []
    digest = _digest(
        [
            file
            for file in (
                *document_files,
                *map(lock_beside, document_files),
                *every_file,
                *regressions,
                *reference,
                programs,
            )
            if file.is_file()
        ]
    )
    whole = documents_folder == path and only is None
    epoch = _epoch_number(problems) if path == specs_folder() else None
    return Catalogue(operations, documents.by_id, digest, whole, next(iter(reference), None), gaps, epoch), problems


def _epoch_number(problems: list[Problem]) -> int | None:
    """Of the suite's specs; adds what is wrong with the file to the problems."""
    try:
        epoch = read_epoch(specs_folder())
    except SpecError as error:
        problems += error.problems
        return None
    return epoch.number if epoch is not None else None


def spec_files(path: Path) -> list[Path]:
    """The spec files of a path; SpecError if there are none."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise SpecError([Problem(Location(display_path(path)), "spec not found; expected a .yaml file or a folder")])
    files = sorted(file for file in path.glob("*.yaml") if file.name not in NO_OPERATIONS)
    if not files:
        raise SpecError(
            [Problem(Location(display_path(path)), "no specs found; expected one .yaml file per operation")]
        )
    return files


def _documents_folder(path: Path) -> Path:
    own = path if path.is_dir() else path.parent
    return own if find_document_files(own) else specs_folder()


def find_document_files(folder: Path) -> list[Path]:
    """The files that list the documents of a folder of specs: documents.yaml, and those in ``documents``."""
    return [*folder.glob(DOCUMENTS), *sorted((folder / FOLDER).glob("*.yaml"))]


def _operations(
    files: Sequence[Path], documents: Documents, problems: list[Problem]
) -> tuple[dict[str, Operation], Gaps]:
    operations: dict[str, Operation] = {}
    gaps = Gaps()
    for file in files:
        built = load_operation(file, documents.by_id, documents.unread)
        problems += built.problems
        operation = built.operation
        gaps |= built.gaps if operation else Gaps(files=True)
        if operation and operation.name in operations:
            file_name = operations[operation.name].location.file
            text = f"operation {operation.name!r} is already defined in {file_name}"
            problems.append(Problem(operation.location, text))
        elif operation:
            operations[operation.name] = operation
    return operations, gaps


def _linked(
    operations: dict[str, Operation], files: Sequence[Path], documents: Documents, problems: list[Problem], gaps: Gaps
) -> dict[str, Operation]:
    """The operations with their relations linked; relations of a single file may call operations of its folder."""
    known = dict(operations)
    has_relations = any(clause.relation for operation in operations.values() for clause in operation.clauses)
    if len(files) == 1 and has_relations and files[0].parent != specs_folder():
        siblings = [file for file in spec_files(files[0].parent) if file != files[0]]
        known = {**_operations(siblings, documents, [])[0], **operations}
    suite_documents = documents if _documents_folder(files[0]) == specs_folder() else None
    known = {**_suite_operations(operations, known, suite_documents), **known}
    linked_operations = {}
    for name, operation in operations.items():
        # An unreadable file may define the missing operation.
        linked_operations[name], more = linked(operation, known, whole=not gaps.files)
        problems += more
    return linked_operations


def _suite_operations(
    operations: dict[str, Operation], known: dict[str, Operation], documents: Documents | None
) -> dict[str, Operation]:
    """The operations of the suite that relations call and the user's specs do not define.

    documents: those of the suite; None if they have not been read.
    """
    relations = [clause.relation for operation in operations.values() for clause in operation.clauses]
    called = {name for relation in relations if relation is not None for name in called_by(relation)}
    files = [specs_folder() / f"{name}.yaml" for name in sorted(called - known.keys())]
    existing = [file for file in files if file.is_file()]
    if not existing:
        return {}
    documents = documents or load_documents(find_document_files(specs_folder()))
    return _operations(existing, documents, [])[0]


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + read_regular(file) + b"\0")
    return digest.hexdigest()[:16]

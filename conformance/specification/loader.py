"""Loading specs: documents.yaml and one file per operation, all problems at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from conformance.places import specs_folder
from conformance.specification.build import load_operation
from conformance.specification.case_files import regression_files, with_regressions
from conformance.specification.documents import Documents, load_documents
from conformance.specification.model import Catalogue, Gaps, Operation
from conformance.specification.problems import Location, Problem, SpecError, shown
from conformance.specification.relations import linked

DOCUMENTS = "documents.yaml"
REFERENCE = "reference.py"


def load_specs(path: Path | None = None) -> Catalogue:
    """Everything that a folder of specs, or one spec file, says; the suite's own specs where none is named.

    A file, or a folder without a documents.yaml of its own, cites the suite's documents. SpecError names every problem
    of every file.
    """
    catalogue, problems = load_sound_specs(path)
    if problems:
        raise SpecError(problems)
    return catalogue


def load_sound_specs(path: Path | None = None) -> tuple[Catalogue, list[Problem]]:
    """What of the specs is sound, and the problems of the rest; SpecError where there are no specs."""
    path = specs_folder() if path is None else path
    files = spec_files(path)
    documents_file = _documents_file(path)
    documents = load_documents(documents_file)
    problems = [*documents.problems]
    operations, gaps = _operations(files, documents, problems)
    if documents.problems:
        gaps |= Gaps(files=True)
    operations = _linked(operations, files, documents, problems, gaps)
    folder = path if path.is_dir() else path.parent
    regressions = regression_files(folder)
    operations = with_regressions(operations, regressions, problems, gaps, whole=path.is_dir())
    reference = [folder / REFERENCE] if (folder / REFERENCE).is_file() else []
    digest = _digest([file for file in (documents_file, *files, *regressions, *reference) if file.is_file()])
    whole = documents_file.parent == path
    return Catalogue(operations, documents.by_id, digest, whole, next(iter(reference), None), gaps), problems


def spec_files(path: Path) -> list[Path]:
    """The files of operations that a path means; SpecError where there are none."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise SpecError([Problem(Location(shown(path)), "no such spec; name a .yaml file or a folder of them")])
    files = sorted(file for file in path.glob("*.yaml") if file.name != DOCUMENTS)
    if not files:
        raise SpecError([Problem(Location(shown(path)), "holds no spec; an operation is one .yaml file")])
    return files


def _documents_file(path: Path) -> Path:
    beside = (path if path.is_dir() else path.parent) / DOCUMENTS
    return beside if beside.exists() else specs_folder() / DOCUMENTS


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
            other = operations[operation.name].location.file
            problems.append(Problem(operation.location, f"operation {operation.name!r} is defined in {other} already"))
        elif operation:
            operations[operation.name] = operation
    return operations, gaps


def _linked(
    operations: dict[str, Operation], files: Sequence[Path], documents: Documents, problems: list[Problem], gaps: Gaps
) -> dict[str, Operation]:
    """The operations, whose relations know what they call: those beside one file, where it stands in a folder of them."""
    known = dict(operations)
    if len(files) == 1 and any(clause.relation for one in operations.values() for clause in one.clauses):
        beside = [file for file in spec_files(files[0].parent) if file != files[0]]
        known = {**_operations(beside, documents, [])[0], **operations}
    linked_operations = {}
    for name, operation in operations.items():
        # What a file that cannot be read would have defined is not undefined too.
        linked_operations[name], more = linked(operation, known, whole=not gaps.files)
        problems += more
    return linked_operations


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]

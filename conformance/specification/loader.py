"""Loading specs: documents.yaml and one file per operation, all problems at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from conformance.places import specs_folder
from conformance.specification.build import load_operation
from conformance.specification.case_files import regression_files, with_regressions
from conformance.specification.documents import load_documents
from conformance.specification.model import Catalogue, Document, Operation
from conformance.specification.problems import Place, Problem, SpecError, shown
from conformance.specification.relations import linked

DOCUMENTS = "documents.yaml"
REFERENCE = "reference.py"


def load_specs(path: Path | None = None) -> Catalogue:
    """Everything that a folder of specs, or one spec file, says; the suite's own specs where none is named.

    A file, or a folder without a documents.yaml of its own, cites the suite's documents. SpecError names every problem
    of every file.
    """
    path = specs_folder() if path is None else path
    files = spec_files(path)
    documents_file = _documents_file(path)
    problems: list[Problem] = []
    documents: dict[str, Document] = {}
    try:
        documents = load_documents(documents_file)
    except SpecError as error:
        problems += error.problems
    # Without documents no citation would lead anywhere, and every one of them would be reported.
    operations = _operations(files, documents, problems) if documents else {}
    operations = _linked(operations, files, documents, problems)
    folder = path if path.is_dir() else path.parent
    kept = regression_files(folder)
    operations = with_regressions(operations, kept, problems, whole=path.is_dir()) if not problems else operations
    if problems:
        raise SpecError(problems)
    whole = documents_file.parent == path
    reference = [folder / REFERENCE] if (folder / REFERENCE).is_file() else []
    digest = _digest([documents_file, *files, *kept, *reference])
    return Catalogue(operations, documents, digest, whole, next(iter(reference), None))


def spec_files(path: Path) -> list[Path]:
    """The files of operations that a path means; SpecError where there are none."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise SpecError([Problem(Place(shown(path)), "no such spec; name a .yaml file or a folder of them")])
    files = sorted(file for file in path.glob("*.yaml") if file.name != DOCUMENTS)
    if not files:
        raise SpecError([Problem(Place(shown(path)), "holds no spec; an operation is one .yaml file")])
    return files


def _documents_file(path: Path) -> Path:
    beside = (path if path.is_dir() else path.parent) / DOCUMENTS
    return beside if beside.exists() else specs_folder() / DOCUMENTS


def _operations(files: Sequence[Path], documents: dict[str, Document], problems: list[Problem]) -> dict[str, Operation]:
    operations: dict[str, Operation] = {}
    for file in files:
        try:
            operation = load_operation(file, documents)
        except SpecError as error:
            problems += error.problems
            continue
        if operation.name in operations:
            other = operations[operation.name].place.file
            problems.append(Problem(operation.place, f"operation {operation.name!r} is defined in {other} already"))
        operations[operation.name] = operation
    return operations


def _linked(
    operations: dict[str, Operation], files: Sequence[Path], documents: dict[str, Document], problems: list[Problem]
) -> dict[str, Operation]:
    """The operations, whose relations know what they call: those beside one file, where it stands in a folder of them."""
    known = dict(operations)
    if len(files) == 1 and any(clause.relation for one in operations.values() for clause in one.clauses):
        beside = [file for file in spec_files(files[0].parent) if file != files[0]]
        known = {**_operations(beside, documents, []), **operations}
    found = {name: linked(operation, known) for name, operation in operations.items()}
    # What a file that cannot be read would have defined is not undefined too.
    problems += [] if problems else [problem for _, more in found.values() for problem in more]
    return {name: operation for name, (operation, _) in found.items()}


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]

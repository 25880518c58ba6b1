"""Cases in files of their own: one that was found on a target, and those that were kept as regressions.

Such a case belongs to a clause of the specs and is written as the calls under ``keep`` and ``break`` are. Its id is its
clause's, and a name that begins with ``found.``, which stays the same when the case moves into the specs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.specification import file_format as form
from conformance.specification.build import build_written_calls
from conformance.specification.model import Catalogue, Clause, Gaps, Operation, WrittenCall
from conformance.specification.parse import parse, parse_sound
from conformance.specification.problems import Lines, Location, Path_, Problem, SpecError, nearest

REGRESSIONS = "regressions"
"""The folder of kept cases in a folder of specs; it holds .yaml files of any names."""
PREFIX = "found."

Operations = Mapping[str, Operation]


@dataclass(frozen=True)
class CaseFile:
    """What a case file holds, with the clause that it belongs to."""

    id: str
    operation: Operation
    clause: Clause
    written_calls: tuple[WrittenCall, ...]


def read_case(path: Path, catalogue: Catalogue) -> CaseFile:
    """The case of a file; SpecError with all its problems."""
    content, lines = parse(path, form.CaseFilePart)
    return _case(content.case, content, ("case",), (), lines, catalogue.operations)


def with_case(catalogue: Catalogue, case: CaseFile) -> Catalogue:
    """The catalogue with a case more, or with it in the place of the one that has its id."""
    return replace(catalogue, operations=_added(catalogue.operations, case))


def regression_files(folder: Path) -> list[Path]:
    """The files of kept cases that belong to a folder of specs."""
    return sorted((folder / REGRESSIONS).glob("*.yaml"))


def with_regressions(
    operations: dict[str, Operation], files: Iterable[Path], problems: list[Problem], gaps: Gaps, *, whole: bool
) -> dict[str, Operation]:
    """The operations with the kept cases of files; whole: those of an operation that is not there are an error."""
    for path in files:
        try:
            parsed = parse_sound(path, form.RegressionsPart)
        except SpecError as error:
            problems += error.problems
            continue
        problems += parsed.problems
        lines = parsed.lines
        for name, part in parsed.content.cases.items() if parsed.content else ():
            if _is_of_a_gap(name, operations, gaps, whole=whole):
                continue
            try:
                case = _case(name, part, ("cases", name), ("cases", name), lines, operations)
                _refuse_second(case, lines.location(("cases", name)))
            except SpecError as error:
                problems += error.problems
                continue
            operations = _added(operations, case)
    return operations


def _is_of_a_gap(name: str, operations: Operations, gaps: Gaps, *, whole: bool) -> bool:
    """Whether a case belongs to what is not loaded, or could not be read."""
    clause = name.partition("/")[0]
    operation = clause.partition(".")[0]
    if operation not in operations:
        return gaps.files or not whole
    return operation in gaps.operations and all(clause != one.id for one in operations[operation].clauses)


def there(case: CaseFile) -> WrittenCall | None:
    """The trial that has the case's id in the specs already."""
    return next(
        (written_call for written_call in case.clause.written_calls if written_call.name == case.written_calls[0].name),
        None,
    )


def _refuse_second(case: CaseFile, location: Location) -> None:
    other = there(case)
    if other is not None:
        raise SpecError([Problem(location, f"case {case.id!r} is defined in {other.location} already")])


def _added(operations: Operations, case: CaseFile) -> dict[str, Operation]:
    names = {written_call.name for written_call in case.written_calls}
    operation = operations[case.operation.name]
    clauses = [
        replace(
            one,
            written_calls=(
                *(written_call for written_call in one.written_calls if written_call.name not in names),
                *case.written_calls,
            ),
        )
        if one.id == case.clause.id
        else one
        for one in operation.clauses
    ]
    return {**operations, operation.name: replace(operation, clauses=tuple(clauses))}


def _case(name: str, part: form.CallPart, where: Path_, path: Path_, lines: Lines, operations: Operations) -> CaseFile:
    """A case with its clause. where: the place of its id in the file; path: that of its call."""

    def refuse(message: str) -> SpecError:
        return SpecError([Problem(lines.location(where), f"{'.'.join(map(str, where[:1]))}: {message}")])

    clause_id, _, own = name.partition("/")
    operation_name = clause_id.partition(".")[0]
    if operation_name not in operations:
        raise refuse(f"undefined operation {operation_name!r}{nearest(operation_name, operations)}")
    operation = operations[operation_name]
    clauses = {clause.id: clause for clause in operation.clauses}
    if clause_id not in clauses:
        raise refuse(f"undefined clause {clause_id!r}{nearest(clause_id, clauses)}")
    if not own.removeprefix(PREFIX) or not own.startswith(PREFIX):
        raise refuse(f"an id is CLAUSE/{PREFIX}NAME, as {clause_id}/{PREFIX}two-rows; found {name!r}")
    written_calls = build_written_calls(operation, clauses[clause_id], own, part, path, lines)
    found: list[WrittenCall] = [replace(call, provenance="found") for call in written_calls]
    return CaseFile(name, operation, clauses[clause_id], tuple(found))

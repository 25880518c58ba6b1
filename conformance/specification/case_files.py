"""Case files: a case that was found on a target, and the regressions kept with the specs.

Such a case belongs to a clause of the specs and has the same keys as calls under ``keep`` and ``break``. Its id consists
of the id of the clause and a name that starts with ``found.``, and does not change when the case moves into the specs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.specification import file_format as form
from conformance.specification.calls import build_program, build_written_calls
from conformance.specification.model import Catalogue, Clause, Gaps, KeptProgram, Operation, WrittenCall
from conformance.specification.parse import parse, parse_sound
from conformance.specification.problems import Lines, Location, Path_, Problem, SpecError, display_path, nearest
from conformance.specification.yaml_editing import add, loaded, remove, save
from conformance.specification.yaml_file import read_yaml

REGRESSIONS = "regressions"
"""The folder of regressions in a folder of specs; its .yaml files may have any names."""
PREFIX = "found."

Operations = Mapping[str, Operation]


@dataclass(frozen=True)
class CaseFile:
    """The content of a case file, with its operation and clause."""

    id: str
    operation: Operation
    clause: Clause
    written_calls: tuple[WrittenCall, ...]
    programs: tuple[KeptProgram, ...] = ()
    """The program, if the case is one and no written call."""

    @property
    def entries(self) -> tuple[WrittenCall | KeptProgram, ...]:
        """What the case consists of."""
        return (*self.written_calls, *self.programs)


def read_case(path: Path, catalogue: Catalogue) -> CaseFile:
    """The case of a file; SpecError with all problems."""
    content, lines = parse(path, form.CaseFilePart)
    return _case(content.case, content, ("case",), (), lines, catalogue.operations)


def with_case(catalogue: Catalogue, case: CaseFile) -> Catalogue:
    """The catalogue with a case added; it replaces a case with the same id."""
    return replace(catalogue, operations=_added(catalogue.operations, case))


def regression_files(folder: Path) -> list[Path]:
    """The regression files of a folder of specs."""
    return sorted((folder / REGRESSIONS).glob("*.yaml"))


def with_regressions(
    operations: dict[str, Operation], files: Iterable[Path], problems: list[Problem], gaps: Gaps, *, whole: bool
) -> dict[str, Operation]:
    """The operations with the regressions of files added; whole: regressions of a missing operation are an error."""
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
                _refuse_duplicate(case, lines.location(("cases", name)))
            except SpecError as error:
                problems += error.problems
                continue
            operations = _added(operations, case)
    return operations


def _is_of_a_gap(name: str, operations: Operations, gaps: Gaps, *, whole: bool) -> bool:
    """Whether a case belongs to an operation or a clause that is not loaded or could not be read."""
    clause = name.partition("/")[0]
    operation = clause.partition(".")[0]
    if operation not in operations:
        return gaps.files or not whole
    return operation in gaps.operations and all(clause != known.id for known in operations[operation].clauses)


def existing_call(case: CaseFile) -> WrittenCall | KeptProgram | None:
    """The call or program of the specs that has the id of the case; None if there is none."""
    name = case.entries[0].name
    existing: tuple[WrittenCall | KeptProgram, ...] = (*case.clause.written_calls, *case.clause.programs)
    return next((one for one in existing if one.name == name), None)


def _refuse_duplicate(case: CaseFile, location: Location) -> None:
    existing = existing_call(case)
    if existing is not None:
        raise SpecError([Problem(location, f"case {case.id!r} is already defined in {existing.location}")])


def _added(operations: Operations, case: CaseFile) -> dict[str, Operation]:
    names = {entry.name for entry in case.entries}
    operation = operations[case.operation.name]
    clauses = {clause.id: clause for clause in operation.clauses}
    clause = clauses[case.clause.id]
    others = (written_call for written_call in clause.written_calls if written_call.name not in names)
    programs = (program for program in clause.programs if program.name not in names)
    clauses[clause.id] = replace(
        clause, written_calls=(*others, *case.written_calls), programs=(*programs, *case.programs)
    )
    return {**operations, operation.name: replace(operation, clauses=tuple(clauses.values()))}


def _case(
    name: str, part: form.FoundPart, id_path: Path_, path: Path_, lines: Lines, operations: Operations
) -> CaseFile:
    """A case with its clause. id_path: the keys of its id in the file; path: the keys of its call."""

    def error(message: str) -> SpecError:
        return SpecError([Problem(lines.location(id_path), f"{'.'.join(map(str, id_path[:1]))}: {message}")])

    clause_id, _, own = name.partition("/")
    operation_name = clause_id.partition(".")[0]
    if operation_name not in operations:
        raise error(f"undefined operation {operation_name!r}{nearest(operation_name, operations)}")
    operation = operations[operation_name]
    clauses = {clause.id: clause for clause in operation.clauses}
    if clause_id not in clauses:
        raise error(f"undefined clause {clause_id!r}{nearest(clause_id, clauses)}")
    if not own.removeprefix(PREFIX) or not own.startswith(PREFIX):
        raise error(f"expected an id CLAUSE/{PREFIX}NAME, such as {clause_id}/{PREFIX}two-rows; found {name!r}")
    if part.program is not None:
        program = build_program(operation, own, part.program, part, path, lines)
        return CaseFile(name, operation, clauses[clause_id], (), (program,))
    written_calls = build_written_calls(operation, clauses[clause_id], own, part, path, lines)
    return CaseFile(name, operation, clauses[clause_id], tuple(replace(call, found=True) for call in written_calls))


_HEAD = """\
# Calls on which a target once diverged, each a case of the clause in its id; `conformance promote` adds to them.
cases: {}
"""


def promote(file: Path, case: CaseFile, folder: Path) -> Location:
    """Move a case file, with its comments, to the regressions of a folder of specs; returns its new location.

    SpecError, without any change, if the specs already have a case with this id or a file cannot be written.
    """
    existing = existing_call(case)
    if existing is not None:
        raise _error(file, f"case {case.id!r} already exists at {existing.location}; choose another name")
    target = folder / REGRESSIONS / f"{case.operation.name}.yaml"
    content = loaded(target.read_text(encoding="utf-8") if target.exists() else _HEAD)
    entry = loaded(file.read_text(encoding="utf-8"))
    remove(entry, "case")
    add(content["cases"], case.id, entry)
    try:
        save(target, content, read_yaml)
    except OSError as error:
        raise _error(target, f"cannot be written: {error.strerror}; choose your own folder with --specs") from None
    _, lines = read_yaml(target)
    file.unlink()
    return lines.location(("cases", case.id))


def _error(file: Path, message: str) -> SpecError:
    return SpecError([Problem(Location(display_path(file)), message)])

"""Moves a case file into the regressions of a folder of specs."""

from __future__ import annotations

from pathlib import Path

from conformance.specification.case_files import REGRESSIONS, CaseFile, existing_call
from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.specification.round_trip import add, dumped, loaded, remove
from conformance.specification.yaml_file import read_yaml

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
        target.parent.mkdir(exist_ok=True)
        target.write_text(dumped(content), encoding="utf-8")
    except OSError as error:
        raise _error(target, f"cannot be written: {error.strerror}; choose your own folder with --specs") from None
    _, lines = read_yaml(target)
    file.unlink()
    return lines.location(("cases", case.id))


def _error(file: Path, message: str) -> SpecError:
    return SpecError([Problem(Location(display_path(file)), message)])

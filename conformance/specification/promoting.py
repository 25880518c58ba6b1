"""A case file moved into a folder of specs, where it is kept as a regression."""

from __future__ import annotations

from pathlib import Path

from conformance.specification.case_files import REGRESSIONS, CaseFile, there
from conformance.specification.problems import Location, Problem, SpecError, shown
from conformance.specification.round_trip import add, dumped, loaded, remove
from conformance.specification.yaml_file import read_yaml

_HEAD = """\
# Calls on which a target once diverged, each a case of the clause in its id; `conformance promote` adds to them.
cases: {}
"""


def promote(file: Path, case: CaseFile, folder: Path) -> Location:
    """Append a case file, with its comments, to the regressions of a folder of specs, and remove it.

    Where it stands then. SpecError where the specs have a case of this id, and where a file cannot be written; nothing
    is changed then.
    """
    other = there(case)
    if other is not None:
        raise _error(file, f"case {case.id!r} is in the specs already, at {other.location}; give this one another name")
    target = folder / REGRESSIONS / f"{case.operation.name}.yaml"
    content = loaded(target.read_text(encoding="utf-8") if target.exists() else _HEAD)
    entry = loaded(file.read_text(encoding="utf-8"))
    remove(entry, "case")
    add(content["cases"], case.id, entry)
    try:
        target.parent.mkdir(exist_ok=True)
        target.write_text(dumped(content), encoding="utf-8")
    except OSError as error:
        raise _error(target, f"cannot be written: {error.strerror}; name a folder of your own with --specs") from None
    _, lines = read_yaml(target)
    file.unlink()
    return lines.location(("cases", case.id))


def _error(file: Path, message: str) -> SpecError:
    return SpecError([Problem(Location(shown(file)), message)])

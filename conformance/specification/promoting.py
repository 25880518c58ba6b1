"""A case file moved into a folder of specs, where it is kept as a regression."""

from __future__ import annotations

from pathlib import Path

from conformance.specification.case_files import REGRESSIONS, CaseFile, there
from conformance.specification.problems import Place, Problem, SpecError, shown
from conformance.specification.yaml_file import read_yaml

_HEAD = """\
# Calls on which a target once diverged, each a case of the clause in its id; `conformance promote` adds to them.
cases:
"""


def promote(file: Path, case: CaseFile, folder: Path) -> Place:
    """Append a case file, as it is written, to the regressions of a folder of specs, and remove it.

    Where it stands then. SpecError where the specs have a case of this id, where its form cannot be carried over, and
    where a file cannot be written; nothing is changed then.
    """
    other = there(case)
    if other is not None:
        raise _error(file, f"case {case.id!r} is in the specs already, at {other.place}; give this one another name")
    target = folder / REGRESSIONS / f"{case.operation.name}.yaml"
    before = target.read_text(encoding="utf-8") if target.exists() else None
    text = _ended(before if before is not None else _HEAD) + _entry(file, case.id)
    try:
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _error(target, f"cannot be written: {error.strerror}; name a folder of your own with --specs") from None
    try:
        place = _carried_over(file, case.id, target)
    except SpecError:
        _restore(target, before)
        raise
    file.unlink()
    return place


def _entry(file: Path, name: str) -> str:
    """The file's lines, comments among them, as they stand under ``cases``."""
    _, lines = read_yaml(file)
    number = lines.place(("case",)).line
    written = file.read_text(encoding="utf-8").splitlines()
    kept = [line for at, line in enumerate(written, 1) if at != number and line.rstrip() not in ("---", "...")]
    return "\n".join([f"\n  {name}:", *(f"    {line}".rstrip() for line in kept if line.strip())]) + "\n"


def _carried_over(file: Path, name: str, target: Path) -> Place:
    wanted, _ = read_yaml(file)
    found, lines = read_yaml(target)
    cases = found.get("cases") if isinstance(found, dict) else None
    if not isinstance(cases, dict) or {"case": name, **(cases.get(name) or {})} != wanted:
        said = (
            "cannot be carried over as it is written; write its keys at the beginning of lines, and the id on one line"
        )
        raise _error(file, said)
    return lines.place(("cases", name))


def _restore(target: Path, before: str | None) -> None:
    if before is None:
        target.unlink()
    else:
        target.write_text(before, encoding="utf-8")


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _error(file: Path, message: str) -> SpecError:
    return SpecError([Problem(Place(shown(file)), message)])

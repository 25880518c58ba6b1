"""Write what ``opconform-data`` holds, from a results file: ``python opconform-data/write.py reports``.

The suite must be installed. Afterwards ``python -m build opconform-data`` builds the package.
"""

from __future__ import annotations

import dataclasses
import datetime
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from conformance.app.results_files import load_results
from conformance.findings.conclusions import Conclusions
from conformance.reports.behaviours import Behaviours, behaviours_json
from conformance.reports.conclusions import conclusions_json
from conformance.reports.statements import ConclusionsFile
from conformance.reports.support import SupportFile, support_json
from conformance.schemas import schemas, text_of

HERE = Path(__file__).parent
FILES = {"Behaviours": Behaviours, "Conclusions": ConclusionsFile, "Support": SupportFile}
"""By the name of its type in the package, the dataclass of each file."""


def write(results_file: Path, folder: Path) -> None:
    """Write the files into a copy of this folder, or into the folder itself."""
    results = load_results(results_file)
    conclusions = Conclusions(results)
    package = folder / "opconform_data"
    texts = {
        "behaviours": behaviours_json(results, conclusions),
        "conclusions": conclusions_json(results, conclusions),
        "support": support_json(results, conclusions),
    }
    for name, text in texts.items():
        # Without a time in its head, equal runs give equal files.
        (package / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        schema = f"{name}.schema.json"
        (package / schema).write_text(text_of(schemas()[schema]), encoding="utf-8")
    day = datetime.datetime.fromisoformat(results.run.started).date()
    version = f'"""The date of the run."""\n\n__version__ = "{day.year}.{day.month}.{day.day}"\n'
    (package / "version.py").write_text(version, encoding="utf-8")
    (package / "types.py").write_text(types_text(), encoding="utf-8")


def types_text() -> str:
    """A module with a TypedDict for each object of the files."""
    written: dict[type, list[str]] = {}
    for name, kind in FILES.items():
        _write_type(kind, name, written)
    head = [
        '"""The types of the objects of the files, as type checkers read them."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Dict, List, Literal, Optional, TypedDict",
    ]
    return "\n".join([*head, *(line for lines in written.values() for line in ("", "", *lines))]) + "\n"


def _write_type(kind: Any, name: str, written: dict[type, list[str]]) -> None:
    hints = get_type_hints(kind)
    for part in _parts([hints[field.name] for field in dataclasses.fields(kind)]):
        if part not in written:
            _write_type(part, part.__name__, written)
    lines = [f"class {name}(TypedDict):"]
    lines += [f"    {field.name}: {_text(hints[field.name])}" for field in dataclasses.fields(kind)]
    written[kind] = lines


def _parts(hints: list[Any]) -> Iterator[Any]:
    """The dataclasses in type hints."""
    for hint in hints:
        if dataclasses.is_dataclass(hint):
            yield hint
        elif get_origin(hint) is not Literal:
            yield from _parts([part for part in get_args(hint) if part is not ...])


def _text(hint: Any) -> str:
    """A type hint as Python 3.9 reads it, of values as JSON has them."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if origin in (Union, UnionType):
        [some] = [part for part in arguments if part is not NoneType]
        return f"Optional[{_text(some)}]"
    if not arguments:
        return str(hint.__name__)
    if len(arguments) == 2 and arguments[1] is not ...:
        return f"Dict[str, {_text(arguments[1])}]"
    return f"List[{_text(arguments[0])}]"


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else HERE)

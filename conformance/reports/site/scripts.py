"""Joins the page's ES modules into one script, since a file opened from disk cannot load modules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_IMPORT = re.compile(r'import \{ (\w+(?:, \w+)*) \} from "\./([\w-]+\.js)";')
_DECLARATION = re.compile(r"(export )?(?:async function|function|const|let|class) (\w+)\b")
_TOP_LEVEL = re.compile(r"(?:import|export|async|function|const|let|var|class)\b")


class ScriptError(Exception):
    """Modules that cannot be joined; the message says where and how to fix it."""


@dataclass(frozen=True)
class _Module:
    file: str
    imports: dict[str, list[str]]
    """By file, the names that it imports from there."""
    names: dict[str, bool]
    """The names that it declares at the top level, and whether it exports them."""
    body: str


def joined_script(folder: Path, entry: str) -> str:
    """The module ``entry`` after the modules that it imports, without import and export; ScriptError if they cannot be joined."""
    modules: dict[str, _Module] = {}
    _collect(folder, entry, (), modules)
    _check_names(modules)
    return "\n".join(module.body for module in modules.values())


def _collect(folder: Path, file: str, importers: tuple[str, ...], modules: dict[str, _Module]) -> None:
    """Add a module and, before it, the modules that it imports."""
    if file in importers:
        cycle = " -> ".join([*importers[importers.index(file) :], file])
        raise ScriptError(f"{cycle}: circular import; move the shared code into a third module")
    if file in modules:
        return
    module = _read(folder, file, importers)
    for imported in module.imports:
        _collect(folder, imported, (*importers, file), modules)
    modules[file] = module


def _read(folder: Path, file: str, importers: tuple[str, ...]) -> _Module:
    try:
        lines = (folder / file).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise ScriptError(f"{importers[-1] if importers else folder}: no module {file}") from None
    imports: dict[str, list[str]] = {}
    names: dict[str, bool] = {}
    body = []
    for number, line in enumerate(lines, 1):
        if match := _IMPORT.fullmatch(line):
            imports.setdefault(match[2], []).extend(match[1].split(", "))
            continue
        if match := _DECLARATION.match(line):
            names[match[2]] = match[1] is not None
        elif _TOP_LEVEL.match(line):
            raise ScriptError(
                f'{file}:{number}: found {line!r}; expected import {{ a, b }} from "./module.js"; on one line, or'
                " function, async function, const, let or class with one name, optionally after export"
            )
        body.append(line.removeprefix("export "))
    return _Module(file, imports, names, "\n".join(body))


def _check_names(modules: dict[str, _Module]) -> None:
    """Check that every top-level name is declared once, and that imported names are exported."""
    declared: dict[str, str] = {}
    for module in modules.values():
        for name in module.names:
            if name in declared:
                raise ScriptError(f"{declared[name]} and {module.file} both declare {name}; rename one of them")
            declared[name] = module.file
    for importer, file, name in _imported_names(modules):
        if not modules[file].names.get(name):
            raise ScriptError(f"{importer}: imports {name} from {file}, which does not export it")


def _imported_names(modules: dict[str, _Module]) -> Iterator[tuple[str, str, str]]:
    for module in modules.values():
        for file, names in module.imports.items():
            yield from ((module.file, file, name) for name in names)

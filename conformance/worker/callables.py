"""The public callables of a framework whose documentation speaks of what the suite tests, and which no adapter maps."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping
from types import ModuleType
from typing import Any

from conformance.worker.documentation import MAX_CHARACTERS, resolved

SHOWN = 3
"""Number of different words of a callable to give."""
_SPEAKS = re.compile(r"(?:scatter|gather)(?:s|ed|ing)?|segment(?:s|ed)?|indices|indexes")
_IN_NAMES = re.compile(r"index")
"""Also a word of a name; texts use it for anything."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SUFFIX = re.compile(r"[(\[].*")


def unmapped(namespace: Mapping[str, Any], own: Collection[str], mapped: Collection[str]) -> dict[str, list[str]]:
    """By the name of a callable, the first words of its name and its documentation that speak of scatter, gather and so on.

    namespace: the names that the adapter's file defines. own: the names of its APIs; the frameworks are what they begin with,
    as far as the file imports it. mapped: the names of all APIs that adapters map.
    """
    names = sorted({_SUFFIX.sub("", name) for name in mapped})
    imported = _imported(namespace)
    roots = {root: imported[root] for root in {name.partition(".")[0] for name in own} if root in imported}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated names
        mapped_objects = [
            value for name in names if name.partition(".")[0] in roots for value in _objects(namespace, name)
        ]
        known = {*map(id, mapped_objects)}  # they are kept: another object could have the id of one that is gone
        found: dict[int, tuple[str, Any]] = {}
        for root, value in sorted(roots.items()):
            for name, each in _callables(root, value):
                if id(each) not in found or _order(name) < _order(found[id(each)][0]):
                    found[id(each)] = name, each
        spoken = {name: _words(name, each) for key, (name, each) in found.items() if key not in known}
    return {name: words for name, words in sorted(spoken.items()) if words and name not in names}


def _imported(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """What an adapter's file defines, and the packages of the modules that it imports under any name."""
    modules = (value for value in namespace.values() if isinstance(value, ModuleType))
    packages = {_text(module, "__name__").partition(".")[0] for module in modules}
    return {**{name: sys.modules[name] for name in packages if name in sys.modules}, **namespace}


def _order(name: str) -> tuple[int, int, str]:
    """The shortest of several names of a callable comes first."""
    return name.count("."), len(name), name


def _objects(namespace: Mapping[str, Any], name: str) -> Iterator[Any]:
    try:
        yield plain(resolved(namespace, name))
    except Exception:  # a version may lack it
        return


def _callables(name: str, root: Any) -> Iterator[tuple[str, Any]]:
    """The public names of callables with these, in a module or a class and the modules of the same package below it."""
    package = _text(root, "__name__" if isinstance(root, ModuleType) else "__module__").partition(".")[0]
    modules: list[tuple[str, Any]] = [(name, root)]
    seen = {id(root)}
    for prefix, module in modules:
        for short, value in _public(module):
            full = f"{prefix}.{short}"
            if isinstance(value, ModuleType):
                if id(value) not in seen and _is_below(value, module, short):
                    seen.add(id(value))
                    modules.append((full, value))
            elif _is_of(value, package) and callable(value):
                yield full, value
                if isinstance(value, type):
                    yield from _methods(full, value, package)


def _is_below(value: ModuleType, module: Any, short: str) -> bool:
    """Whether a module is a part of another under its own name, and not only imported there."""
    name = _text(value, "__name__")
    return name.startswith(_text(module, "__name__") + ".") and name.endswith(f".{short}")


def _public(module: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(module, type):
        yield from ((name, plain(value)) for name, value in vars(module).items() if not name.startswith("_"))
        return
    listed = getattr(module, "__all__", None)
    listed = {name for name in listed if isinstance(name, str)} if isinstance(listed, (list, tuple)) else set()
    for name in sorted({*dir(module), *listed}):
        if not name.startswith("_"):
            value = _attribute(module, name)
            if isinstance(value, ModuleType) or (value is not None and (not listed or name in listed)):
                yield name, value


def _methods(name: str, owner: type, package: str) -> Iterator[tuple[str, Any]]:
    for base in owner.__mro__:
        if _is_of(base, package):
            for short, value in list(vars(base).items()):
                if not short.startswith("_") and (callable(value) or isinstance(value, (staticmethod, classmethod))):
                    yield f"{name}.{short}", plain(value)


def plain(value: Any) -> Any:
    """The function of a method."""
    return value.__func__ if isinstance(value, (staticmethod, classmethod)) or inspect.ismethod(value) else value


def _is_of(value: Any, package: str) -> bool:
    """Whether it is defined in the package, or does not say where."""
    return _text(value, "__module__").partition(".")[0] in ("", package)


def _text(value: Any, name: str) -> str:
    """A text that an object has; empty if it has none."""
    text = _attribute(value, name)
    return text if isinstance(text, str) else ""


def _attribute(value: Any, name: str) -> Any:
    try:
        return getattr(value, name)
    except Exception:  # it may be computed, or missing
        return None


def _words(name: str, value: Any) -> list[str]:
    text = _text(value, "__doc__")
    if not isinstance(value, type) and text == _text(type(value), "__doc__"):
        text = ""  # an instance has that of its class
    if not text:
        return []
    named = (word for word in parts(name.rpartition(".")[2]) if _SPEAKS.fullmatch(word) or _IN_NAMES.fullmatch(word))
    spoken = (word for word in parts(text[:MAX_CHARACTERS]) if _SPEAKS.fullmatch(word))
    return list(dict.fromkeys((*named, *spoken)))[:SHOWN]


def parts(text: str) -> Iterator[str]:
    """The words of a text; identifiers are split at signs and at capitals."""
    return (part.lower() for part in _PART.findall(text))

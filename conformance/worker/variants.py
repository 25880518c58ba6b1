"""The variants of the APIs that an adapter maps: public names beside theirs, keyword forms, and what the framework's registry has."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from conformance.worker.callables import parts, plain
from conformance.worker.documentation import resolved

HOOK = "variants"
"""The function of an adapter's file that returns what a registry has: by name a callable, or None if it has no signature."""
_FORM = re.compile(r"\(.*")


def variants(namespace: Mapping[str, Any], own: Collection[str], words: Collection[str]) -> list[str]:
    """The public callables of the families in the modules and classes of the adapter's APIs, mapped or not, and keyword forms.

    namespace: the names that the adapter's file defines. own: the names of its APIs. words: what the names of the families
    have among their parts. A keyword form, such as ``fake.take(out=)``, is an optional parameter of an API of the adapter.
    """
    mapped = {_FORM.sub("", name) for name in own}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated names
        registered = namespace[HOOK]() if HOOK in namespace else {}
        objects = {name: _object(namespace, name) for name in mapped}
        known = {id(value) for value in objects.values() if value is not None}
        found = {name for name, value in _beside(namespace, mapped, words) if id(value) not in known or name in mapped}
        found |= {name for name in registered if _speaks(name, words)}
        signed = {name: registered.get(name, objects[name]) for name in mapped}
        return sorted(found.union(*(_forms(name, value) for name, value in signed.items())))


def _beside(namespace: Mapping[str, Any], mapped: Collection[str], words: Collection[str]) -> Iterator[tuple[str, Any]]:
    """The public callables of the families that stand where mapped ones do."""
    for owner in sorted({name.rpartition(".")[0] for name in mapped}):
        place = _object(namespace, owner)
        for short in dir(place) if place is not None else ():
            if not short.startswith("_") and _speaks(short, words):
                value = _object(namespace, f"{owner}.{short}")
                if callable(value):
                    yield f"{owner}.{short}", value


def _forms(name: str, value: Any) -> Iterator[str]:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # a built-in function may have none
        return
    yield from (f"{name}({each.name}=)" for each in parameters if each.default is not each.empty)


def _speaks(name: str, words: Collection[str]) -> bool:
    return not set(parts(name)).isdisjoint(words)


def _object(namespace: Mapping[str, Any], name: str) -> Any:
    try:
        return plain(resolved(namespace, name))
    except Exception:  # a version may lack it
        return None

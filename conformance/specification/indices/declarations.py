"""Which kind of index a spec declares, or a record has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from conformance.specification.indices.kinds import (
    RESULT,
    Along,
    Declaration,
    Elements,
    Flat,
    Indexing,
    InKey,
    Labels,
    Mask,
    Problems,
    Vectors,
    words_of,
)
from conformance.specification.problems import nearest
from conformance.specification.vocabulary import Order

_ORDERS = (None, *get_args(Order))


def problems_of(declaration: Declaration) -> Problems:
    """What is wrong with the declaration of an argument that may be an index."""
    part = declaration.part
    for key in ("into", "along", "labels", "batched"):
        target = getattr(part, key)
        is_result = key == "into" and target == RESULT and part.labels is not None
        if target is not None and target not in declaration.arguments and not is_result:
            allowed = [*declaration.arguments, *([RESULT] if key == "into" and part.labels is not None else ())]
            yield declaration.problem(key, f"undefined argument {target!r}{nearest(target, allowed)}")
    yield from _missing(declaration)
    indexing = declared(declaration)
    if indexing is not None:
        yield from indexing.problems(declaration)


def _missing(declaration: Declaration) -> Problems:
    """Keys that need another one."""
    part, is_flat = declaration.part, declaration.part.selects == "flat"
    for key, needed in (
        ("along", "into"),
        ("selects", "into" if is_flat else "along"),
        ("labels", "into"),
        ("order", "labels"),
        ("batched", "into"),
    ):
        if getattr(part, key) is not None and getattr(part, needed) is None:
            named = {"order": "labels", "labels": "labels", "batched": "batched"}.get(key, "along")
            written = "selects: flat" if is_flat else f"{named}: ARGUMENT"
            yield declaration.problem(key, f"needs {needed}; write {{tensor: integer, into: ARGUMENT, {written}}}")


def declared(declaration: Declaration) -> Indexing | None:
    """The meaning of an index argument; None if it has none."""
    part = declaration.part
    if part.into is None:
        return None
    if part.tensor == "bool":
        return Mask(part.into)
    if part.labels is not None:
        return Labels(part.into, part.labels, part.order)
    if part.selects == "flat":
        return Flat(part.into)
    if part.along is None:
        return Vectors(part.into, part.batched)
    words = words_of(declaration)
    if words:
        return InKey(part.into, part.along, words)
    if part.selects == "slices":
        return Along(part.into, part.along, part.batched)
    return Elements(part.into, part.along)


def indexing_record(indexing: Indexing) -> dict[str, str | None]:
    """The meaning of an index argument as a record has it."""
    fields: dict[str, str | None] = {
        "along": None,
        "selects": "elements",
        "labels": None,
        "order": None,
        "batched": None,
    }
    match indexing:
        case Vectors(batched=batched):
            fields |= {"batched": batched}
        case Elements(along=along):
            fields |= {"along": along}
        case Along(along=along, batched=batched):
            fields |= {"along": along, "selects": "slices", "batched": batched}
        case InKey(key=key):
            fields |= {"along": key, "selects": "slices"}
        case Flat():
            fields |= {"selects": "flat"}
        case Mask():
            fields |= {"selects": "mask"}
        case Labels(data=data, order=order):
            fields |= {"labels": data, "order": order}
    return {"into": indexing.into, **fields}


def read_indexing(record: object, call: Mapping[str, Any]) -> Indexing | None:
    """The meaning of an index argument from its record, in a recorded call; None for one that this version does not know."""
    if not isinstance(record, Mapping) or not all(isinstance(value, str | None) for value in record.values()):
        return None
    indexing: Indexing
    match {key: value for key, value in record.items() if value is not None}:
        case {"into": into, "selects": "elements", "labels": data, **others} if others.get("order") in _ORDERS:
            indexing = Labels(into, data, others.get("order"))
        case {"into": into, "selects": "elements", "along": along}:
            indexing = Elements(into, along)
        case {"into": into, "selects": "elements", **others}:
            indexing = Vectors(into, others.get("batched"))
        case {"into": into, "selects": "slices", "along": along} if isinstance(call.get(along), str):
            indexing = InKey(into, along)
        case {"into": into, "selects": "slices", "along": along, **others}:
            indexing = Along(into, along, others.get("batched"))
        case {"into": into, "selects": "flat"}:
            indexing = Flat(into)
        case {"into": into, "selects": "mask"}:
            indexing = Mask(into)
        case _:
            return None
    known = indexing_record(indexing)
    return indexing if known == {**dict.fromkeys(known), **record} else None

"""Calls, expectations and outcomes as readable text, from their JSON forms."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.outcomes.model import Abstract, Died, Hung, NotExported, Outcome, Raised, Returned, Unsupported
from conformance.reports.text import counted, shortened
from conformance.results.records import ResultRecord

_LONGEST = 10_000
"""The maximum length of an axis of a result that is shown beside others."""
_KEY = "key"
"""The argument of an operation that is a key."""
WIDTH = 76
"""Columns of a line of nested lists; longer ones are broken into rows."""


_PLAIN = frozenset({int, float, bool, type(None)})


def element(value: Any) -> str:
    """One number as in Python; numbers that JSON lacks are strings (``nan``, ``9007199254740993``)."""
    if type(value) in _PLAIN:
        return repr(value)
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def nested(values: Any, indent: int = 0) -> str:
    """Nested lists on one line if they fit, else one row per line with aligned columns."""
    line = flat(values)
    if indent + len(line) <= WIDTH or not _is_nested(values):
        return line
    cells = _aligned(values)
    gap = ",\n" + " " * (indent + 1)
    return "[" + gap.join(nested(row, indent + 1) for row in cells) + "]"


def flat(values: Any) -> str:
    """Nested lists on one line."""
    if isinstance(values, list):
        line = repr(values)
        if "'" not in line and '"' not in line:
            return line  # strings stand for numbers here and would have quotes
        return "[" + ", ".join(flat(value) for value in values) + "]"
    return element(values)


def _is_nested(values: Any) -> bool:
    return isinstance(values, list) and any(isinstance(value, list) for value in values)


def flat_elements(values: Any) -> list[str]:
    """The elements of nested lists in one list, in row-major order."""
    if not isinstance(values, list):
        return [element(values)]
    if any(isinstance(value, list) for value in values):
        return [text for value in values for text in flat_elements(value)]
    return list(map(element, values))


def _aligned(rows: list[Any]) -> list[Any]:
    """The rows of a matrix with its elements padded to the same width; other lists unchanged."""
    if any(not isinstance(row, list) or _is_nested(row) for row in rows):
        return rows
    texts = [[element(value) for value in row] for row in rows]
    width = max((len(text) for row in texts for text in row), default=0)
    return [[text.rjust(width) for text in row] for row in texts]


@dataclass(frozen=True)
class Words:
    """What a case expects or what an API did, other than an array whose elements are recorded."""

    head: str
    """The first line: what happened, or dtype and shape of an array."""
    body: str | None = None
    """Further lines of a message, or what an array is made by."""
    notes: tuple[str, ...] = ()
    """Remarks on an array, a line each."""
    shape: tuple[int, ...] | None = None
    """The shape of an array; None for anything else."""

    @property
    def text(self) -> str:
        """The whole description, in lines."""
        return "\n".join([self.head, *([] if self.body is None else [self.body]), *self.notes])


@dataclass(frozen=True)
class Elements:
    """An array that a case expects or that an API returned."""

    dtype: str
    shape: tuple[int, ...]
    values: Any
    """Nested lists."""
    notes: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """Its dtype and shape."""
        return f"{self.dtype} {shape_text(self.shape)}"

    @property
    def text(self) -> str:
        """The whole description, in lines."""
        return "\n".join([self.head, nested(self.values), *self.notes])


Description = Words | Elements


def argument_text(value: Any, indent: int = 0) -> str:
    """An argument: ``int32 [[4], [3]]``, ``float32 zeros([13, 11])``, ``[8]``, ``"add"``, ``None``."""
    if isinstance(value, Mapping) and "view" in value:
        plain = {key: written for key, written in value.items() if key != "view"}
        return f"{argument_text(plain, indent)}, {value['view']}"
    if isinstance(value, Mapping) and len(value) == 1:
        [(dtype, written)] = value.items()
        return f"{dtype} {nested(written, indent + len(dtype) + 1)}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return nested(dict(value) if isinstance(value, Mapping) else value, indent)


def call_texts(call: Mapping[str, Any], indent: int = 0) -> dict[str, str]:
    """The text of each argument of a call, indented to follow ``name = `` with names padded to the same width.

    A key is shown as it stands behind the tensor that it is for, which is the first argument: ``input[1:, None, True]``.
    """
    width = max(map(len, call), default=0)
    return {
        name: f"{next(iter(call))}[{value}]"
        if name == _KEY and isinstance(value, str)
        else argument_text(value, indent + width + 3)
        for name, value in call.items()
    }


def call_text(call: Mapping[str, Any]) -> str:
    """The arguments of a call, one per line: ``indices = int32 [[4], [3], [1], [7]]``."""
    width = max(map(len, call), default=0)
    return "\n".join(f"{name:<{width}} = {text}" for name, text in call_texts(call).items())


def shape_text(shape: Any) -> str:
    """``(8,)``, ``(3, 2)``, ``()``."""
    lengths = [str(length) for length in shape]
    return f"({lengths[0]},)" if len(lengths) == 1 else f"({', '.join(lengths)})"


def array_description(array: Mapping[str, Any], notes: tuple[str, ...] = ()) -> Description:
    """An array by dtype and shape, with its elements or literal if they are recorded."""
    shape = tuple(array.get("shape", ()))
    if array.get("parts"):
        parts = [(part["name"], part["dtype"], tuple(part["shape"])) for part in array["parts"]]
        return _several(parts, array.get("values"), notes)
    dtype = array.get("dtype", "unknown dtype")
    if array.get("values") is not None:
        return Elements(dtype, shape, array["values"], notes)
    head = f"{dtype} {shape_text(shape)}"
    if "text" in array:
        return Words(head, array["text"], notes, shape)
    return Words(f"{head}, too large to show", None, notes, shape)


def expectation_description(expectation: Mapping[str, Any]) -> Description:
    """What a case expects, after ``expected:``."""
    if "returns" in expectation:
        return array_description(expectation["returns"], tuple(_notes(expectation["returns"])))
    if "raises" in expectation:
        kind = expectation["raises"]
        return Words("an exception of any type" if kind is True else f"an exception: {kind}")
    if "relation" in expectation:
        relation = expectation["relation"]
        sides = f"left:  {relation['left']}\nright: {relation['right']}"
        return Words("the left side to equal the right side", sides)
    if "observed" in expectation:
        return Words(f"nothing in particular: the result is recorded, not judged ({expectation['observed']})")
    return Words(json.dumps(expectation, default=dict, ensure_ascii=False))


def _notes(array: Mapping[str, Any]) -> Iterator[str]:
    """How an expected array is compared."""
    if array.get("digits") is not None:
        yield f"compared to {counted(array['digits'], 'decimal place')}"
    if "within" in array:
        yield f"tolerance {array['within']:g}"
    if "remains" in array:
        yield "with several updates to one position, any of them may remain"


def expectation_text(expectation: Mapping[str, Any]) -> str:
    """What a case expects, as text."""
    return expectation_description(expectation).text


def source_text(expectation: Mapping[str, Any]) -> str | None:
    """Where an expected value comes from."""
    words = {
        "printed": "printed by the document",
        "spec": "given in the spec",
        "reference": "computed by the reference",
    }
    return words.get(str(expectation.get("returns", {}).get("source")))


def outcome_description(outcome: Outcome) -> Description:
    """What a call did."""
    match outcome:
        case Returned():
            return _returned(outcome)
        case Abstract():
            return Words(f"{outcome.dtype} {shape_text(outcome.shape)}, without values", shape=outcome.shape)
        case Raised():
            return _raised(outcome)
        case Died():
            return Words(f"the process {outcome.phrase}", _tail(outcome.stderr))
        case Hung():
            return Words(f"no answer within {outcome.limit:g} s; the process was killed", _tail(outcome.stderr))
        case Unsupported():
            return Words(f"not supported: {outcome.reason}")
        case NotExported():
            return _not_exported(outcome)


def _several(
    parts: Sequence[tuple[str, str, tuple[int, ...]]], values: Any, notes: tuple[str, ...] = ()
) -> Description:
    """The results of a program by name; values: those of all of them, one after another, if they are recorded."""
    lines, start = [], 0
    sizes = [math.prod(shape) for _, _, shape in parts]
    # A file may say anything.
    lengths = [length for _, _, shape in parts for length in shape]
    is_shown = isinstance(values, list) and len(values) == sum(sizes) and max(lengths, default=0) <= _LONGEST
    for (name, dtype, shape), size in zip(parts, sizes, strict=True):
        head = f"{name} = {dtype} {shape_text(shape)}"
        shown = nested(_reshaped(values[start : start + size], shape)) if is_shown else None
        lines += [f"{head}, too large to show"] if shown is None else [head, shown]
        start += size
    return Words(f"{len(parts)} results", "\n".join(lines), notes)


def _reshaped(flat: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Elements as nested lists."""
    if not shape:
        return flat[0]
    size = math.prod(shape[1:])
    return [_reshaped(flat[row * size : (row + 1) * size], shape[1:]) for row in range(shape[0])]


def _returned(outcome: Returned) -> Description:
    if outcome.parts:
        return _several([(part.name, part.dtype, tuple(part.shape)) for part in outcome.parts], outcome.values)
    if outcome.values is not None:
        return Elements(outcome.dtype, tuple(outcome.shape), outcome.values)
    return Words(f"{outcome.dtype} {shape_text(outcome.shape)}, too large to show", None, (), tuple(outcome.shape))


def outcome_text(outcome: Outcome) -> str:
    """What a call did, as text."""
    return outcome_description(outcome).text


def result_text(result: ResultRecord) -> str:
    """What a target did; for a relation with the right side and the APIs used for other operations."""
    lines = [outcome_text(result.outcome)]
    if result.relation:
        right, partners = result.relation.right, result.relation.partners
        lines += [f"right side: {outcome_text(right)}"] if right else []
        lines += [f"with {', '.join(f'{api} for {name}' for name, api in partners.items())}"] if partners else []
    return "\n".join(lines)


def _not_exported(outcome: NotExported) -> Description:
    first, _, more = shortened(outcome.reason, 4000).partition("\n")
    return Words(f"cannot be exported: {first}", more or None)


_LEFT = {
    None: None,
    "unchanged": "the tensor that it changes in place is unchanged",
    "written": "the tensor that it changes in place was left partly written",
}


_PHASES = {
    "arguments": " (creating the arguments)",
    "result": " (reading the result)",
    "call": "",
    "forward": " (without the transform too)",
}


def _raised(outcome: Raised) -> Description:
    error = outcome.error
    kind = f"{error.type}{_PHASES[error.phase]}"
    if not error.message:
        return Words(f"raised {kind}, without a message", _LEFT[outcome.in_place])
    first, *rest = shortened(error.message, 4000).split("\n", 1)
    more = "\n".join(filter(None, [*rest, _LEFT[outcome.in_place]]))
    return Words(f"raised {kind}: {first}", more or None)


def _tail(stderr: str) -> str | None:
    tail = stderr.strip()
    return f"end of standard error:\n{tail}" if tail else None

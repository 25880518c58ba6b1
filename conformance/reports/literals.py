"""Calls, expectations and outcomes as somebody who uses a framework reads them, from their JSON forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.reports.text import counted, shortened

WIDTH = 76
"""Columns that a line of nested lists may take before it is broken into rows."""


def element(value: Any) -> str:
    """One number as Python writes it; those that JSON lacks come as texts (``nan``, ``9007199254740993``)."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def nested(values: Any, indent: int = 0) -> str:
    """Nested lists on one line where they fit, else a row a line with its columns aligned."""
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
            return line  # without texts among the elements, which stand for numbers and have no quotes here
        return "[" + ", ".join(flat(value) for value in values) + "]"
    return element(values)


def _is_nested(values: Any) -> bool:
    return isinstance(values, list) and any(isinstance(value, list) for value in values)


def flat_elements(values: Any) -> list[str]:
    """The elements of nested lists in one list, the last axis counting fastest."""
    if isinstance(values, list):
        return [text for value in values for text in flat_elements(value)]
    return [element(values)]


def _aligned(rows: list[Any]) -> list[Any]:
    """The rows of a matrix with their elements padded to the width of the widest; anything else as it is."""
    if any(not isinstance(row, list) or _is_nested(row) for row in rows):
        return rows
    texts = [[element(value) for value in row] for row in rows]
    width = max((len(text) for row in texts for text in row), default=0)
    return [[text.rjust(width) for text in row] for row in texts]


@dataclass(frozen=True)
class Description:
    """What a case expects or what an API did, for reading and for drawing."""

    head: str
    """The first line: dtype and shape of an array, or what happened."""
    body: str | None = None
    """The elements, laid out in rows, or further lines of a message."""
    notes: tuple[str, ...] = ()
    """What else is to be known of an array, a line each."""
    shape: tuple[int, ...] | None = None
    """Of an array; None for anything else."""
    values: Any = None
    """The nested lists of an array, where they are recorded."""

    @property
    def text(self) -> str:
        """All of it, in lines."""
        return "\n".join([self.head, *([] if self.body is None else [self.body]), *self.notes])


def argument_text(value: Any, indent: int = 0) -> str:
    """An argument: ``int32 [[4], [3]]``, ``float32 zeros([13, 11])``, ``[8]``, ``"add"``, ``None``."""
    if isinstance(value, dict) and "view" in value:
        plain = {key: written for key, written in value.items() if key != "view"}
        return f"{argument_text(plain, indent)}, {value['view']}"
    if isinstance(value, dict) and len(value) == 1:
        [(dtype, written)] = value.items()
        return f"{dtype} {nested(written, indent + len(dtype) + 1)}"
    if isinstance(value, str | dict):
        return json.dumps(value, ensure_ascii=False)
    return nested(value, indent)


def call_texts(call: Mapping[str, Any], indent: int = 0) -> dict[str, str]:
    """The text of each argument of a call, to stand after ``name = `` with the names padded to the same width."""
    width = max(map(len, call), default=0)
    return {name: argument_text(value, indent + width + 3) for name, value in call.items()}


def call_text(call: Mapping[str, Any]) -> str:
    """A call's arguments, a name a line: ``indices = int32 [[4], [3], [1], [7]]``."""
    width = max(map(len, call), default=0)
    return "\n".join(f"{name:<{width}} = {text}" for name, text in call_texts(call).items())


def shape_text(shape: Any) -> str:
    """``(8,)``, ``(3, 2)``, ``()``."""
    lengths = [str(length) for length in shape]
    return f"({lengths[0]},)" if len(lengths) == 1 else f"({', '.join(lengths)})"


def array_description(array: Mapping[str, Any], notes: tuple[str, ...] = ()) -> Description:
    """An array by dtype, shape and, where they are recorded, elements or the literal that makes it."""
    shape = tuple(array.get("shape", ()))
    head = f"{array.get('dtype', 'of unknown dtype')} {shape_text(shape)}"
    if "values" in array:
        return Description(head, nested(array["values"]), notes, shape, array["values"])
    if "text" in array:
        return Description(head, array["text"], notes, shape)
    return Description(f"{head}, too large to quote here", None, notes, shape)


def expectation_description(expectation: Mapping[str, Any]) -> Description:
    """What a case expects, after ``expected:``."""
    if "returns" in expectation:
        return array_description(expectation["returns"], tuple(_notes(expectation["returns"])))
    if "raises" in expectation:
        kind = expectation["raises"]
        return Description("an exception of any type" if kind is True else f"an exception: {kind}")
    if "relation" in expectation:
        relation = expectation["relation"]
        sides = f"left:  {relation['left']}\nright: {relation['right']}"
        return Description("the left side to give what the right side gives", sides)
    if "observed" in expectation:
        return Description(f"nothing: what it does is recorded, not judged ({expectation['observed']})")
    return Description(json.dumps(expectation, default=dict, ensure_ascii=False))


def _notes(array: Mapping[str, Any]) -> Iterator[str]:
    """How an expected array is compared."""
    if array.get("digits") is not None:
        yield f"compared at {counted(array['digits'], 'printed digit')}"
    if "within" in array:
        yield f"compared within {array['within']:g}, for rounding"
    if "remains" in array:
        yield "where several updates go to one position, any of them may remain"


def expectation_text(expectation: Mapping[str, Any]) -> str:
    """The same as text."""
    return expectation_description(expectation).text


def source_text(expectation: Mapping[str, Any]) -> str | None:
    """Where an expected value comes from."""
    words = {
        "printed": "as the document prints it",
        "spec": "as worked out in the spec",
        "reference": "as the reference computes it",
    }
    return words.get(str(expectation.get("returns", {}).get("source")))


def outcome_description(outcome: Mapping[str, Any]) -> Description:
    """What a target did; of a relation what it did with the left side."""
    status = str(outcome.get("status"))
    if status == "returned":
        return array_description(outcome)
    describe = _NO_ARRAY.get(status)
    if describe:
        return _message(describe(outcome))
    return Description(json.dumps({key: outcome[key] for key in outcome if key != "relation"}, ensure_ascii=False))


def right_side(outcome: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The outcome of a relation's right side; None where there is none."""
    right: Mapping[str, Any] | None = (outcome.get("relation") or {}).get("right")
    return right


def outcome_text(outcome: Mapping[str, Any]) -> str:
    """What a target did, with both sides of a relation and the APIs that stood for other operations."""
    right, other_apis = right_side(outcome), (outcome.get("relation") or {}).get("with") or {}
    lines = [outcome_description(outcome).text]
    lines += [f"right side: {outcome_text(right)}"] if right else []
    lines += [f"with {', '.join(f'{api} for {operation}' for operation, api in other_apis.items())}"] * bool(other_apis)
    return "\n".join(lines)


def _message(text: str) -> Description:
    """A text of several lines, of which the first stands alone where there is little space."""
    head, _, body = text.partition("\n")
    return Description(head, body or None)


def _raised(outcome: Mapping[str, Any]) -> str:
    error = outcome.get("error", {})
    phases = {
        "arguments": " (making the arguments)",
        "result": " (reading the result)",
        "call": "",
    }
    phase = str(error.get("phase", "call"))
    text = f"{error.get('type')}{phases.get(phase, f' ({phase})')}"
    message = shortened(str(error.get("message") or ""), 4000)
    return f"raised {text}: {message}" if message else f"raised {text}, without a message"


def _died(outcome: Mapping[str, Any]) -> str:
    signal = outcome.get("signal")
    how = f"ended by {signal}" if signal else f"exited with code {outcome.get('exit_code')}"
    if "most_memory" in outcome:
        how = f"was ended as it took more than {outcome['most_memory'] / 2**30:.3g} GiB of memory"
    return f"the process {how}{_tail(outcome)}"


def _hung(outcome: Mapping[str, Any]) -> str:
    return f"no answer within {outcome.get('limit')} s; the process was ended{_tail(outcome)}"


def _tail(outcome: Mapping[str, Any]) -> str:
    tail = str(outcome.get("stderr") or "").strip()
    return f"\nlast on its standard error:\n{tail}" if tail else ""


def _unsupported(outcome: Mapping[str, Any]) -> str:
    return f"the API has no such form: {outcome.get('reason')}"


_NO_ARRAY: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "raised": _raised,
    "died": _died,
    "hung": _hung,
    "unsupported": _unsupported,
}

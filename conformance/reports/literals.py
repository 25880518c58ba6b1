"""Calls, expectations and outcomes as somebody who uses a framework reads them, from their JSON forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from conformance.outcomes.model import Abstract, Died, Error, Hung, Outcome, Raised, Returned, Unsupported
from conformance.reports.text import counted, shortened
from conformance.results.records import ResultRecord

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


def _aligned(rows: list[Any]) -> list[Any]:
    """The rows of a matrix with their elements padded to the width of the widest; anything else as it is."""
    if any(not isinstance(row, list) or _is_nested(row) for row in rows):
        return rows
    texts = [[element(value) for value in row] for row in rows]
    width = max((len(text) for row in texts for text in row), default=0)
    return [[text.rjust(width) for text in row] for row in texts]


def argument_text(value: Any, indent: int = 0) -> str:
    """An argument: ``int32 [[4], [3]]``, ``float32 zeros([13, 11])``, ``[8]``, ``"add"``, ``None``."""
    return _argument(value, lambda values, before: nested(values, indent + before))


def argument_line(value: Any) -> str:
    """The same on one line."""
    return _argument(value, lambda values, _: flat(values))


def _argument(value: Any, lay: Callable[[Any, int], str]) -> str:
    """An argument whose lists are written by a function of them and of the characters before them."""
    if isinstance(value, dict) and "view" in value:
        plain = {key: written for key, written in value.items() if key != "view"}
        return f"{_argument(plain, lay)}, {value['view']}"
    if isinstance(value, dict) and len(value) == 1:
        [(dtype, written)] = value.items()
        return f"{dtype} {lay(written, len(dtype) + 1)}"
    if isinstance(value, str | dict):
        return json.dumps(value, ensure_ascii=False)
    return lay(value, 0)


def call_text(call: Mapping[str, Any]) -> str:
    """A call's arguments, a name a line: ``indices = int32 [[4], [3], [1], [7]]``."""
    width = max(map(len, call), default=0)
    return "\n".join(f"{name:<{width}} = {argument_text(value, width + 3)}" for name, value in call.items())


def call_line(operation: str, call: Mapping[str, Any]) -> str:
    """The whole call on one line."""
    arguments = (f"{name}={argument_line(value)}" for name, value in call.items())
    return f"{operation}({', '.join(arguments)})"


def shape_text(shape: Any) -> str:
    """``(8,)``, ``(3, 2)``, ``()``."""
    lengths = [str(length) for length in shape]
    return f"({lengths[0]},)" if len(lengths) == 1 else f"({', '.join(lengths)})"


def array_text(array: Mapping[str, Any], lay: Callable[[Any], str] = nested) -> str:
    """An array by dtype, shape and, where they are held, elements or the literal that makes it."""
    head = f"{array.get('dtype', 'of unknown dtype')} {shape_text(array.get('shape', []))}"
    if "values" in array:
        return f"{head}\n{lay(array['values'])}"
    if "text" in array:
        return f"{head}\n{array['text']}"
    return f"{head}, too large to quote here"


def expectation_text(expectation: Mapping[str, Any], lay: Callable[[Any], str] = nested) -> str:
    """What a case expects, after ``expected:``."""
    if "returns" in expectation:
        array = expectation["returns"]
        digits = array.get("digits")
        rounded = f"\ncompared at {counted(digits, 'printed digit')}" if digits is not None else ""
        bound = f"\ncompared within {array['within']:g}, for rounding" if "within" in array else ""
        anyone = "\nwhere several updates go to one place, any of them may remain" if "remains" in array else ""
        return array_text(array, lay) + rounded + bound + anyone
    if "raises" in expectation:
        kind = expectation["raises"]
        return "an exception of any type" if kind is True else f"an exception: {kind}"
    if "relation" in expectation:
        relation = expectation["relation"]
        return f"the left side to give what the right side gives\nleft:  {relation['left']}\nright: {relation['right']}"
    if "observed" in expectation:
        return f"nothing: what it does is recorded, not judged ({expectation['observed']})"
    return json.dumps(expectation, ensure_ascii=False)


def source_text(expectation: Mapping[str, Any]) -> str | None:
    """Where an expected value comes from."""
    words = {
        "printed": "as the document prints it",
        "spec": "as worked out in the spec",
        "reference": "as the reference computes it",
    }
    return words.get(str(expectation.get("returns", {}).get("source")))


def result_text(result: ResultRecord) -> str:
    """What a target did; of a metamorphic relation on both sides, with the APIs that stood for other operations."""
    text = outcome_text(result.outcome)
    relation = result.relation
    if relation is None:
        return text
    right = f"\nright side: {outcome_text(relation.right)}" if relation.right else ""
    apis = ", ".join(f"{api} for {operation}" for operation, api in relation.partners.items())
    return text + right + (f"\nwith {apis}" if apis else "")


def outcome_text(outcome: Outcome, lay: Callable[[Any], str] = nested) -> str:
    """What came of a call."""
    match outcome:
        case Returned():
            return returned_text(outcome, lay)
        case Abstract():
            return f"{outcome.dtype} {shape_text(outcome.shape)}, without values"
        case Raised():
            return _raised(outcome.error)
        case Died():
            return f"the process was ended: {outcome.how}{_tail(outcome.stderr)}"
        case Hung():
            return f"no answer within {outcome.limit:g} s; the process was ended{_tail(outcome.stderr)}"
        case Unsupported():
            return f"the API has no such form: {outcome.reason}"


def returned_text(outcome: Returned, lay: Callable[[Any], str] = nested) -> str:
    """The dtype, shape and elements of a result."""
    head = f"{outcome.dtype} {shape_text(outcome.shape)}"
    # An array without elements may have nested empty lists, so None alone says that they were left out.
    return f"{head}, too large to quote here" if outcome.values is None else f"{head}\n{lay(outcome.values)}"


def _raised(error: Error) -> str:
    phases = {"arguments": " (making the arguments)", "result": " (reading the result)", "call": ""}
    text = f"{error.type}{phases[error.phase]}"
    message = shortened(error.message, 4000)
    return f"raised {text}: {message}" if message else f"raised {text}, without a message"


def _tail(stderr: str) -> str:
    tail = stderr.strip()
    return f"\nlast on its standard error:\n{tail}" if tail else ""

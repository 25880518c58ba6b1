"""Cases in which an argument contradicts another one that says the same, such as the offsets of the parts of an axis and its length.

``CLAUSE/contradicts.offsets.longer``: a valid call in which one argument is made wrong. What a spec declares with ``repeats`` is made
shorter, longer, negative and so on, each in turn; the rules of the operation say what follows. A call that keeps all rules is left
out, unless the reference refuses it: no document says what follows then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice

import numpy as np

from conformance.cases.forms.calls import FormCall
from conformance.cases.forms.source import expected_of
from conformance.cases.model import Case, Entry
from conformance.cases.reference import NoReference, Reference
from conformance.cases.variation import Alike, Contradicting, Turn, taking_turns
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import Clause, Observed, Operation, Printed, Raises
from conformance.specification.vocabulary import Contradiction

MOST_CALLS = 2
"""The number of valid calls with an argument in which it is made wrong."""


def contradiction_cases(operation: Operation, reference: Reference) -> Iterator[Case]:
    """The cases of an operation; they belong to the only rule that they break, or to the clause of the valid call."""
    yield from taking_turns(operation.name, _cases(operation, reference))


def _cases(operation: Operation, reference: Reference) -> Iterator[Alike[Case]]:
    """Those in which the same argument is wrong are alike."""
    seen: set[str] = set()
    for name, spec in operation.arguments.items():
        calls = islice(_valid_calls(operation, name), MOST_CALLS) if spec.repeats else ()
        for clause, valid in calls:
            for way, value in _wrong(valid.arguments[name]).items():
                call = valid.with_arguments({name: value})
                found = _expected(clause, FormCall(way, call, valid), reference)
                if found is None:
                    continue
                of, expectation = found
                case = f"{of.id}/contradicts.{name}.{way}"
                if case not in seen:
                    seen.add(case)
                    yield Alike(("contradiction", name), partial(_case, case, of, expectation, call, valid, name, way))


def _valid_calls(operation: Operation, argument: str) -> Iterator[tuple[Clause, Applied]]:
    """The first valid call with an argument of each clause."""
    for clause in operation.clauses:
        for written in clause.written_calls if clause.relation is None else ():
            call = Applied(operation, written.call)
            is_plain = (
                written.device is None and not written.about_dtype and isinstance(written.expected, Printed | None)
            )
            if is_plain and call.arguments.get(argument) is not None and not call.broken_rules:
                yield clause, call
                break


def _expected(clause: Clause, form: FormCall, reference: Reference) -> tuple[Clause, Raises | Observed] | None:
    """What is expected of a call with a contradiction, and by which clause; None if it has none."""
    try:
        found, expectation = expected_of(clause, form, reference)
    except NoReference:
        return None
    return (found, expectation) if isinstance(expectation, Raises | Observed) else None


def _case(
    case: str,
    clause: Clause,
    expectation: Raises | Observed,
    call: Applied,
    valid: Applied,
    argument: str,
    way: Contradiction,
    turn: Turn,
) -> Case:
    breaks = isinstance(expectation, Raises)
    made = Contradicting(argument, way, turn, breaks)
    return Case(case, call, clause, expectation, Entry(clause.location), made, control=valid if breaks else None)


def _wrong(value: Argument) -> Mapping[Contradiction, Argument]:
    """An argument made wrong in each way that it has."""
    if isinstance(value, Tensor):
        return _wrong_tensors(value)
    if isinstance(value, tuple) and value:
        return {
            "shorter": value[:-1],
            "longer": (*value, 2),
            "empty": (),
            "negative": (-1, *value[1:]),
            "smaller": (value[0] - 1, *value[1:]),
        }
    if isinstance(value, int) and not isinstance(value, bool):
        return {"negative": -1, "empty": 0, "smaller": value - 1}
    return {}


def _wrong_tensors(value: Tensor) -> Mapping[Contradiction, Argument]:
    array = value.array
    if not array.ndim or not array.shape[-1]:
        return {}
    first, last = (np.zeros_like(array) for _ in range(2))
    first[..., 0], last[..., -1] = 1, 1
    made: dict[Contradiction, np.ndarray] = {
        "shorter": array[..., :-1],
        "longer": np.concatenate([array, array[..., -1:]], axis=-1),
        "empty": array[..., :0],
        "negative": np.where(first, -1, array),
        "beyond": array + 2 * last,
        "descending": array[..., ::-1],
    }
    tensors = {
        way: Tensor(value.dtype, frozen(np.ascontiguousarray(one, array.dtype)), None) for way, one in made.items()
    }
    return {**tensors, "float32": value.cast("float32")}

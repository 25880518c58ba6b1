"""``conformance.load_cases``: the suite's cases in one's own tests, in the process of the tests and without an adapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np

from conformance.adapter import Api
from conformance.api.child import CAN_FORK, made_in_child
from conformance.app.errors import ConformanceError
from conformance.cases.expectations import Agrees, Returning
from conformance.cases.model import Case as SuiteCase
from conformance.cases.variation import Contradicting, Written
from conformance.cases.wire import manner_of
from conformance.execution.attempt import judged_here, result_record, returns
from conformance.judging.asking import Asking, described_apis, names_of_apis
from conformance.judging.subject import Subject
from conformance.outcomes.model import Died, Hung
from conformance.reports.details import details, reason
from conformance.results.describe import case_record, clause_record
from conformance.results.exit_status import NOTHING_SELECTED, USAGE
from conformance.results.file import Results as Records
from conformance.results.records import ResultRecord, RunRecord, TargetRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import Observed, Operation, Raises
from conformance.specification.problems import did_you_mean
from conformance.worker.adapters import Adapter

Family = Literal["example", "rule", "behaviour"]
FAMILIES: tuple[Family, ...] = ("example", "rule", "behaviour")
_TARGET = TargetRecord("this process", "this process", None, "cpu", "eager")
_CPU = 1
"""DLPack's number of the CPU."""
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class Case:
    """A call with its expectation."""

    def __init__(self, case: SuiteCase) -> None:
        """Made by ``conformance.load_cases``."""
        self._case = case

    def __repr__(self) -> str:
        return f"<Case {self.id}>"

    @property
    def suite_case(self) -> SuiteCase:
        """For the suite's own plugin; it may change from release to release."""
        return self._case

    @property
    def id(self) -> str:
        """Such as ``scatter_nd.rule.updates-shape/break.slice-too-short``."""
        return self._case.id

    @property
    def operation(self) -> str:
        return self._case.operation.name

    @property
    def clause(self) -> str:
        """The id of the clause that it tests."""
        return self._case.clause.id

    @property
    def states(self) -> str:
        """What the clause states."""
        return self._case.clause.states

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments by name: read-only arrays, tuples, numbers and texts."""
        return _arguments(self._case.call.arguments)

    @property
    def expected(self) -> np.ndarray[Any, Any] | None:
        """An allowed result; None if an error is expected, or nothing."""
        expectation = self._case.expectation
        return expectation.value.array if isinstance(expectation, Returning) else None

    @property
    def raises(self) -> str | None:
        """The name of the documented error type, ``Exception`` if none is documented; None if no error is expected."""
        expectation = self._case.expectation
        return (expectation.error or "Exception") if isinstance(expectation, Raises) else None

    def check(
        self,
        result: Any,
        *,
        to_native: Callable[[np.ndarray[Any, Any], str], Any] | None = None,
        to_numpy: Callable[[Any], Any] | None = None,
    ) -> None:
        """Raise AssertionError unless a result, or what a function returns or raises for the arguments, is as expected.

        Each array that a function gets lies between guard zones. AssertionError if it writes there, or its result shows what lies
        there, whatever is expected. If nothing is, since an index lies outside or an argument contradicts another one, it may return
        or raise anything else; such a call is made in a forked process, whose end is an AssertionError too.

        result: an array (anything that ``numpy.asarray`` takes, or a tensor of any device that DLPack exports), or a
        function of the arguments by name. Only a function shows changed arguments, shared memory, and that a call raises. A
        function that should raise must return for the same call without the violation.
        to_native: makes a tensor of the function's own kind from an array and the name of its dtype, as an adapter's hook
        of this name does; by default the function takes NumPy arrays.
        to_numpy: makes an array in host memory from such a tensor. Both are tried before the call, so that a change that a
        conversion makes is not taken for the function's.
        """
        function = result if callable(result) else lambda **_: result
        api = Api("the function", self.operation, function)
        subject = Subject("own", None, immutable=not callable(result))
        adapter = _adapter(api, to_native or _to_native, to_numpy or _to_numpy)
        subject = replace(subject, copies=bool(callable(result) and not _is_guarded(adapter, self._case)))

        def judged() -> ResultRecord:
            return result_record(judged_here(adapter, api, self._case, subject), _TARGET.id)

        is_dangerous = self._case.asks_for_memory_alone and callable(result) and CAN_FORK
        record = _made_apart(judged, adapter, api, self._case) if is_dangerous else judged()
        if isinstance(record, Died | Hung):
            raise AssertionError(  # noqa: TRY004 # of the test, as any other
                f"the call {record.phrase}; no document says what it should do\n\n{self.arguments}"
            )
        if self._case.asks_for_memory_alone:
            is_wrong = not {"wrote-outside", "read-outside"}.isdisjoint(record.divergence)
        else:
            is_wrong = record.verdict in ("diverges", "blocked")
        if is_wrong:
            raise AssertionError(self._account(record))

    def _account(self, record: ResultRecord) -> str:
        clause = clause_record(self._case.clause)
        records = Records(
            RunRecord("", "", 0, "", ""), [_TARGET], {clause.id: clause}, {self.id: case_record(self._case)}
        )
        return f"{reason(record)}\n\n{details(records, record)}"


def load_cases(
    operation: str,
    *,
    family: Family | None = None,
    clause: str | None = None,
    dtypes: bool = False,
    follows: str | None = None,
    specs: str | Path | None = None,
    outside: bool = True,
) -> Callable[[Any], Any]:
    """Parametrize a test function of pytest with the cases of an operation, as its argument ``case``.

    operation: its name, such as ``"scatter_nd"``.
    family: only ``"example"``, ``"rule"`` or ``"behaviour"``.
    clause: only this clause, such as ``"scatter_nd.rule.updates-shape"``.
    dtypes: also the cases in other dtypes and with other strides that are derived from written ones.
    follows: the API whose documentation the function promises too, such as ``"onnx.GatherElements"``: only what this
        documentation promises is judged then. By default a call is judged unless documents contradict each other in it.
    specs: a spec file or folder instead of the suite's.
    outside: also the calls of which no document says what they should do, since an index lies outside, or an argument contradicts
        another one. They are checked for what they write and read next to their arguments, and that they do not end the process.

    ConformanceError for an unknown name, or if no case is selected. Cases for GPUs, relations between operations, and
    other cases without an expectation are left out.
    """
    import pytest

    selected = _selected(operation, family, clause, dtypes=dtypes, follows=follows, specs=specs, outside=outside)
    return pytest.mark.parametrize("case", selected, ids=[case.id for case in selected])


def _selected(
    operation: str,
    family: Family | None,
    clause: str | None,
    *,
    dtypes: bool,
    follows: str | None,
    specs: str | Path | None,
    outside: bool,
) -> list[Case]:
    of_operation = _cases(operation, None if specs is None else Path(specs))
    if family is not None and family not in FAMILIES:
        raise ConformanceError(f"undefined family {family!r}; allowed: {', '.join(FAMILIES)}", USAGE)
    clauses = dict.fromkeys(case.clause.id for case in of_operation)
    if clause is not None and clause not in clauses:
        raise ConformanceError(f"undefined clause {clause!r}{did_you_mean(clause, clauses)}", USAGE)
    asking = _asking(of_operation[0].operation, follows)
    every = [
        case
        for case in of_operation
        if family in (None, case.clause.family)
        and clause in (None, case.clause.id)
        and (dtypes or isinstance(case.variation, Written | Contradicting))
        and (outside or not isinstance(case.variation, Contradicting))
    ]
    as_asked = [found for found in map(asking.asked, every) if found is not None]
    chosen = [Case(case) for case in as_asked if (outside if case.asks_for_memory_alone else _is_judged(case))]
    if not chosen:
        raise ConformanceError(f"no case of {operation} with an expectation is in this selection", NOTHING_SELECTED)
    return chosen


def _asking(operation: Operation, follows: str | None) -> Asking:
    """What is asked of a function that promises what the documentation of an API says; ConformanceError without such an API."""
    if follows is not None and not described_apis(operation, [follows]):
        near = did_you_mean(follows, names_of_apis(operation))
        raise ConformanceError(f"no document about {operation.name} describes {follows!r}{near}", USAGE)
    return Asking(operation, [follows] if follows is not None else [])


@cache
def _cases(operation: str, specs: Path | None) -> list[SuiteCase]:
    """The cases of an operation that one call in this process can test; ConformanceError if the specs do not have it."""
    from conformance.app import loading
    from conformance.app.listings import listing

    operations = listing(specs)
    if operation not in operations:
        raise ConformanceError(f"undefined operation {operation!r}{did_you_mean(operation, operations)}", USAGE)
    built = loading.with_cases(specs, [operation]).of_operation(operation)
    return [
        case
        for case in built
        if case.device != "gpu"
        and not isinstance(case.expectation, Agrees)
        and (_is_judged(case) or case.asks_for_memory_alone)
        and manner_of(case.call).is_of_any_mode
    ]


def _is_judged(case: SuiteCase) -> bool:
    return not isinstance(case.expectation, Observed)


def _made_apart(
    judged: Callable[[], ResultRecord], adapter: Adapter, api: Api, case: SuiteCase
) -> ResultRecord | Died | Hung:
    """The result of a call in a forked process; in this one if its control does not return there.

    Some functions cannot be called after a fork: those of a GPU, and those with threads.
    """
    record, control = made_in_child(judged), case.control
    if isinstance(record, Died | Hung):
        returned = control is None or made_in_child(lambda: returns(adapter, api, control)) is True
    else:
        returned = record.control is None or record.control.before == "returned"
    return record if returned else judged()


def _is_guarded(adapter: Adapter, case: SuiteCase) -> bool:
    """Whether the function gets the memory of the suite's arrays, and no copies."""
    dtypes = {value.dtype for value in case.call.tensors.values()}
    return adapter.conversions.guarded(sorted(dtypes)) == sorted(dtypes)


def _adapter(api: Api, to_native: Callable[[Any, str], Any], to_numpy: Callable[[Any], Any]) -> Adapter:
    return Adapter("the test", [api], dict, lambda *_: None, to_native, to_numpy)


def _to_native(array: np.ndarray[Any, Any], dtype: str) -> np.ndarray[Any, Any]:
    return array.view(_BFLOAT16) if dtype == "bfloat16" else array


def _to_numpy(value: Any) -> Any:
    array = np.from_dlpack(value, device="cpu") if _is_elsewhere(value) else np.asarray(value)
    return (array.view(np.uint16), "bfloat16") if array.dtype == _BFLOAT16 else array


def _is_elsewhere(value: Any) -> bool:
    """Whether DLPack says that a tensor is in the memory of another device than the CPU."""
    where = getattr(value, "__dlpack_device__", None)
    return where is not None and where()[0] != _CPU


def _arguments(arguments: Any) -> dict[str, Any]:
    return {name: value.array if isinstance(value, Tensor) else value for name, value in arguments.items()}
